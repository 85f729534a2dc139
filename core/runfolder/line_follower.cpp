#include "core/runfolder/file_tail.h"
#include "core/runfolder/run_folder.h"

#include <algorithm>

namespace anneal {

LineFollower LineFollower::fromTail(fs::path path, std::uint64_t tailBytes) {
    LineFollower follower(std::move(path));
    const auto size = fileSize(follower.path_);
    if (size > tailBytes) {
        follower.offset_ = size - tailBytes;
        follower.insideLongLine_ = true;
    }
    return follower;
}

std::vector<std::string> LineFollower::poll(std::size_t maxBytes) {
    for (;;) {
        const auto before = offset_;
        auto lines = pollWindow(maxBytes);
        if (!lines.empty() || offset_ == before)
            return lines;
    }
}

std::vector<std::string> LineFollower::pollWindow(std::size_t maxBytes) {
    std::vector<std::string> lines;
    const auto size = fileSize(path_);
    if (size < offset_) { // replaced by a shorter file
        offset_ = 0;
        insideLongLine_ = false;
    }
    if (size == offset_)
        return lines;
    const auto length = std::min<std::uint64_t>(maxBytes, size - offset_);
    const auto bytes = readRange(path_, offset_, static_cast<std::size_t>(length));
    std::string_view rest = bytes;
    for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
        if (insideLongLine_)
            insideLongLine_ = false;
        else
            lines.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    if (rest.size() == maxBytes) { // one line fills the whole window
        insideLongLine_ = true;
        rest = {};
    }
    offset_ += bytes.size() - rest.size();
    return lines;
}

std::vector<Json> JsonlFollower::poll(std::size_t maxBytes) {
    std::vector<Json> records;
    for (;;) {
        const auto lines = lines_.poll(maxBytes);
        for (const auto& line : lines)
            if (auto record = parseRecord(line))
                records.push_back(*std::move(record));
        if (lines.empty() || !records.empty())
            return records;
    }
}

} // namespace anneal
