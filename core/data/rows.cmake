# Readers, rows, packing and the token store.
list(APPEND ANNEAL_DATA_SOURCES
    packer.cpp sampler.cpp token_store.cpp token_store_writer.cpp)
