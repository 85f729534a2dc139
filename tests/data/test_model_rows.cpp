// Rows through the tokenizers and templates of models, beside reference values.
#include "core/data/row_encoder.h"
#include "tests/data/templates.h"
#include "tests/data/tokenizer_fixture.h"

#include "core/data/prepare.h"

using namespace anneal;
using namespace anneal::test;

namespace {

Json chatGolden() { return readJsonFile(golden / "chat.json").value(); }

RowOutcome encodeRow(const RowEncoder& encoder, const Json& row) {
    const auto parsed = parseRow(row, detectFormat(row)->format);
    return parsed ? encoder.encode(*parsed, {})
                  : RowOutcome{{}, Rejection{RejectCause::Broken, parsed.error().text()}, 0};
}

std::vector<std::int32_t> idsOf(const EncodedRow& row) {
    std::vector<std::int32_t> ids;
    for (const auto token : row.tokens)
        ids.push_back(static_cast<std::int32_t>(tokenId(token)));
    return ids;
}

/// Learned stretches of a row, parted by '|'.
std::string learned(const Tokenizer& tokenizer, const RowOutcome& outcome) {
    if (outcome.rejection)
        return "! " + outcome.rejection->reason;
    std::vector<std::string> parts;
    std::vector<std::int32_t> ids;
    for (const auto token : outcome.rows[0].tokens)
        if (isSupervised(token))
            ids.push_back(static_cast<std::int32_t>(tokenId(token)));
        else if (!ids.empty())
            parts.push_back(tokenizer.decode(std::exchange(ids, {}), false));
    if (!ids.empty())
        parts.push_back(tokenizer.decode(ids, false));
    std::string text;
    for (const auto& part : parts)
        text += (text.empty() ? "" : "|") + part;
    return text;
}

} // namespace

class TestModelRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsHaveTheIdsOfTheReference() {
        const auto chat = chatGolden();
        const auto tokenizer = smollm2();
        const auto chatTemplate = ChatTemplate::parse(chat["template"].get<std::string>());
        QVERIFY(chatTemplate);
        const RowEncoder encoder(tokenizer, *chatTemplate, DataSettings(), true);
        int compared = 0;
        for (const auto& render : chat["renders"]) {
            if (render["add_generation_prompt"] || render["messages"].size() < 2)
                continue;
            const auto outcome = encodeRow(encoder, {{"messages", render["messages"]}});
            QVERIFY2(!outcome.rejection, render["name"].get<std::string>().c_str());
            QCOMPARE(outcome.rows[0].text, render["text"].get<std::string>());
            QCOMPARE(idsOf(outcome.rows[0]), render["ids"].get<std::vector<std::int32_t>>());
            ++compared;
        }
        QCOMPARE(compared, 3);
    }

    void promptsHaveTheIdsOfTheReference() {
        const auto chat = chatGolden();
        const auto chatTemplate = ChatTemplate::parse(chat["template"].get<std::string>());
        const auto& render = chat["renders"][1];
        QCOMPARE(render["name"].get<std::string>(), std::string("user only"));
        const auto ids =
            encodePrompt(*smollm2(), chatTemplate->get(), DataSettings(), render["messages"][0]["content"]);
        QVERIFY(ids);
        QCOMPARE(*ids, render["ids"].get<std::vector<std::int32_t>>());
    }

    void everyAnswerOfAMistralChatIsLearned() {
        const auto chatTemplate = ChatTemplate::parse(mistral);
        const auto tokenizer =
            fromSentencePiece(golden / "legal.model", {{"bos_token", "<s>"}, {"eos_token", "</s>"}});
        QVERIFY(tokenizer);
        const RowEncoder encoder(tokenizer, *chatTemplate, DataSettings(), true);
        const Json turns =
            Json::parse(R"([{"role":"user","content":"May I copy it?"},{"role":"assistant","content":"Yes."},
            {"role":"user","content":"May I sell it?"},{"role":"assistant","content":"Yes, with the licence."}])");
        const auto outcome = encodeRow(encoder, {{"messages", turns}});
        const auto text = learned(*tokenizer, outcome);
        QVERIFY2(text.find("Yes.</s>") != std::string::npos, text.c_str());
        QVERIFY2(text.ends_with("Yes, with the licence.</s>"), text.c_str());
        QVERIFY(text.find("INST") == std::string::npos);
        const auto ids = idsOf(outcome.rows[0]);
        QCOMPARE(std::ranges::count(ids, tokenizer->bosId()), 1);
        QCOMPARE(ids.front(), tokenizer->bosId());
    }

    void aSentencePieceRowWithoutTemplate() {
        const auto tokenizer = fromSentencePiece(golden / "legal.model");
        const RowEncoder encoder(tokenizer, nullptr, DataSettings(), true);
        const auto outcome = encodeRow(encoder, {{"prompt", "May I copy it?"}, {"completion", " Yes."}});
        QVERIFY2(learned(*tokenizer, outcome).ends_with("Yes.</s>"), learned(*tokenizer, outcome).c_str());
        const auto ids = idsOf(outcome.rows[0]);
        QCOMPARE(std::ranges::count(ids, tokenizer->bosId()), 1);
        QCOMPARE(std::ranges::count(ids, tokenizer->eosId()), 1);
        const auto prompt = encodePrompt(*tokenizer, nullptr, DataSettings(), "May I copy it?");
        QVERIFY(prompt && prompt->size() < ids.size() &&
                std::equal(prompt->begin(), prompt->end(), ids.begin()));
    }

    void aModelFolderIsPrepared() {
        QTemporaryDir folder;
        qputenv("ANNEAL_CACHE_DIR", (folder.path() + "/cache").toUtf8());
        const auto file = fs::path(folder.path().toStdString()) / "rows.jsonl";
        QVERIFY(writeFileAtomic(file, R"({"question":"May I copy it?","answer":"Yes."})"));
        const auto model = openModel((golden / "tiny-llama").string());
        QVERIFY(model);
        RunConfig config;
        config.data.train = {{file.string(), "auto", 1.0}};
        config.data.validation = "0";
        const auto data = prepareData(config, **model, {}, CancelToken());
        QVERIFY2(data.ok(), data ? "" : data.error().text().c_str());
        QCOMPARE(data->train.rows(), std::size_t{1});
        const auto inspection = inspectData(config, **model, 0, 1, CancelToken());
        QVERIFY(inspection);
        QCOMPARE(inspection->rows[0].text,
                 std::string(
                     "<|im_start|>user\nMay I copy it?<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|>\n"));
        QCOMPARE(inspection->summary.supervised_tokens,
                 static_cast<std::int64_t>(data->train.supervisedTokens()));
        config.data.template_source = (fs::path(folder.path().toStdString()) / "none.jinja").string();
        QVERIFY(!prepareData(config, **model, {}, CancelToken()));
        QVERIFY(writeFileAtomic(config.data.template_source, "{% for m in messages %}"));
        const auto broken = prepareData(config, **model, {}, CancelToken());
        QVERIFY(!broken);
        QCOMPARE(broken.error().kind, ErrorKind::InvalidInput);
    }

private:
    std::shared_ptr<const Tokenizer> smollm2() {
        if (!smollm2_)
            smollm2_ = ofModel(ANNEAL_MODEL_GGUF);
        if (!smollm2_)
            qFatal("The demo model is not here: run tools/setup.");
        return smollm2_;
    }

    std::shared_ptr<const Tokenizer> smollm2_;
};

QTEST_GUILESS_MAIN(TestModelRows)
#include "test_model_rows.moc"
