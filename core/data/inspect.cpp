#include "core/base/system.h"
#include "core/data/data_report.h"
#include "core/data/prepare_with.h"
#include "core/data/row_stream.h"

#include <algorithm>

namespace anneal {

namespace {

InspectedRow inspectedRow(const std::string& file, std::int64_t line, EncodedRow row) {
    InspectedRow inspected{file, line, std::move(row.text), {}, {}, row.truncatedTokens};
    for (const auto token : row.tokens) {
        const auto id = static_cast<std::int32_t>(tokenId(token));
        inspected.input_ids.push_back(id);
        inspected.labels.push_back(isSupervised(token) ? id : -100);
    }
    return inspected;
}

/// Numbers of a detected file: exact for small ones, else by the size of its first records.
constexpr std::uint64_t countedBytes = 64u << 20;

struct RowCount {
    std::int64_t rows = 0;
    bool estimated = false;
};

Result<RowCount> countRows(RecordReader& reader) {
    RowCount count;
    for (;;) {
        ANNEAL_TRY(const auto record, reader.next());
        if (!record)
            return count;
        count.rows += record->first; // pieces of a text are one document
        if (reader.bytesRead() > countedBytes) {
            count.estimated = true;
            const double share =
                static_cast<double>(reader.bytes()) / static_cast<double>(reader.bytesRead());
            count.rows = static_cast<std::int64_t>(static_cast<double>(count.rows) * share);
            return count;
        }
    }
}

/// Field names of the first readable records, in their order.
Result<Json> fieldNames(RecordReader& reader) {
    constexpr int recordsLookedAt = 20;
    Json names = Json::array();
    for (int i = 0; i < recordsLookedAt; ++i) {
        ANNEAL_TRY(const auto record, reader.next());
        if (!record)
            break;
        const auto row = reader.parse(*record);
        if (row && row->is_object())
            for (const auto& [name, value] : row->items())
                if (std::ranges::find(names, Json(name)) == names.end())
                    names.push_back(name);
    }
    return names;
}

} // namespace

Result<Inspection> inspectDataWith(const RunConfig& config, const DataTools& tools, std::int64_t first,
                                   std::int64_t count, const CancelToken& cancel) {
    const RowEncoder encoder(tools.tokenizer, tools.chatTemplate, config.data, true);
    Inspection inspection;
    DataReport report;
    for (const auto& source : config.data.train) {
        ANNEAL_TRY(auto stream, RowStream::open(source));
        std::int64_t records = 0;
        const auto visit = [&](StreamedRecord record) -> Result<bool> {
            ++records;
            auto row = report.summary().rows;
            report.add(source.path, record.line, record.outcome);
            for (auto& encoded : record.outcome.rows)
                if (const auto index = row++; index >= first && index < first + count)
                    inspection.rows.push_back(inspectedRow(source.path, record.line, std::move(encoded)));
            return true;
        };
        ANNEAL_CHECK(stream.run(
            encoder, dataThreads(config.hardware.threads), cancel, [](std::uint64_t) {}, visit));
        if (records == 0)
            return emptyFile(source.path);
    }
    ANNEAL_CHECK(report.checkNotEmpty(config.data));
    inspection.summary = report.summary();
    return inspection;
}

Result<Inspection> inspectData(const RunConfig& config, const ModelSource& model, std::int64_t first,
                               std::int64_t count, const CancelToken& cancel) {
    ANNEAL_TRY(const auto tools, openDataTools(model, config.data));
    return inspectDataWith(config, tools, first, count, cancel);
}

Json toJson(const Inspection& inspection) {
    Json rows = Json::array();
    for (const auto& row : inspection.rows)
        rows.push_back({{"source", {{"file", row.file}, {"line", row.line}}},
                        {"text", row.text},
                        {"input_ids", row.input_ids},
                        {"labels", row.labels},
                        {"truncated_tokens", row.truncated_tokens}});
    return {{"rows", std::move(rows)}, {"summary", toJson(inspection.summary)}};
}

Result<Json> detectData(const std::string& path) {
    ANNEAL_TRY(const auto names, RecordReader::open(path));
    ANNEAL_TRY(const auto counted, RecordReader::open(path));
    ANNEAL_TRY(const auto columns, fieldNames(*names));
    ANNEAL_TRY(const auto count, countRows(*counted));
    if (count.rows == 0)
        return emptyFile(path);
    const auto format = detectFileFormat(path);
    return Json{{"format", format ? Json(rowFormatName(format->format)) : Json(nullptr)},
                {"reason", format ? format->reason : format.error().text()},
                {"columns", columns},
                {"rows", count.rows},
                {"estimated", count.estimated},
                {"kind", fileKindName(counted->kind())},
                {"bytes", counted->bytes()}};
}

} // namespace anneal
