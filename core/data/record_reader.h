#pragma once
#include "core/base/json.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace anneal {

enum class FileKind { Jsonl, Json, Csv, Text };
const char* fileKindName(FileKind kind);

/// A record as its bytes in the mapped file, not parsed yet; valid as long as the reader.
struct RawRecord {
    std::string_view bytes;
    std::int64_t line = 0;   ///< 1-based line on which it begins
    std::int64_t number = 0; ///< 1-based
    /// A document of plain text may come in several pieces; all other records are first and last.
    bool first = true, last = true;
};

/// Cuts a data file into records. next() is for one thread and fast, it only finds borders; parse() may be
/// called from many threads at once. Memory does not grow with the file.
///
/// JSONL: one value a line, split at \n only. JSON: the elements of an array, or values one after the other.
/// CSV: RFC 4180 with a header; tab and semicolon are found as separators. Plain text and Markdown: the whole
/// file is one document, \r\n read as \n; a large one comes in pieces cut at a blank line.
class RecordReader {
public:
    virtual ~RecordReader();
    RecordReader(const RecordReader&) = delete;
    RecordReader& operator=(const RecordReader&) = delete;

    /// The kind is told from name and content. Errors: missing, a folder, binary or compressed, UTF-16.
    static Result<std::unique_ptr<RecordReader>> open(const std::string& path);

    /// Nothing at the end. An error means that the rest cannot be read (an array that never ends).
    virtual Result<std::optional<RawRecord>> next() = 0;
    /// The value of a record: an object in any good file. The error says what is wrong, without file and
    /// line.
    virtual Result<Json> parse(const RawRecord& record) const = 0;

    FileKind kind() const { return kind_; }
    const std::string& path() const { return path_; }
    std::uint64_t bytes() const { return file_.size(); }
    std::uint64_t bytesRead() const { return position_; }
    /// Names of the columns where the file has a header.
    virtual std::vector<std::string> columns() const { return {}; }

protected:
    RecordReader(FileKind kind, std::string path, MappedFile file);

    std::string_view text() const { return file_.text(); }
    /// Goes to `position`; pages far behind are given back.
    void advanceTo(std::size_t position);
    std::string place(std::int64_t line) const { return path_ + ", line " + std::to_string(line); }

    MappedFile file_;
    std::size_t position_ = 0;
    std::int64_t line_ = 1, number_ = 0;

private:
    FileKind kind_;
    std::string path_;
    std::size_t forgotten_ = 0;
};

/// JSON of one record with a reason that fits a list of rejected rows: bad syntax, bad UTF-8, too deep, too
/// long.
Result<Json> parseRecordJson(std::string_view text);

std::unique_ptr<RecordReader> makeJsonlReader(std::string path, MappedFile file);
std::unique_ptr<RecordReader> makeJsonReader(std::string path, MappedFile file);
Result<std::unique_ptr<RecordReader>> makeCsvReader(std::string path, MappedFile file);
/// `pieceBytes`: a document longer than this is cut.
std::unique_ptr<RecordReader> makeTextReader(std::string path, MappedFile file,
                                             std::size_t pieceBytes = 4 << 20);

} // namespace anneal
