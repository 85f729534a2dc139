#include "core/base/files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace anneal {

namespace {

/// Owns a descriptor for the length of a function.
class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0)
            ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return value_; }
    bool valid() const { return value_ >= 0; }

private:
    int value_;
};

int openRetrying(const fs::path& path, int flags, mode_t mode = 0600) {
    int descriptor;
    do
        descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/// 0 or errno.
int writeAll(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const auto written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

Result<std::uint64_t> regularFileSize(const Descriptor& file, const fs::path& path) {
    struct stat info {};
    if (::fstat(file.get(), &info) != 0)
        return fileError("read", path, errno);
    if (S_ISDIR(info.st_mode))
        return invalidInput("Cannot read " + path.string() + ": it is a folder.", "Give the path of a file.");
    return static_cast<std::uint64_t>(info.st_size);
}

} // namespace

Error fileError(std::string_view action, const fs::path& path, int errnoValue) {
    std::string message =
        "Cannot " + std::string(action) + " " + path.string() + ": " + std::strerror(errnoValue) + ".";
    switch (errnoValue) {
    case ENOENT: return invalidInput(std::move(message), "Check the path.");
    case EACCES: return invalidInput(std::move(message), "Check the permissions.");
    case ENOSPC: return failure(std::move(message), "Free disk space and try again.");
    default: return failure(std::move(message));
    }
}

Result<std::string> readFile(const fs::path& path, std::uint64_t maxBytes) {
    const Descriptor file(openRetrying(path, O_RDONLY));
    if (!file.valid())
        return fileError("read", path, errno);
    ANNEAL_TRY(const auto size, regularFileSize(file, path));
    if (size > maxBytes)
        return invalidInput("Cannot read " + path.string() + ": it has " + std::to_string(size) +
                                " bytes, more than the limit of " + std::to_string(maxBytes) + ".",
                            "Give the right file.");
    std::string content;
    char buffer[1 << 16];
    for (;;) { // sizes of /proc files read as 0, so read to the end
        const auto got = ::read(file.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fileError("read", path, errno);
        if (got == 0)
            return content;
        content.append(buffer, static_cast<std::size_t>(got));
        if (content.size() > maxBytes)
            return invalidInput("Cannot read " + path.string() + ": it is larger than the limit of " +
                                std::to_string(maxBytes) + " bytes.");
    }
}

Status writeFileAtomic(const fs::path& path, std::string_view content, unsigned mode) {
    static std::atomic<unsigned> counter{0};
    const fs::path temporary =
        path.parent_path() /
        ("." + path.filename().string() + "." + std::to_string(::getpid()) + "." + std::to_string(++counter));
    int error = 0;
    {
        const Descriptor file(openRetrying(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode));
        if (!file.valid())
            return fileError("write", path, errno);
        error = writeAll(file.get(), content);
        if (error == 0 && ::fsync(file.get()) != 0)
            error = errno;
    }
    if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
        error = errno;
    if (error != 0) {
        ::unlink(temporary.c_str());
        return fileError("write", path, error);
    }
    return {};
}

Status makePrivateFolder(const fs::path& path) {
    std::error_code ignored;
    if (path.empty() || fs::is_directory(path, ignored))
        return {};
    ANNEAL_CHECK(makePrivateFolder(path.parent_path()));
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return fileError("create folder", path, errno);
    return {};
}

Result<std::uint64_t> freeBytes(const fs::path& path) {
    fs::path existing = fs::absolute(path);
    std::error_code ignored;
    while (!fs::exists(existing, ignored) && existing.has_relative_path())
        existing = existing.parent_path();
    struct statvfs info {};
    if (::statvfs(existing.c_str(), &info) != 0)
        return fileError("read the free space of", existing, errno);
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

double modifiedSeconds(const fs::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        return 0;
    return static_cast<double>(info.st_mtim.tv_sec) + 1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(path_, other.path_);
    return *this;
}

MappedFile::~MappedFile() {
    if (data_)
        ::munmap(data_, size_);
}

Result<MappedFile> MappedFile::open(const fs::path& path) {
    const Descriptor file(openRetrying(path, O_RDONLY));
    if (!file.valid())
        return fileError("read", path, errno);
    ANNEAL_TRY(const auto size, regularFileSize(file, path));
    MappedFile map;
    map.path_ = path;
    if (size == 0)
        return map;
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (data == MAP_FAILED)
        return fileError("map", path, errno);
    map.data_ = data;
    map.size_ = size;
    return map;
}

void MappedFile::forget(std::size_t offset, std::size_t length) const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = (offset + page - 1) / page * page;
    const auto end = std::min(offset + length, size_) / page * page;
    if (data_ && begin < end)
        ::madvise(static_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

LineAppender::LineAppender(LineAppender&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

LineAppender& LineAppender::operator=(LineAppender&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    return *this;
}

LineAppender::~LineAppender() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

Result<LineAppender> LineAppender::open(const fs::path& path) {
    LineAppender appender;
    appender.path_ = path;
    appender.descriptor_ = openRetrying(path, O_RDWR | O_CREAT | O_APPEND);
    if (appender.descriptor_ < 0)
        return fileError("write", path, errno);
    const auto end = ::lseek(appender.descriptor_, 0, SEEK_END);
    char last = '\n';
    if (end > 0 && ::pread(appender.descriptor_, &last, 1, end - 1) == 1 && last != '\n')
        ANNEAL_CHECK(appender.append(""));
    return appender;
}

Status LineAppender::append(std::string_view line) {
    std::string whole(line);
    whole += '\n';
    if (const int error = writeAll(descriptor_, whole))
        return fileError("write", path_, error);
    return {};
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

FileLock::~FileLock() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

namespace {

/// A negative number when `operation` does not wait and another process holds the lock.
Result<int> lockFile(const fs::path& path, int operation) {
    const int descriptor = openRetrying(path, O_RDWR | O_CREAT);
    if (descriptor < 0)
        return fileError("lock", path, errno);
    while (::flock(descriptor, operation) != 0) {
        if (errno == EINTR)
            continue;
        const int error = errno;
        ::close(descriptor);
        if (error == EWOULDBLOCK)
            return -1;
        return fileError("lock", path, error);
    }
    return descriptor;
}

} // namespace

Result<FileLock> FileLock::tryLock(const fs::path& path) {
    ANNEAL_TRY(auto lock, lockUnlessHeld(path));
    if (!lock)
        return failure(path.string() + " is locked by another process.", "Wait until it ends, or stop it.");
    return *std::move(lock);
}

Result<std::optional<FileLock>> FileLock::lockUnlessHeld(const fs::path& path) {
    FileLock lock;
    ANNEAL_TRY(lock.descriptor_, lockFile(path, LOCK_EX | LOCK_NB));
    return lock.descriptor_ < 0 ? std::nullopt : std::optional(std::move(lock));
}

Result<FileLock> FileLock::lock(const fs::path& path) {
    FileLock lock;
    ANNEAL_TRY(lock.descriptor_, lockFile(path, LOCK_EX));
    return lock;
}

} // namespace anneal
