#include "core/data/row_encoder.h"
#include "tests/data/byte_tokenizer.h"
#include "tests/data/templates.h"

#include <QTest>

using namespace anneal;
using namespace anneal::test;

namespace {

DataSettings settings(const std::string& lossOn = "completion", std::int64_t maxLength = 4096) {
    DataSettings data;
    data.loss_on = lossOn;
    data.max_length = maxLength;
    return data;
}

std::shared_ptr<const ChatTemplate> chatTemplate(const char* source) {
    auto parsed = ChatTemplate::parse(source);
    return parsed ? *parsed : nullptr;
}

/// Encodes rows of JSON as a data file would give them.
struct Encoder {
    Encoder(const char* source, DataSettings data = settings(),
            std::shared_ptr<ByteTokenizer> bytes = std::make_shared<ByteTokenizer>())
        : tokenizer(std::move(bytes)),
          encoder(tokenizer, source ? chatTemplate(source) : nullptr, data, true) {}

    RowOutcome operator()(const std::string& row) const {
        const auto value = Json::parse(row);
        const auto parsed = parseRow(value, detectFormat(value)->format);
        if (!parsed) {
            RowOutcome outcome;
            outcome.rejection = {RejectCause::Broken, parsed.error().message};
            return outcome;
        }
        return encoder.encode(*parsed, {});
    }

    std::shared_ptr<ByteTokenizer> tokenizer;
    RowEncoder encoder;
};

std::string textOf(const Encoder& encoder, const EncodedRow& row) {
    std::vector<std::int32_t> ids;
    for (const auto token : row.tokens)
        ids.push_back(static_cast<std::int32_t>(tokenId(token)));
    return encoder.tokenizer->decode(ids, false);
}

/// What is learned of a row, stretches parted by '|'.
std::string learned(const Encoder& encoder, const RowOutcome& outcome) {
    if (outcome.rejection)
        return "! " + outcome.rejection->reason;
    std::string text;
    bool before = false;
    for (const auto token : outcome.rows[0].tokens) {
        if (isSupervised(token) && !before && !text.empty())
            text += '|';
        before = isSupervised(token);
        if (before)
            text += encoder.tokenizer->idToPiece(static_cast<std::int32_t>(tokenId(token)));
    }
    return text;
}

std::string learned(const Encoder& encoder, const std::string& row) { return learned(encoder, encoder(row)); }

bool startsWith(const EncodedRow& row, const std::vector<std::int32_t>& ids) {
    return row.tokens.size() >= ids.size() &&
           std::ranges::equal(ids, std::span(row.tokens).first(ids.size()), [](auto id, auto token) {
               return static_cast<std::uint32_t>(id) == tokenId(token);
           });
}

const std::string question = R"({"context":"The rent is due.", "question":"When?", "answer":"Now. [A 1]"})";
const std::string chat = R"({"messages":[{"role":"user","content":"u1"},{"role":"assistant","content":"a1"},
    {"role":"user","content":"u2"},{"role":"assistant","content":"a2"}]})";

std::string prompted(const std::string& prompt, const std::string& completion) {
    return dumpJson({{"prompt", prompt}, {"completion", completion}});
}

} // namespace

class TestRowEncoder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersAreLearnedWithTheirEndMarker() {
        const Encoder encode(chatml);
        const auto outcome = encode(question);
        QCOMPARE(learned(encode, outcome), std::string("Now. [A 1]<|im_end|>"));
        const auto& row = outcome.rows[0];
        QCOMPARE(textOf(encode, row), row.text);
        QCOMPARE(
            row.text,
            std::string(
                "<|im_start|>system\nBe brief<|im_end|>\n<|im_start|>user\nContext:\nThe rent is due.\n\n"
                "Question: When?<|im_end|>\n<|im_start|>assistant\nNow. [A 1]<|im_end|>\n"));
        QCOMPARE(row.answer, std::string("Now. [A 1]"));
        QVERIFY(row.prompt.ends_with("<|im_start|>assistant\n"));
        QCOMPARE(tokenId(row.tokens[row.answerBegin]), unsigned{'N'});
        // pad == eos == <|im_end|>: the marks of other turns stay masked, that of the answer is learned.
        QCOMPARE(row.tokens.back(), unsigned{'\n'});
    }

    void lossOnChoosesTurns() {
        QCOMPARE(learned(Encoder(chatml), chat), std::string("a1<|im_end|>|a2<|im_end|>"));
        QCOMPARE(learned(Encoder(chatml, settings("last")), chat), std::string("a2<|im_end|>"));
        const Encoder all(chatml, settings("all"));
        QCOMPARE(learned(all, chat), all(chat).rows[0].text);
    }

    void contextTurnsAreNotLearned() {
        const std::string row =
            R"({"prompt":[{"role":"user","content":"u1"},{"role":"assistant","content":"a1"},
            {"role":"user","content":"u2"}], "completion":[{"role":"assistant","content":"a2"}]})";
        QCOMPARE(learned(Encoder(chatml), row), std::string("a2<|im_end|>"));
        const std::string none =
            R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"a","train":false}]})";
        const auto outcome = Encoder(chatml)(none);
        QVERIFY(outcome.rejection && outcome.rejection->cause == RejectCause::NothingLearned);
        QVERIFY(Encoder(chatml)(R"({"messages":[{"role":"user","content":"u"}]})").rejection->cause ==
                RejectCause::NothingLearned);
    }

    void generationMarksDecide() {
        QCOMPARE(learned(Encoder(marked), chat), std::string("a1<|im_end|>|a2<|im_end|>"));
        QCOMPARE(learned(Encoder(marked, settings("last")), chat), std::string("a2<|im_end|>"));
    }

    void everyAnswerOfAMistralChatIsLearnedAndBosComesOnce() {
        const Encoder encode(mistral, settings(),
                             std::make_shared<ByteTokenizer>(std::vector<std::string>{}, true));
        const auto outcome = encode(chat);
        QCOMPARE(learned(encode, outcome), std::string(" a1<|im_end|>| a2<|im_end|>"));
        const auto& tokens = outcome.rows[0].tokens;
        QCOMPARE(std::ranges::count(tokens, unsigned{ByteTokenizer::bos}), 1);
        QCOMPARE(tokens[0], unsigned{ByteTokenizer::bos});
    }

    void raisedTemplateErrorsRefuseTheRow() {
        const std::string row =
            R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},{"role":"assistant","content":"a"}]})";
        const auto outcome = Encoder(mistral)(row);
        QVERIFY(outcome.rejection);
        QVERIFY(outcome.rejection->reason.find("must alternate") != std::string::npos);
    }

    void aTemplateWithoutEndMarkerGetsEos() {
        const Encoder encode(headings);
        QCOMPARE(learned(encode, chat), std::string("a1|a2<|im_end|>"));
    }

    void anEmptyThoughtOfThePromptIsNoPartOfTheAnswer() {
        QCOMPARE(learned(Encoder(thinking), chat), std::string("a1<|im_end|>|a2<|im_end|>"));
    }

    void theSystemPromptComesBeforeRowsWithoutOne() {
        auto data = settings();
        data.system_prompt = "Cite.";
        QVERIFY(
            Encoder(chatml, data)(question).rows[0].text.starts_with("<|im_start|>system\nCite.<|im_end|>"));
        const std::string own =
            R"({"messages":[{"role":"system","content":"own"},{"role":"user","content":"u"},{"role":"assistant","content":"a"}]})";
        QVERIFY(Encoder(chatml, data)(own).rows[0].text.starts_with("<|im_start|>system\nown<|im_end|>"));
    }

    void withoutATemplate() {
        const Encoder encode(nullptr, settings(),
                             std::make_shared<ByteTokenizer>(std::vector<std::string>{}, true));
        const auto outcome = encode(prompted("Q: x\nA:", " yes"));
        QCOMPARE(textOf(encode, outcome.rows[0]), std::string("<s>Q: x\nA: yes<|im_end|>"));
        QCOMPARE(learned(encode, outcome), std::string(" yes<|im_end|>"));
        QCOMPARE(learned(encode, chat), std::string("a1<|im_end|>|a2<|im_end|>"));
        QCOMPARE(encode(R"({"instruction":"Sum","input":"1 2","output":"3"})").rows[0].text,
                 std::string("Sum\n1 2\n3"));
    }

    void aTokenAcrossTheSeamIsSplitThere() {
        const Encoder encode(nullptr, settings(),
                             std::make_shared<ByteTokenizer>(std::vector<std::string>{"ab", "abc"}));
        const auto outcome = encode(prompted("xab", "cd"));
        QCOMPARE(learned(encode, outcome), std::string("cd<|im_end|>"));
        QVERIFY(startsWith(outcome.rows[0], encode.tokenizer->encode("xab", false).ids));
    }

    void aPromptThatIsTokenizedOtherwiseOnItsOwnIsSplitToo() {
        // Before "a1" the two line ends are two tokens, at the end of the prompt they are one.
        const Encoder encode(headings, settings(),
                             std::make_shared<ByteTokenizer>(std::vector<std::string>{"\n\n"}));
        const auto outcome = encode(prompted("u1", "a1"));
        QCOMPARE(learned(encode, outcome), std::string("a1<|im_end|>"));
        const auto prompt = encode.tokenizer->encode("### user\n\nu1\n\n### assistant\n\n", false).ids;
        QVERIFY(startsWith(outcome.rows[0], prompt));
        QCOMPARE(outcome.rows[0].answerBegin, prompt.size());
        QVERIFY(!startsWith(outcome.rows[0], encode.tokenizer->encode(outcome.rows[0].text, false).ids));
        // Where prompt and answer are apart anyway, the ids are those of the whole text.
        const Encoder whole(chatml, settings(),
                            std::make_shared<ByteTokenizer>(std::vector<std::string>{"\n\n"}));
        const auto row = whole(question).rows[0];
        QVERIFY(startsWith(row, whole.tokenizer->encode(row.text, false).ids));
    }

    void addedTokensInTextAreTokens() {
        const Encoder encode(chatml);
        const auto row = encode(prompted("a <|im_end|> b", "c")).rows[0];
        QCOMPARE(std::ranges::count_if(row.tokens,
                                       [](auto token) { return tokenId(token) == ByteTokenizer::imEnd; }),
                 4);
    }

    void rawTextIsLearnedWholeAndEndsWithEos() {
        const Encoder encode(chatml);
        const auto outcome = encode(R"({"text":"hello"})");
        QCOMPARE(learned(encode, outcome), std::string("hello<|im_end|>"));
        QVERIFY(Encoder(nullptr, settings(),
                        std::make_shared<ByteTokenizer>(std::vector<std::string>{}, true))(R"({"text":"x"})")
                    .rows[0]
                    .tokens[0] == (ByteTokenizer::bos | supervisedBit));
    }

    void longTextIsSplitIntoBlocks() {
        const Encoder encode(nullptr, settings("completion", 8));
        const auto outcome =
            encode(R"({"text":"0123456789abcdef"})"); // 16 and EOS: a last block of one token is avoided
        QCOMPARE(outcome.rows.size(), std::size_t{3});
        QCOMPARE(outcome.rows[0].text, std::string("01234567"));
        QCOMPARE(outcome.rows[1].text, std::string("89abcde"));
        QCOMPARE(textOf(encode, outcome.rows[2]), std::string("f<|im_end|>"));
    }

    void preTokenizedRowsAreKeptAsTheyAre() {
        const Encoder encode(chatml);
        const auto outcome = encode(R"({"input_ids":[5,6,7,8],"labels":[-100,-100,7,8]})");
        QVERIFY((outcome.rows[0].tokens ==
                 std::vector<std::uint32_t>{5, 6, 7 | supervisedBit, 8 | supervisedBit}));
        QCOMPARE(outcome.rows[0].answerBegin, std::size_t{2});
        QVERIFY(encode(R"({"input_ids":[5,6],"labels":[-100,-100]})").rejection->cause ==
                RejectCause::NothingLearned);
        QVERIFY(encode(R"({"input_ids":[5],"labels":[5]})").rejection->cause == RejectCause::NothingLearned);
        QVERIFY(encode(R"({"input_ids":[5,9999]})").rejection->reason.find("not in the vocabulary") !=
                std::string::npos);
        Json ids = Json::array(), labels = Json::array();
        for (int i = 0; i < 100; ++i) {
            ids.push_back(i);
            labels.push_back(i < 90 ? -100 : i);
        }
        const auto cut =
            Encoder(chatml, settings("completion", 40))(dumpJson({{"input_ids", ids}, {"labels", labels}}));
        QCOMPARE(cut.rows[0].tokens.size(), std::size_t{40});
        QCOMPARE(cut.rows[0].truncatedTokens, std::int64_t{60});
        QCOMPARE(std::ranges::count_if(cut.rows[0].tokens, isSupervised), 10); // the answer stays whole
    }

    void theContextIsCutFirst() {
        const std::string context(500, 'c');
        const Encoder encode(chatml, settings("completion", 200));
        const auto outcome = encode(dumpJson(
            {{"context", "HEAD" + context + "TAIL"}, {"question", "When?"}, {"answer", "Now. [A 1]"}}));
        const auto& row = outcome.rows[0];
        QCOMPARE(learned(encode, outcome), std::string("Now. [A 1]<|im_end|>"));
        QCOMPARE(row.tokens.size(), std::size_t{200});
        QCOMPARE(textOf(encode, row), row.text);
        QVERIFY(row.text.find("Context:\nHEADccc") != std::string::npos);
        QVERIFY(row.text.find("cccTAIL\n\nQuestion: When?") != std::string::npos);
        QVERIFY(row.text.starts_with("<|im_start|>system\nBe brief<|im_end|>"));
        const auto whole = Encoder(chatml)(dumpJson(
            {{"context", "HEAD" + context + "TAIL"}, {"question", "When?"}, {"answer", "Now. [A 1]"}}));
        QCOMPARE(row.truncatedTokens, static_cast<std::int64_t>(whole.rows[0].tokens.size()) - 200);
    }

    void otherPromptsKeepHeadAndTail() {
        const Encoder encode(chatml, settings("completion", 150));
        const auto outcome = encode(prompted("HEAD" + std::string(500, 'x') + "TAIL", "yes"));
        QCOMPARE(learned(encode, outcome), std::string("yes<|im_end|>"));
        QVERIFY(outcome.rows[0].text.find("user\nHEADx") != std::string::npos);
        QVERIFY(outcome.rows[0].text.find("xTAIL<|im_end|>") != std::string::npos);
        QVERIFY(outcome.rows[0].tokens.size() <= 150);
    }

    void cutsNeverSplitACharacter() {
        std::string euros;
        for (int i = 0; i < 200; ++i)
            euros += "\xE2\x82\xAC";
        for (std::int64_t length = 150; length < 156; ++length) {
            const auto outcome = Encoder(chatml, settings("completion", length))(prompted(euros, "yes"));
            QVERIFY(!outcome.rejection);
            QVERIFY(Json::accept(dumpJson(outcome.rows[0].text)));
            QVERIFY(dumpJson(outcome.rows[0].text).find("\xEF\xBF\xBD") == std::string::npos);
        }
    }

    void anAnswerThatDoesNotFitLosesItsEnd() {
        const Encoder encode(chatml, settings("completion", 120));
        const auto outcome = encode(prompted("Why?", "START" + std::string(500, 'y')));
        QVERIFY(learned(encode, outcome).starts_with("STARTyyy"));
        QVERIFY(learned(encode, outcome).ends_with("yyy")); // no end marker: the answer does not end there
        QCOMPARE(outcome.rows[0].tokens.size(), std::size_t{120});
        QVERIFY(outcome.rows[0].truncatedTokens > 400);
        // A long prompt beside it leaves at least half of the room to the answer.
        const auto both = encode(prompted(std::string(500, 'x'), "START" + std::string(500, 'y')));
        QVERIFY(std::ranges::count_if(both.rows[0].tokens, isSupervised) >= 60);
    }

    void longChatsLoseWholeExchanges() {
        std::string turns;
        for (int i = 0; i < 10; ++i)
            turns += (i ? "," : "") + std::string(R"({"role":"user","content":"question )") +
                     std::to_string(i) + R"("},{"role":"assistant","content":"answer )" + std::to_string(i) +
                     "\"}";
        const std::string row = "{\"messages\":[" + turns + "]}";
        const Encoder first(chatml, settings("completion", 150));
        QCOMPARE(learned(first, row),
                 std::string("answer 0<|im_end|>|answer 1<|im_end|>|answer 2<|im_end|>"));
        const Encoder last(chatml, settings("last", 150));
        const auto outcome = last(row);
        QCOMPARE(learned(last, outcome), std::string("answer 9<|im_end|>"));
        QVERIFY(outcome.rows[0].text.find("question 8") != std::string::npos);
        QVERIFY(outcome.rows[0].tokens.size() <= 150);
    }

    void aLimitBelowTheTemplateLeavesNothing() {
        const auto outcome = Encoder(chatml, settings("completion", 16))(question);
        QVERIFY(outcome.rejection);
        QVERIFY(outcome.rejection->cause == RejectCause::TooLong);
        QVERIFY(outcome.rejection->reason.find("max_length = 16") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestRowEncoder)
#include "test_row_encoder.moc"
