# Tokenizers and chat templates.
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(ICU_UC REQUIRED IMPORTED_TARGET icu-uc)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
list(APPEND ANNEAL_DATA_SOURCES
    bpe.cpp bpe_cache.cpp chat_template.cpp jinja_evaluate.cpp jinja_evaluator.cpp jinja_expressions.cpp
    jinja_filters.cpp jinja_format.cpp jinja_globals.cpp jinja_lexer.cpp jinja_list_filters.cpp jinja_methods.cpp
    jinja_operations.cpp jinja_parser.cpp jinja_printf.cpp jinja_tests.cpp jinja_text.cpp jinja_text_filters.cpp
    jinja_value.cpp pretokenizer.cpp pretokenizer_regex.cpp sentencepiece_tokenizer.cpp tokenizer.cpp
    tokenizer_added_tokens.cpp tokenizer_bpe.cpp tokenizer_decoder.cpp tokenizer_ggml.cpp tokenizer_json.cpp
    tokenizer_json_steps.cpp tokenizer_normalizer.cpp tokenizer_text.cpp)
list(APPEND ANNEAL_DATA_LINK PkgConfig::PCRE2 PkgConfig::ICU_UC PkgConfig::SENTENCEPIECE PkgConfig::SIMDJSON)
