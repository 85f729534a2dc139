#include "ui/client/line_splitter.h"

#include <utility>

namespace anneal {

void LineSplitter::append(const QByteArray& bytes) {
    if (start_ > 0) {
        buffer_.remove(0, start_);
        searched_ -= start_;
        start_ = 0;
    }
    buffer_.append(bytes);
}

std::optional<QByteArray> LineSplitter::next() {
    const auto end = buffer_.indexOf('\n', searched_);
    if (end < 0) {
        searched_ = buffer_.size();
        return std::nullopt;
    }
    const auto first = std::exchange(start_, end + 1);
    searched_ = end + 1;
    return buffer_.mid(first, end - first);
}

bool LineSplitter::overflown() const { return static_cast<std::size_t>(buffer_.size() - start_) > maxLine_; }

void LineSplitter::clear() {
    buffer_.clear();
    start_ = searched_ = 0;
}

} // namespace anneal
