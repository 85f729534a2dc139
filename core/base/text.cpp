#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace anneal {

namespace {

std::string withoutUnderscores(std::string_view text) {
    std::string digits(text);
    std::erase(digits, '_');
    if (digits.starts_with('+'))
        digits.erase(0, 1);
    return digits;
}

template <class T>
std::optional<T> parseWhole(std::string_view text) {
    const std::string digits = withoutUnderscores(text);
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
        return std::nullopt;
    return value;
}

std::string fixed(double value, int decimals) {
    char buffer[64];
    const auto result =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
    return {buffer, result.ptr};
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

/// Length of the valid UTF-8 sequence at the start of `text`, or 0 (Unicode 15, table 3-7).
std::size_t utf8SequenceLength(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
        return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
        return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

} // namespace

std::optional<double> parseDouble(std::string_view text) { return parseWhole<double>(text); }
std::optional<std::int64_t> parseInteger(std::string_view text) { return parseWhole<std::int64_t>(text); }

std::string formatDouble(double value) {
    if (std::isnan(value))
        return ".nan";
    if (std::isinf(value))
        return value > 0 ? ".inf" : "-.inf";
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string text(buffer, result.ptr);
    const auto exponent = text.find('e');
    if (text.find('.') == std::string::npos) // YAML 1.1 readers take 1e-05 for a string
        text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
    return text;
}

std::string formatBytes(double bytes) {
    static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1024 && unit + 1 < std::size(units)) {
        bytes /= 1024;
        ++unit;
    }
    return fixed(bytes, unit == 0 || std::abs(bytes) >= 100 ? 0 : 1) + " " + units[unit];
}

std::string formatCount(std::int64_t count) {
    std::string digits = std::to_string(count);
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3;
         place > static_cast<std::ptrdiff_t>(first); place -= 3)
        digits.insert(static_cast<std::size_t>(place), ",");
    return digits;
}

std::string formatDuration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0)
        return "-";
    if (seconds < 60)
        return fixed(seconds, seconds < 10 ? 1 : 0) + " s";
    const auto whole = std::llround(seconds);
    const auto twoDigits = [](long long value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    if (whole < 3600)
        return std::to_string(whole / 60) + " min " + twoDigits(whole % 60) + " s";
    if (whole < 100 * 3600)
        return std::to_string(whole / 3600) + " h " + twoDigits(whole % 3600 / 60) + " min";
    return std::to_string(whole / 86400) + " d " + std::to_string(whole % 86400 / 3600) + " h";
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i != 0)
            text += separator;
        text += parts[i];
    }
    return text;
}

std::string lowerAscii(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    const std::string wanted = lowerAscii(word);
    std::optional<std::string> best;
    std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        const auto distance = editDistance(wanted, lowerAscii(candidate));
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::optional<std::size_t> findInvalidUtf8(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        const auto length = utf8SequenceLength(text.substr(offset));
        if (length == 0)
            return offset;
        offset += length;
    }
    return std::nullopt;
}

} // namespace anneal
