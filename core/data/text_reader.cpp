#include "core/base/text.h"
#include "core/data/record_reader.h"

#include <algorithm>

namespace anneal {

namespace {

/// Where to cut `text` at or before `limit`: after the last blank line, else line, else space, else
/// character.
std::size_t cutPlace(std::string_view text, std::size_t limit) {
    const auto window = text.substr(0, limit);
    for (const std::string_view border : {"\n\n", "\r\n\r\n", "\n", " "}) {
        const auto at = window.rfind(border);
        if (at != std::string_view::npos && at > limit / 2)
            return at + border.size();
    }
    std::size_t at = limit;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        --at;
    return at > 0 ? at : limit;
}

class TextReader : public RecordReader {
public:
    TextReader(std::string path, MappedFile file, std::size_t pieceBytes)
        : RecordReader(FileKind::Text, std::move(path), std::move(file)), pieceBytes_(pieceBytes) {}

    Result<std::optional<RawRecord>> next() override {
        const auto left = text().substr(position_);
        if (trim(left).empty())
            return std::optional<RawRecord>();
        const auto size = left.size() <= pieceBytes_ ? left.size() : cutPlace(left, pieceBytes_);
        const RawRecord record{left.substr(0, size), line_, 1, number_ == 0, trim(left.substr(size)).empty()};
        number_ = 1;
        line_ += std::ranges::count(record.bytes, '\n');
        advanceTo(position_ + size);
        return std::optional(record);
    }

    Result<Json> parse(const RawRecord& record) const override {
        if (const auto bad = findInvalidUtf8(record.bytes)) {
            const auto line = record.line + std::ranges::count(record.bytes.substr(0, *bad), '\n');
            return invalidInput("Not UTF-8: line " + std::to_string(line) +
                                    " holds a byte that is part of no character.",
                                "Save the file as UTF-8.");
        }
        return Json{{"text", withUnixLineEnds(record.bytes)}};
    }

private:
    static std::string withUnixLineEnds(std::string_view text) {
        std::string clean;
        clean.reserve(text.size());
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] != '\r' || text.substr(i + 1, 1) != "\n")
                clean += text[i];
        return clean;
    }

    std::size_t pieceBytes_;
};

} // namespace

std::unique_ptr<RecordReader> makeTextReader(std::string path, MappedFile file, std::size_t pieceBytes) {
    return std::make_unique<TextReader>(std::move(path), std::move(file), pieceBytes);
}

} // namespace anneal
