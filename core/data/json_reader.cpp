#include "core/base/text.h"
#include "core/data/record_reader.h"

#include <algorithm>
#include <cstring>

namespace anneal {

namespace {

class JsonlReader : public RecordReader {
public:
    JsonlReader(std::string path, MappedFile file)
        : RecordReader(FileKind::Jsonl, std::move(path), std::move(file)) {}

    Result<std::optional<RawRecord>> next() override {
        while (position_ < text().size()) {
            // Only \n ends a line: U+2028 and its like are characters inside strings.
            const auto end = std::min(text().find('\n', position_), text().size());
            const auto bytes = trim(text().substr(position_, end - position_));
            advanceTo(std::min(end + 1, text().size()));
            const auto line = line_++;
            if (!bytes.empty())
                return std::optional(RawRecord{bytes, line, ++number_});
        }
        return std::optional<RawRecord>();
    }

    Result<Json> parse(const RawRecord& record) const override { return parseRecordJson(record.bytes); }
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Where the value that begins at `at` ends, or npos when the text ends inside it. Brackets are counted,
/// strings are passed over; whether the inside is JSON is found out by parsing.
std::size_t endOfValue(std::string_view text, std::size_t at) {
    int depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\';
            if (i >= text.size())
                return std::string_view::npos;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return i; // the bracket of what stands around
            --depth;
        } else if (depth == 0 && (c == ',' || isSpace(c))) {
            return i;
        } else {
            continue;
        }
        if (depth == 0)
            return i + 1;
    }
    return depth == 0 ? text.size() : std::string_view::npos;
}

/// Elements of an array, or values that stand one after the other.
class JsonReader : public RecordReader {
public:
    JsonReader(std::string path, MappedFile file)
        : RecordReader(FileKind::Json, std::move(path), std::move(file)) {
        skipSpace();
        if (position_ < text().size() && text()[position_] == '[') {
            inArray_ = true;
            ++position_;
        }
    }

    Result<std::optional<RawRecord>> next() override {
        skipSpace();
        if (inArray_ && position_ < text().size() && text()[position_] == ']') {
            inArray_ = false;
            ++position_;
            skipSpace();
        }
        if (position_ >= text().size())
            return inArray_ ? unfinished("array") : std::optional<RawRecord>();
        const auto end =
            std::max(endOfValue(text(), position_), position_ + 1); // a stray bracket is a record
        if (end == std::string_view::npos)
            return unfinished("record that begins here");
        const RawRecord record{text().substr(position_, end - position_), line_, ++number_};
        line_ += std::ranges::count(record.bytes, '\n');
        advanceTo(end);
        return std::optional(record);
    }

    Result<Json> parse(const RawRecord& record) const override { return parseRecordJson(record.bytes); }

private:
    void skipSpace() {
        for (; position_ < text().size() &&
               (isSpace(text()[position_]) || (inArray_ && text()[position_] == ','));
             ++position_)
            line_ += text()[position_] == '\n';
    }

    Result<std::optional<RawRecord>> unfinished(const std::string& inside) const {
        return invalidInput(place(line_) + " (record " + std::to_string(number_ + 1) +
                                "): the file ends inside the " + inside + ".",
                            "Complete the file; perhaps a copy was cut short.");
    }

    bool inArray_ = false;
};

} // namespace

std::unique_ptr<RecordReader> makeJsonlReader(std::string path, MappedFile file) {
    return std::make_unique<JsonlReader>(std::move(path), std::move(file));
}

std::unique_ptr<RecordReader> makeJsonReader(std::string path, MappedFile file) {
    return std::make_unique<JsonReader>(std::move(path), std::move(file));
}

} // namespace anneal
