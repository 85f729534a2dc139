#include "core/data/row_stream.h"

#include "core/base/text.h"
#include "core/data/worker_pool.h"

#include <algorithm>
#include <array>
#include <deque>
#include <sched.h>

namespace anneal {

namespace {

constexpr int recordsLookedAt = 64;
/// A piece of work: large enough that handing it over costs nothing beside tokenizing it.
constexpr std::size_t batchBytes = 128 << 10, batchRecords = 256;

std::string seenFields(const Json& row) {
    std::string fields;
    for (const auto& [name, value] : row.items())
        fields += (fields.empty() ? "" : ", ") + name;
    return fields;
}

Result<ParsedRow> parseRecord(const RecordReader& reader, RowFormat format, const RawRecord& record) {
    ANNEAL_TRY(const auto value, reader.parse(record));
    return parseRow(value, format);
}

RowOutcome encodeRecord(const RecordReader& reader, RowFormat format, const RowEncoder& encoder,
                        const RawRecord& record) {
    RowOutcome outcome;
    try {
        const auto row = parseRecord(reader, format, record);
        if (row)
            return encoder.encode(*row, record);
        outcome.rejection = {RejectCause::Broken, row.error().text()};
    } catch (const std::exception& error) { // of the libraries below: one bad row must not end the work
        outcome.rejection = {RejectCause::Broken,
                             std::string("The row could not be read: ") + error.what() + "."};
    }
    return outcome;
}

/// Lets the first records of a file vote for its format.
class FormatPoll {
public:
    void add(const Result<Json>& value, std::int64_t line) {
        ++records_;
        if (!value) {
            if (broken_.empty())
                broken_ = "line " + std::to_string(line) + ": " + value.error().text();
        } else if (auto format = detectFormat(*value)) {
            const auto index = static_cast<std::size_t>(format->format);
            ++votes_[index];
            found_[index] = std::move(*format);
        } else if (fields_.empty() && value->is_object()) {
            fields_ = seenFields(*value);
        }
    }

    Result<DetectedFormat> result(const std::string& path, const std::string& kind) const {
        const auto most = std::ranges::max_element(votes_);
        if (*most > 0)
            return found_[static_cast<std::size_t>(most - votes_.begin())];
        if (records_ == 0)
            return emptyFile(path);
        if (!fields_.empty())
            return invalidInput(path + " has no known format: its rows have the fields " + fields_ + ".",
                                "Rows need " + knownFields() + ".");
        if (!broken_.empty())
            return invalidInput(path + ", " + broken_,
                                "Not one of its first rows could be read; check that it is " + kind + ".");
        return invalidInput(path + " has rows that are no objects with fields.",
                            "Rows need " + knownFields() + ".");
    }

private:
    std::array<int, 6> votes_{};
    std::array<DetectedFormat, 6> found_{};
    std::string fields_, broken_;
    int records_ = 0;
};

} // namespace

Error emptyFile(const std::string& path) {
    return invalidInput(path + " has no rows.", "Give a file with at least one row.");
}

Error preparingStopped() { return {"Preparing the data was stopped.", "", ErrorKind::Stopped}; }

unsigned dataThreads(const std::string& setting) {
    if (const auto count = parseInteger(setting); count && *count > 0)
        return static_cast<unsigned>(std::min<std::int64_t>(*count, 256));
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    return static_cast<unsigned>(std::clamp(CPU_COUNT(&allowed), 1, 64));
}

Result<DetectedFormat> detectFileFormat(const std::string& path) {
    ANNEAL_TRY(const auto reader, RecordReader::open(path));
    if (reader->kind() == FileKind::Text)
        return DetectedFormat{RowFormat::Text, "a file of plain text"};
    FormatPoll poll;
    for (int i = 0; i < recordsLookedAt; ++i) {
        ANNEAL_TRY(const auto record, reader->next());
        if (!record)
            break;
        poll.add(reader->parse(*record), record->line);
    }
    return poll.result(path, fileKindName(reader->kind()));
}

Result<RowStream> RowStream::open(const DataSource& source) {
    RowStream stream;
    if (const auto wanted = rowFormatFromName(source.format)) {
        stream.format_ = {*wanted, "as configured"};
    } else {
        ANNEAL_TRY(stream.format_, detectFileFormat(source.path));
    }
    ANNEAL_TRY(stream.reader_, RecordReader::open(source.path));
    return stream;
}

Status RowStream::run(const RowEncoder& encoder, unsigned threads, const CancelToken& cancel,
                      const Progress& progress, const Visitor& visit) {
    using Batch = std::vector<StreamedRecord>;
    std::optional<Error> endError; // told after the records before it
    bool more = true;
    const auto readBatch = [&] {
        auto records = std::make_shared<std::vector<RawRecord>>();
        for (std::size_t bytes = 0; more && bytes < batchBytes && records->size() < batchRecords;) {
            auto record = reader_->next();
            if (!record)
                endError = std::move(record).error();
            more = record && *record;
            if (more) {
                bytes += (*record)->bytes.size();
                records->push_back(**record);
            }
        }
        return records;
    };
    const auto encodeBatch = [&](const std::vector<RawRecord>& records) {
        Batch batch;
        for (const auto& record : records)
            batch.push_back({record.line, encodeRecord(*reader_, format_.format, encoder, record)});
        return batch;
    };
    WorkerPool<Batch> pool(threads); // ends before what its work refers to
    while (more || pool.pending() > 0) {
        if (cancel.cancelled())
            return preparingStopped();
        while (more && pool.pending() < 2 * std::size_t{threads} + 1)
            pool.submit([records = readBatch(), &encodeBatch] { return encodeBatch(*records); });
        for (auto& record : pool.takeFirst()) {
            ANNEAL_TRY(const bool goOn, visit(std::move(record)));
            if (!goOn)
                return {};
        }
        progress(reader_->bytesRead());
    }
    if (endError)
        return *endError;
    return {};
}

} // namespace anneal
