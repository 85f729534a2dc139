#pragma once
#include "core/base/files.h"

#include <span>

namespace anneal {

/// Writes a large file piece by piece beside `path`; finish() syncs and renames it there. Destroyed before
/// that, it leaves nothing behind.
class AtomicWriter {
public:
    AtomicWriter() = default;
    AtomicWriter(AtomicWriter&& other) noexcept;
    AtomicWriter& operator=(AtomicWriter&& other) noexcept;
    ~AtomicWriter();

    /// `size`: bytes that will be written; fails at once, saying how much is missing, when they do not fit.
    static Result<AtomicWriter> create(const fs::path& path, std::uint64_t size);

    Status write(std::span<const std::byte> bytes);
    Status write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
    Status finish();

private:
    int descriptor_ = -1;
    fs::path path_, temporary_;
};

} // namespace anneal
