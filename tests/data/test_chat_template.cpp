#include "core/data/chat_template.h"

#include "core/data/jinja_text.h"

#include <QTest>

using namespace anneal;

namespace {

const fs::path golden = fs::path(ANNEAL_SOURCE_DIR) / "tests/golden/data";

Result<Rendering> rendered(std::string_view source, const RenderContext& context) {
    ANNEAL_TRY(const auto parsed, ChatTemplate::parse(source));
    return parsed->render(context);
}

RenderContext contextOf(const Json& messages) {
    RenderContext context;
    context.messages = messages;
    context.bos_token = "<s>";
    context.eos_token = "</s>";
    return context;
}

/// Text of a template, or its problem behind "!".
std::string shown(std::string_view source, const Json& extra = Json::object()) {
    auto context = contextOf(Json::array({{{"role", "user"}, {"content", "Hi"}}}));
    context.extra = extra;
    const auto result = rendered(source, context);
    return result.ok() ? result->text : "!" + result.error().text();
}

std::string problemOf(std::string_view source) {
    const auto text = shown(source);
    return text.starts_with("!") ? text : "no problem";
}

bool has(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos)
        return true;
    qWarning("%s", text.c_str());
    return false;
}

/// Joined stretches inside {% generation %}, in characters.
Json generationSpans(const Rendering& rendering) {
    Json spans = Json::array();
    for (const auto& span : rendering.spans) {
        if (!span.generation)
            continue;
        const auto begin = jinja::characterIndex(rendering.text, span.begin);
        const auto end = jinja::characterIndex(rendering.text, span.end);
        if (!spans.empty() && spans.back()[1] == begin)
            spans.back()[1] = end;
        else
            spans.push_back({begin, end});
    }
    return spans;
}

/// "turn:text" of each span.
std::vector<std::string> turns(const Rendering& rendering) {
    std::vector<std::string> out;
    for (const auto& span : rendering.spans)
        out.push_back(std::to_string(span.message) + ":" +
                      rendering.text.substr(span.begin, span.end - span.begin));
    return out;
}

using Texts = std::vector<std::string>;

} // namespace

class TestChatTemplate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Habits of Jinja as transformers runs it.
    void rendersAsTransformersDoes() {
        const auto reference = *readJsonFile(golden / "jinja.json");
        auto context = contextOf(reference["messages"]);
        context.tools = reference["tools"];
        context.bos_token = reference["bos_token"];
        context.eos_token = reference["eos_token"];
        context.add_generation_prompt = reference["add_generation_prompt"];
        for (const auto& entry : reference["renders"]) {
            const auto source = entry["template"].get<std::string>();
            const auto result = rendered(source, context);
            if (entry.contains("error")) {
                QVERIFY2(!result.ok(), source.c_str());
                QVERIFY2(has(result.error().text(), entry["message"].get<std::string>()), source.c_str());
                QVERIFY(result.error().kind == ErrorKind::InvalidInput);
                continue;
            }
            QVERIFY2(result.ok(), (source + "\n" + (result.ok() ? "" : result.error().text())).c_str());
            QVERIFY2(result->text == entry["text"].get<std::string>(),
                     (source + "\ngot " + result->text).c_str());
            if (entry.contains("generation"))
                QCOMPARE(dumpJson(generationSpans(*result)), dumpJson(entry["generation"]));
        }
    }

    void smollm2() {
        const auto reference = *readJsonFile(golden / "chat.json");
        const auto parsed = ChatTemplate::parse(reference["template"].get<std::string>());
        QVERIFY(parsed.ok());
        for (const auto& entry : reference["renders"]) {
            auto context = contextOf(entry["messages"]);
            context.add_generation_prompt = entry["add_generation_prompt"];
            const auto result = (*parsed)->render(context);
            QVERIFY(result.ok());
            QCOMPARE(result->text, entry["text"].get<std::string>());
        }
    }

    void spansNameTheTurn() {
        const Json messages = Json::array({{{"role", "system"}, {"content", "S"}},
                                           {{"role", "user"}, {"content", "U"}},
                                           {{"role", "assistant"}, {"content", "A"}}});
        const auto loop = rendered("<b>{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}<e>",
                                   contextOf(messages));
        QVERIFY(loop.ok());
        QCOMPARE(turns(*loop), (Texts{"-1:<b>", "0:[system]S", "1:[user]U", "2:[assistant]A", "-1:<e>"}));
        // A value that was read from a turn keeps its origin outside of the loop, through filters and sums.
        const auto apart = rendered(
            "{% set s = messages[0]['content'] | trim %}{% for m in messages[1:] %}{% if loop.first %}"
            "{{ '<<' + s + '>>' }}{% endif %}{{ m.content }}{% endfor %}{{ messages[-1].get('role') | upper "
            "}}",
            contextOf(messages));
        QVERIFY(apart.ok());
        QCOMPARE(turns(*apart), (Texts{"0:<<S>>", "1:U", "2:AASSISTANT"}));
        const auto viaMacro = rendered("{% macro one(m) %}{{ m.role }}={{ m.content }};{% endmacro %}{% for "
                                       "m in messages %}{{ one(m) }}{% endfor %}",
                                       contextOf(messages));
        QVERIFY(viaMacro.ok());
        QCOMPARE(turns(*viaMacro), (Texts{"0:system=S;", "1:user=U;", "2:assistant=A;"}));
        std::size_t end = 0;
        for (const auto& span : apart->spans) { // nothing left out
            QCOMPARE(span.begin, end);
            end = span.end;
        }
        QCOMPARE(end, apart->text.size());
    }

    void valuesOfPython_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* source, const char* text) {
            QTest::newRow(source) << source << text;
        };
        row("{{ '\\u00a0 x\\x1f'|trim }}|{{ ' x '.strip(' ') }}", "x|x");
        row("{{ 'stra\\u00dfe'.upper() }} {{ '\\u01c6x'.title() }} {{ \"they're\".title() }}",
            "STRASSE \xC7\x85x They'Re");
        row("{{ '%5.2f|%-4s|%03d|%s' % (3.14159, 'ab', 7, none) }}", " 3.14|ab  |007|None");
        row("{{ '{0}-{b!r:>5}-{:,}'.format(1, b='x') }}", "!");
        row("{{ '{}-{b!r:>5}-{:,}'.format(1, 1234567, b='x') }}", "1-  'x'-1,234,567");
        row("{{ '{:.3}|{:08.3f}|{:+d}|{:x}|{:%}'.format('abcdef', 3.14159, 5, 255, 0.5) }}",
            "abc|0003.142|+5|ff|50.000000%");
        row("{{ 1e16 }} {{ 123456789012345.0 }} {{ 1.5e-7 }} {{ 0.0001 }} {{ 5 // -2 }} {{ -5 % 3 }}",
            "1e+16 123456789012345.0 1.5e-07 0.0001 -3 1");
        row("{{ {'a': (1,), 'b\\n': [none]} }} {{ '\\x7f\\u200b' | list }}",
            "{'a': (1,), 'b\\n': [None]} ['\\x7f', '\\u200b']");
        row("{{ 'a\\u4f60b'[1] }}{{ 'a\\u4f60b'[::-1] }}{{ 'a\\u4f60b'.find('b') }}{{ [1,2,3][-1:0:-1] }}",
            "\xE4\xBD\xA0"
            "b\xE4\xBD\xA0"
            "a2[3, 2]");
        row("{{ ' a b c '.split(none, 1) }} {{ 'a.b.c'.rsplit('.', 1) }} {{ 'a\\r\\nb\\u2028c'.splitlines() "
            "}}",
            "['a', 'b c '] ['a.b', 'c'] ['a', 'b', 'c']");
        row("{{ 'aXbX'.rpartition('X') }} {{ 'abc'.removeprefix('a') }} {{ 'a'.center(4, '*') }} {{ "
            "'-7'.zfill(4) }}",
            "('aXb', 'X', '') bc *a** -007");
        row("{{ {'b': 1, 'a': [1.0, none]} | tojson(indent=2, sort_keys=true) }}",
            "{\n  \"a\": [\n    1.0,\n    null\n  ],\n  \"b\": 1\n}");
        row("{{ '\\u00e9\\U0001f600' | tojson(ensure_ascii=true) }}{{ [] | tojson(indent=1) }}",
            "\"\\u00e9\\ud83d\\ude00\"[]");
        row("{{ {'a': 1, 'b': 2} | tojson(separators=(',', ':')) }}", "{\"a\":1,\"b\":2}");
        row("{% for r in [1, 2, 3, 4, 5] | batch(2, 'x') %}{{ r }}{% endfor %}", "[1, 2][3, 4][5, 'x']");
        row("{% for k, g in [{'t': 1, 'v': 'a'}, {'t': 2, 'v': 'b'}, {'t': 1, 'v': 'c'}] | groupby('t') %}{{ "
            "k }}{{ g | map(attribute='v') | join }} {% endfor %}",
            "1ac 2b ");
        row("{{ [3, 1, 2] | sort(reverse=true) }} {{ [{'a': {'b': 2}}, {'a': {'b': 1}}] | "
            "sort(attribute='a.b') | first }}",
            "[3, 2, 1] {'a': {'b': 1}}");
        row("{{ [1, 2, 3, 4] | select('divisibleby', 2) | list }} {{ ['a', ''] | reject | list }} {{ [1.25, "
            "2] | sum }}",
            "[2, 4] [''] 3.25");
        row("{{ 2.5 | round }} {{ 2.675 | round(2) }} {{ 42 | round(-1) }} {{ '0x1f' | int(0, 16) }}",
            "2.0 2.67 40 31");
        row("{{ 'one two three four' | truncate(12) }} {{ 'a b' | urlencode }} {{ 'ab' | replace('', '-') }}",
            "one two... a%20b -a-b-");
        row("{{ dict(a=1, b=2).values() | list }} {{ {1: 'x'}[1] }} {{ (1, 2) + (3,) }} {{ [0] * 3 }}",
            "[1, 2] x (1, 2, 3) [0, 0, 0]");
        row("{% set j = joiner('; ') %}{% for x in 'ab' %}{{ j() }}{{ x }}{% endfor %}", "a; b");
        row("{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{{ loop.cycle('o', 'e') }} {% endfor %}",
            "Trueo Falsee Trueo ");
        row("{% for n in [{'n': 1, 'c': [{'n': 2, 'c': []}]}] recursive %}{{ n.n }}{{ loop.depth }}({{ "
            "loop(n.c) }}){% endfor %}",
            "11(22())");
        row("{% call(x) [1] | map('string') | first | string | default('') | string %}{% endcall %}", "!");
        row("{% macro box(t) %}[{{ t }}:{{ caller('!') }}]{% endmacro %}{% call(m) box('a') %}in{{ m }}{% "
            "endcall %}",
            "[a:in!]");
        row("{{ ' a b c '.rsplit(none, 1) }} {{ 42 | round }} {{ 'x' | default }}", "[' a b', 'c'] 42 x");
        row("{% macro f(a, b, c) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ f(*[1, 2], **{'c': 3}) }}", "123");
        row("{{ none | selectattr('a') | list }}{{ none | map('upper') | list }}{{ 'y' if [] | select else "
            "'n' }}",
            "[][]y");
        row("{% filter upper | trim %}  ab {% endfilter %}{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ "
            "a is defined }}",
            "AB3False");
        row("{% set x | upper %}ab{% endset %}{{ x }}{% set ns = namespace(a=1) %}{% set ns.a = ns.a + 1 "
            "%}{{ ns.a }}",
            "AB2");
        row("{%- if 1 -%} a {%- elif 2 -%} b {%- else -%} c {%- endif -%}", "a");
        row("a{#- x -#}\n b\n{# y #}\nc{% raw -%}  {{ x }} {%- endraw %}d", "ab\nc{{ x }}d");
        row("\t {%+ if true %}x{% endif +%}\ny", "\t x\ny");
        row("line\r\n{% if true %}\r\nnext\r{% endif %}\r\n", "line\nnext\n");
        row("{{ 'it''s' }} {{ 'a' 'b' }} {{ \"\\x41\\101\\q\" }}", "its ab AA\\q");
        row("{{ x is defined }} {{ messages[0].nope is undefined }} {{ (missing | default({})).a is defined "
            "}}",
            "False True False");
        row("{{ messages[0].items() | list | length }}{{ messages[0]['items'] is callable }}", "2True");
        row("{{ 1 if true else 2 if true else 3 }}{{ not false and true }}{{ 1 in [1] and 2 not in [1] }}{{ "
            "3 > 2 > 1 }}",
            "1TrueTrueTrue");
        row("{{ '%d%%' % 5 }} {{ 'a' ~ 1 ~ [2] }} {{ -2 ** 2 }} {{ 2 ** -1 }} {{ 7.5 // 2 }}",
            "5% a1[2] 4 0.5 3.0");
        row("{% for k, v in {'a': 1} | items %}{{ k }}{{ v }}{% endfor %}{% for x in missing %}x{% else "
            "%}e{% endfor %}",
            "a1e");
    }
    void valuesOfPython() {
        QFETCH(QString, source);
        QFETCH(QString, text);
        const auto got = shown(source.toStdString());
        if (text == "!")
            QVERIFY2(got.starts_with("!"), got.c_str());
        else
            QCOMPARE(QString::fromStdString(got), text);
    }

    void whatTheContextLacksIsUndefined() {
        auto context = contextOf(Json::array());
        context.bos_token.clear();
        QCOMPARE(
            rendered("{{ bos_token is defined }}{{ eos_token }}{{ tools is none }}{{ documents }}", context)
                ->text,
            "False</s>TrueNone");
        context.extra = {{"enable_thinking", false}};
        QCOMPARE(rendered("{{ enable_thinking is defined and enable_thinking is false }}", context)->text,
                 "True");
        QVERIFY(!rendered("{{ bos_token + 'x' }}", context).ok());
    }

    void today() { QCOMPARE(shown("{{ strftime_now('%Y') | int > 2000 }}"), "True"); }

    void faultsNameTheLine() {
        QVERIFY(has(problemOf("a\nb\n{{ 1 + 'x' }}"), "line 3"));
        QVERIFY(has(problemOf("a\n{% for x in %}"), "line 2"));
        QVERIFY(has(problemOf("{% nosuchtag %}"), "unknown tag 'nosuchtag'"));
        QVERIFY(has(problemOf("{% if true %}{% endfor %}"), "'endfor'"));
        QVERIFY(has(problemOf("{{ 'open }}"), "unexpected char"));
        QVERIFY(has(problemOf("{{ (1] }}"), "unexpected ']'"));
        QVERIFY(has(problemOf("{# open"), "comment"));
        QVERIFY(has(problemOf("{% raw %}x"), "raw"));
        QVERIFY(has(problemOf("{{ raise_exception('Only text, please') }}"), "Only text, please"));
        QVERIFY(has(problemOf("{{ messages.append(1) }}"), "unsafe"));
        QVERIFY(has(problemOf("{{ messages.__class__ }}"), "unsafe"));
        QVERIFY(has(problemOf("{{ nothing() }}"), "'nothing' is undefined"));
        QVERIFY(has(problemOf("{% set a, b = [1] %}"), "unpack"));
        QVERIFY(has(problemOf("{% include 'x' %}"), "include"));
        QVERIFY(has(problemOf("{{ 9223372036854775807 + 1 }}"), "too large"));
        QVERIFY(has(problemOf("{% break %}"), "outside of a loop"));
    }

    void hostileTemplatesEnd() {
        const auto many = [](std::string_view part, int count) {
            std::string out;
            for (int i = 0; i < count; ++i)
                out += part;
            return out;
        };
        QVERIFY(has(problemOf("{{ " + many("(", 5000) + "1" + many(")", 5000) + " }}"), "nested"));
        QVERIFY(has(problemOf("{{ " + many("[", 5000) + many("]", 5000) + " }}"), "nested"));
        QVERIFY(has(problemOf("{{ " + many("not ", 5000) + "1 }}"), "nested"));
        QVERIFY(has(problemOf("{{ " + many("-", 5000) + "1 }}"), "nested"));
        QVERIFY(has(problemOf(many("{% if 1 %}", 3000)), "nested"));
        QVERIFY(has(problemOf("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), "deeply"));
        QVERIFY(has(problemOf("{{ 'x' * 1000000000000 }}"), "too large"));
        QVERIFY(has(problemOf("{{ [0] * 1000000000000 }}"), "too large"));
        QVERIFY(has(problemOf("{{ range(1000000000) }}"), "Range too big"));
        QVERIFY(
            has(problemOf("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"),
                "too long"));
        QVERIFY(has(problemOf("{% set x = 'x' * 60000000 %}{% for a in range(9999) %}{{ x }}{% endfor %}"),
                    "MB"));
        QCOMPARE(shown("{{ " + many("1 + ", 2000) + "1 }}"), "2001");
        QVERIFY(!ChatTemplate::parse(many("x", 3 << 20)).ok());
    }

    void anyCutOrChangedTemplateEnds() {
        const auto source = (*readJsonFile(golden / "chat.json"))["template"].get<std::string>();
        const std::string parts = "{}%#-+'\"|.([)]\\\n\xFF\xC3";
        for (std::size_t cut = 0; cut < source.size(); ++cut) {
            (void)shown(source.substr(0, cut));
            auto changed = source;
            changed[cut] = parts[cut % parts.size()];
            (void)shown(changed);
        }
        QVERIFY(shown(source).find("Hi") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestChatTemplate)
#include "test_chat_template.moc"
