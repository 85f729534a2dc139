#include "core/runfolder/run_folder.h"

#include "core/base/system.h"
#include "core/runfolder/file_tail.h"

#include <algorithm>
#include <limits>

namespace anneal {

namespace {

constexpr std::uint64_t firstTailBytes = 64u << 10;

std::optional<std::int64_t> sequenceNumber(std::string_view line) {
    const auto json = parseRecord(line);
    const auto found = json ? json->find("seq") : Json::const_iterator();
    if (!json || found == json->end() || !found->is_number_integer())
        return std::nullopt;
    return found->get<std::int64_t>();
}

/// The sequence number of the last good line in `text`; its first line may be cut off.
std::optional<std::int64_t> lastSequenceNumber(std::string_view text) {
    while (!text.empty()) {
        text.remove_suffix(text.back() == '\n' ? 1 : 0);
        const auto before = text.rfind('\n');
        if (const auto seq = sequenceNumber(before == text.npos ? text : text.substr(before + 1)))
            return seq;
        text = before == text.npos ? std::string_view() : text.substr(0, before + 1);
    }
    return std::nullopt;
}

/// Reads backwards in growing tails, so that a long file costs no more than a short one.
std::int64_t lastSequenceNumberOf(const fs::path& path) {
    const auto size = fileSize(path);
    for (std::uint64_t tail = firstTailBytes;; tail *= 8) {
        const auto length = std::min(tail, size);
        if (const auto seq =
                lastSequenceNumber(readRange(path, size - length, static_cast<std::size_t>(length))))
            return *seq;
        if (length == size)
            return 0;
    }
}

} // namespace

Result<EventWriter> EventWriter::open(const RunFolder& folder) {
    EventWriter writer;
    ANNEAL_TRY(writer.appender_, LineAppender::open(folder.events()));
    writer.nextSeq_ = lastSequenceNumberOf(folder.events()) + 1;
    return writer;
}

Status EventWriter::write(Event event) {
    const EventRecord record{unixSeconds(), nextSeq_, std::move(event)};
    ANNEAL_CHECK(appender_.append(dumpJson(toJson(record))));
    ++nextSeq_;
    return {};
}

std::optional<std::int64_t> eventStep(const Event& event) {
    return std::visit(
        [](const auto& e) -> std::optional<std::int64_t> {
            if constexpr (requires { e.step; })
                return e.step;
            else
                return std::nullopt;
        },
        event);
}

void dropSuperseded(std::vector<EventRecord>& records) {
    // From the end: what stands before a `resumed` may not go beyond the smallest step resumed from since.
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    auto kept = records.end();
    for (auto record = records.end(); record != records.begin();) {
        --record;
        const auto step = eventStep(record->event);
        const auto* resumed = std::get_if<ResumedEvent>(&record->event);
        if (!step || *step <= limit)
            if (--kept != record)
                *kept = std::move(*record);
        if (resumed)
            limit = std::min(limit, *step);
    }
    records.erase(records.begin(), kept);
}

Result<std::vector<EventRecord>> readEvents(const RunFolder& folder) {
    std::vector<EventRecord> records;
    JsonlFollower follower(folder.events());
    for (auto lines = follower.poll(); !lines.empty(); lines = follower.poll())
        for (const auto& line : lines)
            if (auto record = eventFromJson(line))
                records.push_back(*std::move(record));
    dropSuperseded(records);
    return records;
}

} // namespace anneal
