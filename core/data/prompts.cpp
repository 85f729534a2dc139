#include "core/data/prepare_with.h"
#include "core/data/row_stream.h"

namespace anneal {

Result<std::vector<std::int32_t>> encodePrompt(const Tokenizer& tokenizer, const ChatTemplate* chatTemplate,
                                               const DataSettings& data, const std::string& prompt) {
    const RowRenderer renderer(tokenizer, chatTemplate, data);
    const Json messages = Json::array({Json{{"role", "user"}, {"content", prompt}}});
    ANNEAL_TRY(const auto rendered, renderer.renderPrompt(messages, nullptr));
    auto ids = encodeOpen(tokenizer, rendered.text, rendered.addSpecial).ids;
    if (ids.empty())
        return invalidInput("The prompt is empty.", "Give some text.");
    return ids;
}

Result<std::vector<EvaluationRow>> readEvaluationRowsWith(const RunConfig& config, const DataTools& tools,
                                                          const std::string& path, std::int64_t maxRows) {
    const RowEncoder encoder(tools.tokenizer, tools.chatTemplate, config.data, true);
    ANNEAL_TRY(auto stream, RowStream::open({path, "auto", 1.0}));
    std::vector<EvaluationRow> rows;
    std::int64_t records = 0;
    const auto visit = [&](StreamedRecord record) -> Result<bool> {
        ++records;
        for (auto& row : record.outcome.rows) {
            if (row.answerBegin == 0)
                continue; // a plain text has no prompt
            EvaluationRow evaluation{{}, std::move(row.prompt), std::move(row.answer)};
            for (std::size_t i = 0; i < row.answerBegin; ++i)
                evaluation.prompt_ids.push_back(static_cast<std::int32_t>(tokenId(row.tokens[i])));
            rows.push_back(std::move(evaluation));
        }
        return maxRows <= 0 || static_cast<std::int64_t>(rows.size()) < maxRows;
    };
    ANNEAL_CHECK(stream.run(
        encoder, dataThreads(config.hardware.threads), CancelToken(), [](std::uint64_t) {}, visit));
    if (records == 0)
        return emptyFile(path);
    if (rows.empty())
        return invalidInput(path + " has no row with a prompt and an answer.",
                            "Metrics of answers need such rows.");
    return rows;
}

Result<std::vector<EvaluationRow>> readEvaluationRows(const RunConfig& config, const ModelSource& model,
                                                      const std::string& path, std::int64_t maxRows) {
    ANNEAL_TRY(const auto tools, openDataTools(model, config.data));
    return readEvaluationRowsWith(config, tools, path, maxRows);
}

} // namespace anneal
