#include "core/base/text.h"
#include "core/data/record_reader.h"

#include <algorithm>

namespace anneal {

namespace {

/// A record of CSV: where it ends (past its line end), or that a quoted field never ends.
struct CsvExtent {
    std::size_t end = 0;
    bool closed = true;
};

/// A quote opens a field only at its start, and is doubled inside (RFC 4180).
CsvExtent csvExtent(std::string_view text, std::size_t at, char separator) {
    bool fieldStart = true;
    for (std::size_t i = at; i < text.size(); ++i) {
        if (text[i] == '"' && fieldStart) {
            for (++i; i < text.size() && (text[i] != '"' || text.substr(i + 1, 1) == "\""); ++i)
                i += text[i] == '"';
            if (i >= text.size())
                return {i, false};
            fieldStart = false;
        } else if (text[i] == '\n') {
            return {i + 1, true};
        } else {
            fieldStart = text[i] == separator;
        }
    }
    return {text.size(), true};
}

/// One field of a record, the quotes taken off; moves `at` past its separator.
std::string csvField(std::string_view record, std::size_t& at, char separator) {
    std::string value;
    if (at < record.size() && record[at] == '"') {
        for (++at; at < record.size(); ++at) {
            if (record[at] == '"' && record.substr(++at, 1) != "\"")
                break;
            value += record[at];
        }
    }
    const auto end = std::min(record.find(separator, at), record.size());
    value += record.substr(at, end - at);
    at = end + 1;
    return value;
}

std::vector<std::string> csvFields(std::string_view record, char separator) {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= record.size();)
        fields.push_back(csvField(record, at, separator));
    return fields;
}

std::string_view withoutLineEnd(std::string_view record) {
    if (record.ends_with('\n'))
        record.remove_suffix(1);
    if (record.ends_with('\r'))
        record.remove_suffix(1);
    return record;
}

/// The separator that splits the header most often.
char findSeparator(std::string_view header) {
    const std::string_view candidates = ",\t;";
    return *std::ranges::max_element(candidates, {}, [&](char c) { return std::ranges::count(header, c); });
}

class CsvReader : public RecordReader {
public:
    CsvReader(std::string path, MappedFile file)
        : RecordReader(FileKind::Csv, std::move(path), std::move(file)) {}

    Status readHeader() {
        separator_ = findSeparator(text().substr(position_, text().find('\n', position_) - position_));
        ANNEAL_TRY(const auto header, next());
        if (!header)
            return {};
        columns_ = csvFields(header->bytes, separator_);
        for (auto& column : columns_)
            column = trim(column);
        number_ = 0;
        auto sorted = columns_;
        std::ranges::sort(sorted);
        const auto twice = std::ranges::adjacent_find(sorted);
        if (twice != sorted.end())
            return invalidInput(place(header->line) + ": the header names the column \"" + *twice +
                                    "\" twice.",
                                "The first line must name each column once.");
        return {};
    }

    Result<std::optional<RawRecord>> next() override {
        while (position_ < text().size()) {
            const auto extent = csvExtent(text(), position_, separator_);
            if (!extent.closed)
                return invalidInput(place(line_) +
                                        ": a quoted field of the record that begins here never ends.",
                                    "Close the quote; a quote inside a field is written twice.");
            const auto bytes = text().substr(position_, extent.end - position_);
            const auto line = line_;
            line_ += std::ranges::count(bytes, '\n');
            advanceTo(extent.end);
            if (!trim(bytes).empty())
                return std::optional(RawRecord{withoutLineEnd(bytes), line, ++number_});
        }
        return std::optional<RawRecord>();
    }

    Result<Json> parse(const RawRecord& record) const override {
        if (const auto bad = findInvalidUtf8(record.bytes))
            return invalidInput("Not UTF-8: byte " + std::to_string(*bad + 1) +
                                    " of the row is part of no character.",
                                "Save the file as UTF-8.");
        auto fields = csvFields(record.bytes, separator_);
        if (fields.size() != columns_.size())
            return invalidInput("The row has " + std::to_string(fields.size()) +
                                    " fields where the header names " + std::to_string(columns_.size()) +
                                    " columns.",
                                "Put quotes around fields that hold the separator.");
        Json row = Json::object();
        for (std::size_t i = 0; i < fields.size(); ++i)
            row.push_back({columns_[i], std::move(fields[i])});
        return row;
    }

    std::vector<std::string> columns() const override { return columns_; }

private:
    char separator_ = ',';
    std::vector<std::string> columns_;
};

} // namespace

Result<std::unique_ptr<RecordReader>> makeCsvReader(std::string path, MappedFile file) {
    auto reader = std::make_unique<CsvReader>(std::move(path), std::move(file));
    ANNEAL_CHECK(reader->readHeader());
    return std::unique_ptr<RecordReader>(std::move(reader));
}

} // namespace anneal
