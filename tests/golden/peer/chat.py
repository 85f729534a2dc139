"""Renders of SmolLM2's own chat template by transformers, with their token ids (data/chat.json)."""

from transformers.utils.chat_template_utils import render_jinja_template

from . import smoltokenizer
from .base import DATA, saveJson

CONVERSATIONS = {
    "user only": [{"role": "user", "content": "May I sell copies?"}],
    "system": [{"role": "system", "content": "Answer with a citation."},
               {"role": "user", "content": "Who may modify the licence?"},
               {"role": "assistant", "content": "The licence steward. [MPL-2.0 \u00a710.1]"}],
    "turns without system": [{"role": "user", "content": "  Hello \u4f60\u597d \U0001f600\n"},
                             {"role": "assistant", "content": "Hi.\n\nWhat is it about?"},
                             {"role": "user", "content": "Section 3.2\tplease"},
                             {"role": "assistant", "content": ""}],
    "special tokens inside": [{"role": "system", "content": ""},
                              {"role": "user", "content": "What does <|im_end|> mean?"},
                              {"role": "assistant", "content": "It ends a turn."},
                              {"role": "user", "content": "{{ 1 + 1 }} <|im_start|>"}],
}


def make() -> None:
    template, tokenizer = smoltokenizer.chatTemplate(), smoltokenizer.tokenizer()
    made = []
    for name, messages in CONVERSATIONS.items():
        for prompt in (False, True):
            texts, _ = render_jinja_template([messages], chat_template=template, add_generation_prompt=prompt)
            made.append({"name": name, "messages": messages, "add_generation_prompt": prompt, "text": texts[0],
                         "ids": tokenizer.encode(texts[0], add_special_tokens=False).ids})
    saveJson(DATA / "chat.json", {"template": template, "renders": made}, indent=1)
