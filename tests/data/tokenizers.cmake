# Tokenizers and chat templates.
anneal_test(test_tokenizer SOURCES test_tokenizer.cpp LAYERS data)
anneal_test(test_tokenizer_golden SOURCES test_tokenizer_golden.cpp LAYERS data)
anneal_test(test_bpe SOURCES test_bpe.cpp LAYERS data)
anneal_test(test_pretokenizer SOURCES test_pretokenizer.cpp LAYERS data)
anneal_test(test_chat_template SOURCES test_chat_template.cpp LAYERS data)
