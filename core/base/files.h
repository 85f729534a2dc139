#pragma once
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace anneal {

namespace fs = std::filesystem;

/// The whole file as bytes. Fails when it is missing, unreadable or larger than `maxBytes`.
Result<std::string> readFile(const fs::path& path, std::uint64_t maxBytes = 64u << 20);

/// Writes beside `path`, syncs and renames, so that a reader sees the old or the new content, never a part.
Status writeFileAtomic(const fs::path& path, std::string_view content, unsigned mode = 0600);

/// Makes `path` and its parents with mode 0700; an existing folder is kept as it is.
Status makePrivateFolder(const fs::path& path);

/// Free bytes for an ordinary user on the file system that holds `path` (or its nearest existing parent).
Result<std::uint64_t> freeBytes(const fs::path& path);

/// Sentence for errno-style failures: "Cannot ACTION PATH: reason."
Error fileError(std::string_view action, const fs::path& path, int errnoValue);

/// Seconds since the epoch of the last change, or 0 when the file is missing.
double modifiedSeconds(const fs::path& path);

/// Read-only memory map of a whole file; moves, never copies.
class MappedFile {
public:
    MappedFile() = default;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    static Result<MappedFile> open(const fs::path& path);

    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
    std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
    std::size_t size() const { return size_; }
    const fs::path& path() const { return path_; }

    /// Tells the kernel that this range is not needed again soon.
    void forget(std::size_t offset, std::size_t length) const;

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
    fs::path path_;
};

/// Appends whole lines to a file; ends a torn last line of an earlier writer first.
class LineAppender {
public:
    LineAppender() = default;
    LineAppender(LineAppender&& other) noexcept;
    LineAppender& operator=(LineAppender&& other) noexcept;
    ~LineAppender();

    static Result<LineAppender> open(const fs::path& path);

    /// One write(2) of the line and its newline.
    Status append(std::string_view line);

private:
    int descriptor_ = -1;
    fs::path path_;
};

/// An exclusive advisory lock on a file, released by destruction or by the end of the process.
class FileLock {
public:
    FileLock() = default;
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

    /// Fails at once when another process holds it.
    static Result<FileLock> tryLock(const fs::path& path);
    /// Nothing when another process holds it; an error when the file cannot be locked at all.
    static Result<std::optional<FileLock>> lockUnlessHeld(const fs::path& path);
    /// Waits for it.
    static Result<FileLock> lock(const fs::path& path);

private:
    int descriptor_ = -1;
};

} // namespace anneal
