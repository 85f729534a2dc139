# Readers, rows, packing and the token store.
list(APPEND ANNEAL_DATA_SOURCES
    chat_cutting.cpp chat_encoder.cpp csv_reader.cpp data_report.cpp data_tools.cpp inspect.cpp json_reader.cpp
    message_rows.cpp overlap_metrics.cpp packer.cpp prepare.cpp prompts.cpp record_reader.cpp row_encoder.cpp row_fields.cpp row_format.cpp
    row_renderer.cpp row_stream.cpp sampler.cpp store_builder.cpp text_metrics.cpp text_reader.cpp token_store.cpp
    token_store_writer.cpp validation_split.cpp)
