#include "app/cli/terminal.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace anneal::cli {

namespace {

winsize sizeOf(std::FILE* stream) {
    winsize size{};
    if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return {24, 80, 0, 0};
    return size;
}

} // namespace

Terminal::Terminal(std::FILE* stream) : stream_(stream), interactive_(::isatty(::fileno(stream)) == 1) {}

int Terminal::columns() const { return sizeOf(stream_).ws_col; }
int Terminal::rows() const { return sizeOf(stream_).ws_row; }

void Terminal::clearWritten() {
    if (lineOpen_)
        std::fputs("\r\x1b[K", stream_);
    for (; writtenLines_ > 0; --writtenLines_)
        std::fputs("\x1b[A\x1b[2K", stream_);
    lineOpen_ = false;
}

void Terminal::rewriteLine(const std::string& text) {
    if (!interactive_)
        return;
    clearWritten();
    std::fputs(clipped(text, columns() - 1).c_str(), stream_);
    std::fflush(stream_);
    lineOpen_ = true;
}

void Terminal::print(const std::string& text) {
    if (interactive_)
        clearWritten();
    std::fprintf(stream_, "%s\n", text.c_str());
    std::fflush(stream_);
}

void Terminal::rewriteBlock(const std::string& text) {
    clearWritten();
    std::fputs(text.c_str(), stream_);
    std::fflush(stream_);
    writtenLines_ = static_cast<int>(std::ranges::count(text, '\n'));
}

std::string barText(double share, int width) {
    const int inside = std::max(1, width - 2);
    const int filled = std::clamp(static_cast<int>(share * inside + 0.5), 0, inside);
    return "[" + std::string(static_cast<std::size_t>(filled), '#') +
           std::string(static_cast<std::size_t>(inside - filled), '-') + "]";
}

std::string clipped(std::string_view text, int columns) {
    std::size_t end = 0;
    for (int used = 0; end < text.size(); ++end) {
        const bool startsCharacter = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
        if (startsCharacter && ++used > columns)
            break;
    }
    return std::string(text.substr(0, end));
}

} // namespace anneal::cli
