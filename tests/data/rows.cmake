anneal_test(test_sampler SOURCES test_sampler.cpp LAYERS data)
