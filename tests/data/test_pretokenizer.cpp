#include "core/data/pretokenizer.h"
#include "core/data/tokenizer_added_tokens.h"
#include "core/data/tokenizer_normalizer.h"

#include <QTest>

using namespace anneal;

namespace {

std::vector<std::string> words(const std::vector<Splitter>& splitters, std::string_view text) {
    std::vector<TextRange> ranges;
    splitWords(splitters, text, ranges);
    std::vector<std::string> out;
    for (const auto& range : ranges)
        out.emplace_back(text.substr(range.begin, range.size()));
    return out;
}

using Words = std::vector<std::string>;

Splitter pattern(std::string_view text, SplitBehavior behavior = SplitBehavior::Isolated,
                 bool invert = false) {
    return *Splitter::pattern(text, behavior, invert);
}

AddedToken token(std::int32_t id, std::string content) {
    AddedToken made;
    made.id = id;
    made.content = std::move(content);
    return made;
}

} // namespace

class TestPretokenizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gpt2Splits() {
        QCOMPARE(words({pattern(gpt2Pattern)}, "I'll pay  $12.50\n now "),
                 (Words{"I", "'ll", " pay", " ", " $", "12", ".", "50", "\n", " now", " "}));
    }

    void spaceIsWhatUnicodeSays() {
        const std::vector<Splitter> space{pattern(R"(\s+)")};
        QCOMPARE(words(space, "a\xC2\x85"
                              "b")
                     .size(),
                 std::size_t{3}); // U+0085
        QCOMPARE(words(space, "a\xE1\xA0\x8E"
                              "b")
                     .size(),
                 std::size_t{1}); // U+180E is none
        QCOMPARE(words({pattern(R"([^\S\n]+)")}, "a \xC2\xA0\nb"), (Words{"a", " \xC2\xA0", "\nb"}));
        QCOMPARE(words({pattern(R"(\S)")}, " \xE1\xA0\x8E").size(), std::size_t{2});
    }

    void theLongSIsAnS() {
        const std::vector<Splitter> splitters{pattern(R"((?i:'s|'t)|\p{L}+)")};
        QCOMPARE(words(splitters, "it'\xC5\xBF x"), (Words{"it", "'\xC5\xBF", " ", "x"}));
    }

    void behaviors() {
        const auto split = [](SplitBehavior behavior, bool invert = false) {
            return words({pattern("-", behavior, invert)}, "a--b-c");
        };
        QCOMPARE(split(SplitBehavior::Isolated), (Words{"a", "-", "-", "b", "-", "c"}));
        QCOMPARE(split(SplitBehavior::Removed), (Words{"a", "b", "c"}));
        QCOMPARE(split(SplitBehavior::MergedWithPrevious), (Words{"a-", "-", "b-", "c"}));
        QCOMPARE(split(SplitBehavior::MergedWithNext), (Words{"a", "-", "-b", "-c"}));
        QCOMPARE(split(SplitBehavior::Contiguous), (Words{"a", "--", "b", "-", "c"}));
        QCOMPARE(split(SplitBehavior::Removed, true), (Words{"-", "-", "-"}));
        QCOMPARE(words({Splitter::literal("--", SplitBehavior::Isolated, false)}, "a--b-c"),
                 (Words{"a", "--", "b-c"}));
    }

    void digits() {
        QCOMPARE(words({Splitter::digits(true)}, "a12\xC2\xBD"
                                                 "b"),
                 (Words{"a", "1", "2", "\xC2\xBD", "b"}));
        QCOMPARE(words({Splitter::digits(false)}, "12ab3"), (Words{"12", "ab", "3"}));
        QCOMPARE(words({Splitter::digits(true), pattern(gpt2Pattern)}, "x 12"), (Words{"x", " ", "1", "2"}));
    }

    void hostilePatternsEnd() {
        QVERIFY(!Splitter::pattern("(unclosed", SplitBehavior::Isolated, false).ok());
        QVERIFY(!Splitter::pattern(std::string(100000, 'a'), SplitBehavior::Isolated, false).ok());
        QCOMPARE(words({pattern("x*")}, "axxb"), (Words{"a", "xx", "b"}));        // empty matches
        QVERIFY(!words({pattern("(a+)+$")}, std::string(40, 'a') + "b").empty()); // catastrophic backtracking
    }

    void addedTokensAreFound() {
        auto strip = token(2, "<m>");
        strip.lstrip = strip.rstrip = true;
        auto word = token(3, "law");
        word.single_word = true;
        const AddedTokenFinder finder({token(0, "<e>"), token(1, "<e>e"), strip, word});
        const auto ids = [&](std::string_view text) {
            Words out;
            for (const auto& part : finder.split(text))
                out.push_back(std::to_string(part.id) + ":" +
                              std::string(text.substr(part.range.begin, part.range.size())));
            return out;
        };
        QCOMPARE(ids("a<e>b"), (Words{"-1:a", "0:<e>", "-1:b"}));
        QCOMPARE(ids("<e><e>e"), (Words{"0:<e>", "1:<e>e"})); // the longest of those that start there
        QCOMPARE(ids("a  <m>\n\xC2\xA0"
                     "b"),
                 (Words{"-1:a", "2:  <m>\n\xC2\xA0", "-1:b"}));
        QCOMPARE(ids("law lawful law"), (Words{"3:law", "-1: lawful ", "3:law"}));
        QCOMPARE(ids(""), Words{});
    }

    void normalizationKeepsTheWayBack() {
        TextStep nfc;
        MappedText text("xe\xCC\x81y", 10); // e and a combining acute
        nfc.apply(text);
        QCOMPARE(std::string(text.text()), "x\xC3\xA9y");
        QCOMPARE(text.origin(1, 3).begin, std::size_t{11});
        QCOMPARE(text.origin(1, 3).end, std::size_t{14});
        QCOMPARE(text.origin(3, 4).end, std::size_t{15});
        TextStep meta;
        meta.kind = TextStep::Kind::Metaspace;
        meta.content = "_";
        MappedText marked("a b");
        meta.apply(marked);
        QCOMPARE(std::string(marked.text()), "_a_b");
        QCOMPARE(marked.origin(0, 2).end, std::size_t{1});
        QCOMPARE(marked.slice(2, 4).origin(0, 2).begin, std::size_t{1});
    }

    void invalidUtf8IsReplacedByMaximalParts() {
        QCOMPARE(replaceInvalidUtf8("a\xF0\x9F\x98z"), "a\xEF\xBF\xBDz");
        QCOMPARE(replaceInvalidUtf8("\xC0\x80\xED\xA0\x80"),
                 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
        QCOMPARE(replaceInvalidUtf8("\xE2\x82"), "\xEF\xBF\xBD");
        const auto mapped = mapInvalidUtf8("a\xFF"
                                           "b");
        QVERIFY(mapped && !mapInvalidUtf8("ab"));
        QCOMPARE(mapped->origin(1, 4).begin, std::size_t{1});
        QCOMPARE(mapped->origin(4, 5).begin, std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestPretokenizer)
#include "test_pretokenizer.moc"
