#include "core/run/event_recorder.h"

#include <cstdio>

namespace anneal {

void EventRecorder::write(Event event) {
    const std::lock_guard lock(mutex_);
    auto writer = EventWriter::open(folder_);
    const auto written = writer ? writer->write(std::move(event)) : Status(writer.error());
    if (!written)
        std::fprintf(stderr, "%s\n", written.error().text().c_str());
}

} // namespace anneal
