#pragma once
#include "core/base/cancel.h"
#include "core/data/row_encoder.h"

#include <functional>

namespace anneal {

/// A record after encoding, with its place in the file.
struct StreamedRecord {
    std::int64_t line = 0;
    RowOutcome outcome;
};

/// The rows of one data file, in file order, encoded on several threads.
class RowStream {
public:
    /// Opens the file and settles its format: the wanted one, or by the fields of its first records.
    static Result<RowStream> open(const DataSource& source);

    const DetectedFormat& format() const { return format_; }
    const RecordReader& reader() const { return *reader_; }

    /// Takes records in their order; returns false to end early.
    using Visitor = std::function<Result<bool>(StreamedRecord)>;
    /// Bytes of the file that were read.
    using Progress = std::function<void(std::uint64_t)>;

    /// Memory is bounded by `threads`. Errors: of the file's end, of the visitor, Stopped.
    Status run(const RowEncoder& encoder, unsigned threads, const CancelToken& cancel,
               const Progress& progress, const Visitor& visit);

private:
    std::unique_ptr<RecordReader> reader_;
    DetectedFormat format_{RowFormat::Text, ""};
};

/// The format of a file by most of its first records.
Result<DetectedFormat> detectFileFormat(const std::string& path);

/// Threads by hardware.threads: a number, or auto for the processors that this process may use.
unsigned dataThreads(const std::string& setting);

Error preparingStopped();
Error emptyFile(const std::string& path);

} // namespace anneal
