#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace anneal::cli {

/// What a stream can show. Widths are in columns.
class Terminal {
public:
    explicit Terminal(std::FILE* stream);
    bool interactive() const { return interactive_; }
    int columns() const;
    int rows() const;
    std::FILE* stream() const { return stream_; }

    /// Replaces the line that the last call wrote; only on an interactive stream.
    void rewriteLine(const std::string& text);
    /// A whole line that stays, in place of a rewritten one.
    void print(const std::string& text);
    /// Replaces everything that the last call wrote.
    void rewriteBlock(const std::string& text);

private:
    void clearWritten();

    std::FILE* stream_;
    bool interactive_;
    int writtenLines_ = 0; ///< lines that the next rewrite goes back over
    bool lineOpen_ = false;
};

/// "[#####-----]" of `width` columns.
std::string barText(double share, int width);

/// At most `columns` columns of `text`.
std::string clipped(std::string_view text, int columns);

} // namespace anneal::cli
