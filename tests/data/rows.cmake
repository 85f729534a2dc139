foreach(name test_model_rows test_prepare test_readers test_row_encoder test_row_formats test_sampler test_text_metrics)
    anneal_test(${name} SOURCES ${name}.cpp LAYERS data)
endforeach()
