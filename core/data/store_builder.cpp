#include "core/data/store_builder.h"

#include "core/base/hash.h"
#include "core/base/system.h"
#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr double reportEverySeconds = 0.25;

std::uint64_t sizeOf(const std::string& path) {
    std::error_code ignored;
    const auto size = fs::file_size(path, ignored);
    return ignored ? 0 : size;
}

RowKeys keysOf(const EncodedRow& row, std::uint64_t group) {
    return {group, hash64({reinterpret_cast<const char*>(row.tokens.data()),
                           row.tokens.size() * sizeof(std::uint32_t)})};
}

/// Copies the rows on one side of a split, source by source.
Status copyRows(const TokenStore& from, const std::vector<bool>& heldOut, bool side, TokenStoreWriter& to) {
    std::size_t row = 0;
    for (const auto& source : from.sources()) {
        for (; row < source.end; ++row)
            if (heldOut[row] == side)
                ANNEAL_CHECK(to.add(from.row(row)));
        to.endSource(source.path, source.weight);
    }
    return {};
}

} // namespace

StoreBuilder::StoreBuilder(const RunConfig& config, const DataTools& tools, std::string fingerprint,
                           const PrepareCallback& progress, const CancelToken& cancel)
    : config_(config), fingerprint_(std::move(fingerprint)), progress_(progress), cancel_(cancel),
      encoder_(tools.tokenizer, tools.chatTemplate, config.data, false),
      threads_(dataThreads(config.hardware.threads)) {
    for (const auto& source : config.data.train)
        totalBytes_ += sizeOf(source.path);
}

void StoreBuilder::report(const std::string& phase, std::int64_t done, std::int64_t total,
                          const std::string& unit) {
    const double now = monotonicSeconds();
    const bool complete = done >= total;
    if (!progress_ || (complete ? complete_ == phase : now - lastReport_ < reportEverySeconds))
        return;
    lastReport_ = now;
    complete_ = complete ? phase : "";
    progress_({phase, done, total, unit});
}

Status StoreBuilder::build(const fs::path& folder) {
    const auto share = parseDouble(config_.data.validation);
    const bool splits = share && *share > 0;
    if (!share)
        totalBytes_ += sizeOf(config_.data.validation);
    const auto first = folder / (splits ? "all" : "train");
    ANNEAL_TRY(auto writer, TokenStoreWriter::create(first, !splits));
    ANNEAL_TRY(const auto written, writeSources(config_.data.train, writer, splits));
    ANNEAL_CHECK(written.report.checkNotEmpty(config_.data));
    ANNEAL_CHECK(writer.finish(summary(written)));
    if (splits)
        return split(first, folder, written, *share);
    if (!share)
        return writeValidationFile(folder / "validation");
    ANNEAL_TRY(auto empty, TokenStoreWriter::create(folder / "validation"));
    return empty.finish(summary(Written{}));
}

Result<StoreBuilder::Written> StoreBuilder::writeSources(const std::vector<DataSource>& sources,
                                                         TokenStoreWriter& writer, bool keepKeys) {
    Written written;
    for (const auto& source : sources)
        ANNEAL_CHECK(writeSource(source, writer, written, keepKeys));
    return written;
}

Status StoreBuilder::writeSource(const DataSource& source, TokenStoreWriter& writer, Written& written,
                                 bool keepKeys) {
    ANNEAL_TRY(auto stream, RowStream::open(source));
    const auto rowsBefore = writer.rows();
    std::int64_t records = 0;
    const auto visit = [&](StreamedRecord record) -> Result<bool> {
        ++records;
        written.report.add(source.path, record.line, record.outcome);
        for (const auto& row : record.outcome.rows) {
            ANNEAL_CHECK(writer.add(row.tokens));
            if (keepKeys)
                written.keys.push_back(keysOf(row, record.outcome.groupKey));
        }
        return true;
    };
    const auto progress = [&](std::uint64_t bytes) {
        report("tokenizing", static_cast<std::int64_t>(bytesBefore_ + bytes),
               static_cast<std::int64_t>(totalBytes_), "bytes");
    };
    ANNEAL_CHECK(stream.run(encoder_, threads_, cancel_, progress, visit));
    if (records == 0)
        return emptyFile(source.path);
    writer.endSource(source.path, source.weight);
    bytesBefore_ += stream.reader().bytes();
    written.sources.push_back({{"path", source.path},
                               {"kind", fileKindName(stream.reader().kind())},
                               {"format", rowFormatName(stream.format().format)},
                               {"reason", stream.format().reason},
                               {"records", records},
                               {"rows", writer.rows() - rowsBefore}});
    return {};
}

Status StoreBuilder::split(const fs::path& all, const fs::path& folder, const Written& written,
                           double share) {
    const auto heldOut =
        chooseValidation(written.keys, share, static_cast<std::uint64_t>(config_.training.seed));
    const auto rows = static_cast<std::int64_t>(heldOut.size());
    report("writing", 0, rows, "rows");
    ANNEAL_TRY(const auto store, TokenStore::open(all));
    for (const bool side : {false, true}) {
        ANNEAL_TRY(auto writer, TokenStoreWriter::create(folder / (side ? "validation" : "train")));
        ANNEAL_CHECK(copyRows(store, heldOut, side, writer));
        ANNEAL_CHECK(writer.finish(summary(written)));
    }
    report("writing", rows, rows, "rows");
    std::error_code ignored;
    fs::remove_all(all, ignored);
    return {};
}

Status StoreBuilder::writeValidationFile(const fs::path& folder) {
    ANNEAL_TRY(auto writer, TokenStoreWriter::create(folder));
    ANNEAL_TRY(const auto written, writeSources({{config_.data.validation, "auto", 1.0}}, writer, false));
    auto nonEmpty = written.report.checkNotEmpty(config_.data);
    if (!nonEmpty.ok()) {
        nonEmpty.error().message = "The validation data cannot be used: " + nonEmpty.error().message;
        return nonEmpty;
    }
    return writer.finish(summary(written));
}

/// What is known before a split: rows, tokens and supervised tokens are set to those of the store by its
/// writer.
Json StoreBuilder::summary(const Written& written) const {
    auto summary = toJson(written.report.summary());
    summary["truncated_tokens"] = written.report.truncatedTokens();
    summary["lost_bytes"] = written.report.lostBytes();
    summary["fingerprint"] = fingerprint_;
    summary["max_length"] = config_.data.max_length;
    summary["sources"] = written.sources;
    return summary;
}

} // namespace anneal
