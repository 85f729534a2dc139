#pragma once
#include "core/protocol/serve.h"

#include <QByteArray>

#include <optional>

namespace anneal {

/// Cuts a stream of bytes into lines; holds at most one unfinished line of bounded length.
class LineSplitter {
public:
    explicit LineSplitter(std::size_t maxLine = maxServeLine) : maxLine_(maxLine) {}

    void append(const QByteArray& bytes);
    /// The next whole line without its end, or nullopt.
    std::optional<QByteArray> next();
    /// A line is longer than allowed; nothing sensible can follow.
    bool overflown() const;
    void clear();

private:
    std::size_t maxLine_;
    QByteArray buffer_;
    qsizetype start_ = 0;    ///< of the current line in the buffer
    qsizetype searched_ = 0; ///< no line end before this place
};

} // namespace anneal
