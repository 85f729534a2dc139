#include "core/modelfile/atomic_writer.h"

#include "core/base/text.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace anneal {

namespace {

Status checkSpace(const fs::path& path, std::uint64_t size) {
    ANNEAL_TRY(const auto available, freeBytes(path));
    if (available >= size)
        return {};
    return failure("Cannot write " + path.string() + ": it takes " + formatBytes(static_cast<double>(size)) +
                       " and " + formatBytes(static_cast<double>(available)) + " are free.",
                   "Free " + formatBytes(static_cast<double>(size - available)) +
                       " or write to another disk.");
}

} // namespace

AtomicWriter::AtomicWriter(AtomicWriter&& other) noexcept { *this = std::move(other); }

AtomicWriter& AtomicWriter::operator=(AtomicWriter&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    std::swap(temporary_, other.temporary_);
    return *this;
}

AtomicWriter::~AtomicWriter() {
    if (descriptor_ < 0)
        return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

Result<AtomicWriter> AtomicWriter::create(const fs::path& path, std::uint64_t size) {
    static std::atomic<unsigned> counter{0};
    ANNEAL_CHECK(checkSpace(path, size));
    AtomicWriter writer;
    writer.path_ = path;
    writer.temporary_ = path.parent_path() / ("." + path.filename().string() + "." +
                                              std::to_string(::getpid()) + "." + std::to_string(++counter));
    writer.descriptor_ = ::open(writer.temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (writer.descriptor_ < 0)
        return fileError("write", path, errno);
    return writer;
}

Status AtomicWriter::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fileError("write", path_, errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Status AtomicWriter::finish() {
    if (::fsync(descriptor_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0)
        return fileError("write", path_, errno);
    ::close(std::exchange(descriptor_, -1));
    return {};
}

} // namespace anneal
