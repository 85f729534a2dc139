#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// Where a piece of text lies in the input, in bytes.
struct TextRange {
    std::size_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
    std::size_t size() const { return end - begin; }
};

/// Text on its way through normalization, with the input bytes that each of its bytes stems from.
class MappedText {
public:
    /// The input itself, or a stretch of it that starts at `base`.
    explicit MappedText(std::string_view text, std::size_t base = 0) : view_(text), base_(base) {}

    std::string_view text() const { return mapped_ ? std::string_view(storage_) : view_; }
    /// Input bytes behind bytes [begin, end) of text().
    TextRange origin(std::size_t begin, std::size_t end) const;
    MappedText slice(std::size_t begin, std::size_t end) const;

private:
    friend class MappedTextBuilder;
    std::string_view view_;
    std::size_t base_ = 0;
    bool mapped_ = false;
    std::string storage_;
    std::vector<std::uint32_t> begins_, ends_;
};

/// Collects a changed text piece by piece; `from` has to outlive it.
class MappedTextBuilder {
public:
    explicit MappedTextBuilder(const MappedText& from) : from_(from) {}
    /// Copies bytes [begin, end) as they are.
    void keep(std::size_t begin, std::size_t end);
    /// Puts `text` in the place of bytes [begin, end); an empty range inserts.
    void replace(std::size_t begin, std::size_t end, std::string_view text);
    MappedText finish();

private:
    const MappedText& from_;
    MappedText made_{{}};
};

/// Length of the UTF-8 character at `at`, of text that is valid UTF-8.
std::size_t characterLength(std::string_view text, std::size_t at);
char32_t characterAt(std::string_view text, std::size_t at);
/// Unicode White_Space.
bool isSpace(char32_t character);

/// Invalid UTF-8 becomes U+FFFD, one for each maximal part that could not be continued, as Python and Rust do
/// it.
std::string replaceInvalidUtf8(std::string_view bytes);
/// The same with the mapping back; nullopt when all of the text is valid.
std::optional<MappedText> mapInvalidUtf8(std::string_view bytes);

/// GPT-2's spelling of a byte as a printable character.
std::string_view byteSpelling(std::uint8_t byte);
/// "Ġthe" -> " the"; nullopt when a character spells no byte.
std::optional<std::string> bytesFromSpelling(std::string_view spelling);

} // namespace anneal
