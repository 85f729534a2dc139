#pragma once

namespace anneal::test {

// Chat templates as published models have them.

/// SmolLM2's: a system turn is put before rows that have none.
constexpr const char* chatml =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ "
    "'<|im_start|>system\nBe "
    "brief<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + "
    "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/// Answers are marked, their end marker is not.
constexpr const char* marked =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}{% if message['role'] == "
    "'assistant' %}"
    "{% generation %}{{ message['content'] }}{% endgeneration %}{% else %}{{ message['content'] }}{% endif %}"
    "{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif "
    "%}";

/// Mistral's: BOS by the template, the answer follows its prompt with a space, EOS after each answer.
constexpr const char* mistral =
    "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) "
    "%}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
    "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}{% else %}"
    "{{ ' ' + message['content'] + eos_token }}{% endif %}{% endfor %}";

/// No end marker at all, and two line ends before an answer.
constexpr const char* headings = "{% for message in messages %}{{ '### ' + message['role'] + '\n\n' + "
                                 "message['content'] }}{% if not loop.last %}"
                                 "{{ '\n\n' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ "
                                 "'\n\n### assistant\n\n' }}{% endif %}";

/// The prompt of an answer opens an empty thought that answers of the past do not have.
constexpr const char* thinking = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + "
                                 "message['content'] + '<|im_end|>\n' }}"
                                 "{% endfor %}{% if add_generation_prompt %}{{ "
                                 "'<|im_start|>assistant\n<think>\n\n</think>\n\n' }}{% endif %}";

} // namespace anneal::test
