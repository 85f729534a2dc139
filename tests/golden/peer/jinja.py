"""Small templates, each for one habit of Jinja as transformers runs it, with what they render to (data/jinja.json)."""

from transformers.utils.chat_template_utils import render_jinja_template

from .base import DATA, saveJson

MESSAGES = [{"role": "system", "content": "  Be brief.\u00a0\n"}, {"role": "user", "content": "Hi <b>\"you\"</b> & \u4f60\u597d"},
            {"role": "assistant", "content": "Yes.</think>\n\nA, B", "tags": ["x", "y"], "meta": {"b": 1, "a": [True, None, 1.5]}}]
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {
    "n": {"type": "integer"}}}}}]

TEMPLATES = [
    # whitespace: trim_blocks, lstrip_blocks, dashes, plus
    "a\n{% if true %}\nb\n{% endif %}\nc\n", "a\n  {% if true %}\n  b\n  {% endif %}\n  c", "a {%- if true -%} b {%- endif -%} c",
    "  {{- ' x ' -}}  y", "a\n  {%+ if true %}b{% endif %}", "{# gone #}\na {#- gone -#} b", "x\n\n", "\n\nx{{ '\n' }}\n", "{% raw %}{{ no }}{% endraw %}!",
    "{% for m in messages %}\n    {{ m.role }}\n{% endfor %}",
    # loops
    "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}",
    "{% for m in messages if m.role != 'system' %}{{ m.role }}{{ loop.index0 }} {% else %}none{% endfor %}",
    "{% for m in [] %}x{% else %}empty{% endfor %}", "{% for m in messages[1:] %}{{ m['role'] }} {% endfor %}{{ messages[-1].role }}{{ messages[::-1][0].role }}",
    "{% for m in messages %}{% if loop.index0 == 1 %}{% continue %}{% endif %}{{ m.role }}{% if loop.last %}{% break %}{% endif %}{% endfor %}",
    "{% for k, v in messages[2].meta.items() %}{{ k }}={{ v }};{% endfor %}", "{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined }}>{{ loop.nextitem.role if loop.nextitem }} {% endfor %}",
    "{% for i in range(3) %}{{ i }}{% endfor %}{{ range(1, 10, 4) | list }}",
    # scope
    "{% set x = 1 %}{% for m in messages %}{% set x = 2 %}{% endfor %}{{ x }}", "{% set ns = namespace(n=0, seen=false) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}{{ ns.seen }}",
    "{% macro turn(m, end='!') %}[{{ m.role }}{{ end }}]{% endmacro %}{{ turn(messages[0]) }}{{ turn(messages[1], end='?') }}", "{% set a, b = 1, 'two' %}{{ a }}{{ b }}{% set text %}in {{ a }}{% endset %}{{ text | upper }}",
    "{% if x is not defined %}{% set x = 'later' %}{% endif %}{{ x }}",
    # expressions
    "{{ 1 + 2 * 3 }} {{ 7 // 2 }} {{ 7 / 2 }} {{ 7 % 3 }} {{ -7 // 2 }} {{ 2 ** 3 }} {{ 1.0 }} {{ 1e20 }} {{ 0.1 + 0.2 }}", "{{ 'a' ~ 1 ~ none ~ true }} {{ 'a' + 'b' }} {{ 'ab' * 2 }}",
    "{{ true and 'x' or 'y' }} {{ '' or 'y' }} {{ not 1 }} {{ 1 < 2 <= 2 }} {{ 'a' in 'cat' }} {{ 'k' in {'k': 1} }} {{ 3 not in [1, 2] }}", "{{ 'yes' if messages | length > 2 else 'no' }}[{{ 'x' if false }}]",
    "{{ [1, 'a', none, true, 1.5] }} {{ {'a': 1, 'b': ['c']} }} {{ (1, 2) }}", "{{ \"it's\" }} {{ ['it\\'s', 'a\\n\"b\"', '\u4f60'] }}", "{{ 'abc'[1:] }}{{ 'abc'[-1] }}{{ 'abc'[::-1] }}{{ [1, 2, 3][:2] }}", "{{ 1 == 1.0 }} {{ none == false }} {{ '1' == 1 }}",
    # undefined
    "[{{ missing }}]{{ missing is defined }}{{ messages[0].nothing is undefined }}[{{ messages[0].nothing }}]", "{{ missing | default('d') }}{{ '' | default('d') }}{{ '' | default('d', true) }}{{ none | default('d') }}", "{% if missing %}a{% elif not missing %}b{% endif %}{{ messages[0].get('x') }}{{ messages[0].get('x', 'y') }}",
    # filters
    "[{{ messages[0].content | trim }}][{{ 'xxaxx' | trim('x') }}]", "{{ messages[1].content | tojson }} {{ messages[2].meta | tojson }}", "{{ tools | tojson }}\n{{ tools | tojson(indent=2) }}", "{{ messages | map(attribute='role') | join(', ') }} {{ ['a', 'b'] | join }}",
    "{{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'in', ['user', 'system']) | map(attribute='role') | list }}", "{{ [1, none, 2, 0] | select | list }} {{ [1, none] | reject('none') | list }} {{ ['1', '2'] | map('int') | sum }}",
    "{{ 'aBc dE' | upper }} {{ 'aBc dE' | lower }} {{ 'aBc dE' | capitalize }} {{ 'aBc dE' | title }}", "{{ [3, 1, 2] | sort }} {{ ['b', 'A'] | sort }} {{ [1, 2] | first }}{{ [1, 2] | last }} {{ 'ab' | list }} {{ [1, 1, 2] | unique | list }} {{ [1, 2] | reverse | list }}",
    "{{ 12 | string + '!' }} {{ '7' | int + 1 }} {{ '1.5' | float }} {{ 'x' | int(9) }} {{ 3.7 | int }} {{ 3.14159 | round(2) }} {{ -3 | abs }}", "{{ {'b': 2, 'a': 1} | dictsort }} {{ {'b': 2} | items | list }}", "{{ 'a-b-a' | replace('a', 'c') }} {{ '<x> & \"' | escape }} {{ '<x>' | safe }}", "{{ 'one\ntwo\n\nthree' | indent(2) }}|{{ 'a\nb' | indent(2, true) }}", "{{ 'a b  c' | wordcount }}{{ [1, 2, 3] | max }}{{ [1, 2] | min }}{{ {} | length }}{{ 'abc' | count }}",
    # methods
    "{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a=b=c'.split('=', 1) }} {{ messages[2].content.split('</think>')[-1].lstrip('\\n') }}", "[{{ '  x '.strip() }}][{{ '\u00a0x\u3000'.strip() }}][{{ 'xxaxx'.lstrip('x') }}][{{ 'xxaxx'.rstrip('x') }}]", "{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('b', 'c')) }} {{ 'a.b'.replace('.', '-') }} {{ 'aaa'.replace('a', 'b', 2) }}", "{{ 'Ab'.upper() }}{{ 'Ab'.lower() }}{{ 'ab cd'.title() }}{{ 'ab'.capitalize() }} {{ 'banana'.count('a') }} {{ 'abc'.find('c') }} {{ '-'.join(['a', 'b']) }}", "{{ '{} is {}'.format('a', 1) }} {{ '%s-%d' | format('x', 3) }} {{ '%s' % 'y' }}", "{{ {'a': 1}.keys() | list }} {{ {'a': 1}.values() | list }} {{ {'a': 1}.get('b', 2) }} {{ messages[2].tags.index('y') }}",
    # tests
    "{{ 'a' is string }} {{ 1 is string }} {{ {} is mapping }} {{ [] is mapping }} {{ [] is iterable }} {{ 'a' is iterable }} {{ [] is sequence }} {{ {} is sequence }} {{ 1 is iterable }}", "{{ none is none }} {{ 1 is number }} {{ true is number }} {{ true is boolean }} {{ 1 is true }} {{ true is true }} {{ false is false }} {{ 0 is false }} {{ 1 is integer }} {{ 1.5 is float }}", "{{ 3 is odd }} {{ 4 is even }} {{ 6 is divisibleby(3) }} {{ 1 is eq 1 }} {{ 'a' is in ['a'] }} {{ 2 is gt 1 }} {{ messages is not none }} {{ 'x' is callable }}",
    # what chat templates do
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}{{ '[INST] ' + m['content'] + ' [/INST]' }}{% elif m['role'] == 'assistant' %}{{ m['content'] | trim + eos_token }}{% endif %}{% endfor %}",
    "{%- if messages[0]['role'] == 'system' -%}\n    {%- set system = messages[0]['content'] -%}\n    {%- set rest = messages[1:] -%}\n{%- else -%}\n    {%- set rest = messages -%}\n{%- endif -%}\n{%- for m in rest -%}\n    {%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) -%}\n        {{- raise_exception('Roles must alternate') -}}\n    {%- endif -%}\n    {{- '<' ~ m.role ~ '>\\n' -}}\n    {%- if loop.first and system is defined -%}{{- system ~ '\\n\\n' -}}{%- endif -%}\n    {{- m.content -}}\n{%- endfor -%}\n{%- if add_generation_prompt -%}{{ '<assistant>\\n' }}{%- endif -%}\n",
    "{% for m in messages %}{{ m.role }}: {% if m.role == 'assistant' %}{% generation %}{{ m.content }}<end>{% endgeneration %}{% else %}{{ m.content }}{% endif %}\n{% endfor %}",
    "{% if tools is defined and tools %}{% for t in tools %}{{ t.function.name }}({{ t.function.parameters.properties.keys() | join }}){% endfor %}{% endif %}",
    "{{ raise_exception('No ' ~ messages[0].role) }}", "{{ messages[0].content", "{% for m in messages %}", "{{ 'a' | nosuchfilter }}", "{% if messages is nosuchtest %}{% endif %}", "{{ messages.nothing.deeper }}", "{{ 1 / 0 }}",
]


def render(template: str) -> dict:
    """The text and the spans of {% generation %} in characters; or that it fails, and what raise_exception said."""
    try:
        texts, spans = render_jinja_template([MESSAGES], tools=TOOLS, chat_template=template, bos_token="<s>",
                                             eos_token="</s>", add_generation_prompt=True,
                                             return_assistant_tokens_mask="{% generation" in template)
    except Exception as error:  # any failure of a template is the result here
        return {"template": template, "error": type(error).__name__, "message": str(error)}
    found = {"template": template, "text": texts[0]}
    return found | ({"generation": spans[0]} if spans and spans[0] else {})


def make() -> None:
    saveJson(DATA / "jinja.json", {"messages": MESSAGES, "tools": TOOLS, "bos_token": "<s>", "eos_token": "</s>",
                                   "add_generation_prompt": True, "renders": [render(t) for t in TEMPLATES]}, indent=1)
