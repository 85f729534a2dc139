#include "core/data/record_reader.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace anneal {

namespace {

constexpr std::size_t keptBehind = 128u << 20, forgetEvery = 64u << 20;
constexpr std::size_t maxRecordBytes = 256u << 20;

struct Magic {
    std::string_view bytes, name;
};
constexpr std::array<Magic, 7> foreign = {{{"PAR1", "a Parquet file"},
                                           {"ARROW1", "an Arrow file"},
                                           {"\x1F\x8B", "compressed with gzip"},
                                           {"\x28\xB5\x2F\xFD", "compressed with zstd"},
                                           {"PK\x03\x04", "a ZIP archive"},
                                           {"%PDF", "a PDF file"},
                                           {"GGUF", "a model file"}}};

/// Refuses what no reader here understands, by its first bytes.
Status checkReadable(const std::string& path, std::string_view text) {
    const std::string fix = "Give it as JSONL, JSON, CSV or plain text in UTF-8.";
    for (const auto& magic : foreign)
        if (text.starts_with(magic.bytes))
            return invalidInput("Cannot read " + path + ": it is " + std::string(magic.name) + ".", fix);
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return invalidInput("Cannot read " + path + ": it is encoded in UTF-16.", "Save it as UTF-8.");
    if (text.substr(0, 4096).find('\0') != std::string_view::npos)
        return invalidInput("Cannot read " + path + ": it is a binary file.", fix);
    return {};
}

std::string_view withoutBom(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    return text;
}

/// An object that ends on the line on which it begins: then each line is a record.
bool startsWithWholeLine(std::string_view text) {
    const auto line = trim(text.substr(0, text.find('\n')));
    return line.size() >= 2 && line.front() == '{' && line.back() == '}';
}

FileKind kindOfJson(std::string_view text) {
    return text.starts_with('{') && startsWithWholeLine(text) ? FileKind::Jsonl : FileKind::Json;
}

bool looksLikeArray(std::string_view text) {
    if (!text.starts_with('['))
        return false;
    const auto inside = trim(text.substr(1, 256));
    return inside.empty() || inside.front() == '{' || inside.front() == ']';
}

FileKind kindOf(const std::string& path, std::string_view text) {
    const auto extension = lowerAscii(fs::path(path).extension().string());
    text = trim(withoutBom(text.substr(0, 1 << 20)));
    if (extension == ".csv" || extension == ".tsv")
        return FileKind::Csv;
    if (extension == ".txt" || extension == ".md" || extension == ".markdown" || extension == ".text")
        return FileKind::Text;
    if (extension == ".jsonl" || extension == ".ndjson")
        return looksLikeArray(text) ? FileKind::Json : FileKind::Jsonl;
    if (extension == ".json" || text.starts_with('{') || looksLikeArray(text))
        return kindOfJson(text);
    return FileKind::Text;
}

} // namespace

const char* fileKindName(FileKind kind) {
    switch (kind) {
    case FileKind::Jsonl: return "JSONL";
    case FileKind::Json: return "JSON";
    case FileKind::Csv: return "CSV";
    case FileKind::Text: return "plain text";
    }
    return "";
}

RecordReader::RecordReader(FileKind kind, std::string path, MappedFile file)
    : file_(std::move(file)), position_(text().size() - withoutBom(text()).size()), kind_(kind),
      path_(std::move(path)) {}

RecordReader::~RecordReader() = default;

Result<std::unique_ptr<RecordReader>> RecordReader::open(const std::string& path) {
    ANNEAL_TRY(auto file, MappedFile::open(path));
    ANNEAL_CHECK(checkReadable(path, file.text()));
    switch (kindOf(path, file.text())) {
    case FileKind::Jsonl: return makeJsonlReader(path, std::move(file));
    case FileKind::Json: return makeJsonReader(path, std::move(file));
    case FileKind::Csv: return makeCsvReader(path, std::move(file));
    case FileKind::Text: break;
    }
    return makeTextReader(path, std::move(file));
}

void RecordReader::advanceTo(std::size_t position) {
    position_ = position;
    if (position_ > forgotten_ + keptBehind + forgetEvery) {
        file_.forget(forgotten_, forgetEvery);
        forgotten_ += forgetEvery;
    }
}

Result<Json> parseRecordJson(std::string_view text) {
    if (text.size() > maxRecordBytes)
        return invalidInput("The row has " + formatBytes(static_cast<double>(text.size())) +
                            ", more than the limit of " + formatBytes(static_cast<double>(maxRecordBytes)) +
                            ".");
    auto value = parseJson(text, "the row");
    if (value)
        return value;
    if (const auto bad = findInvalidUtf8(text))
        return invalidInput("Not UTF-8: byte " + std::to_string(*bad + 1) +
                                " of the row is part of no character.",
                            "Save the file as UTF-8.");
    return std::move(value).error();
}

} // namespace anneal
