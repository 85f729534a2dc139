#include "core/model/workspace.h"

#include <ATen/Functions.h>
#include <algorithm>

namespace anneal {

namespace {

constexpr std::size_t smallestChunk = std::size_t{16} << 20;

std::size_t sizeOf(const at::Tensor& chunk) { return static_cast<std::size_t>(chunk.numel()); }

at::Tensor makeChunk(std::size_t bytes) { return at::empty({static_cast<std::int64_t>(bytes)}, at::kByte); }

} // namespace

std::byte* Workspace::reserve(std::size_t bytes) {
    while (chunk_ < chunks_.size() && used_ + bytes > sizeOf(chunks_[chunk_])) {
        ++chunk_;
        used_ = 0;
    }
    if (chunk_ == chunks_.size())
        chunks_.push_back(makeChunk(std::max(bytes, smallestChunk)));
    auto* start = static_cast<std::byte*>(chunks_[chunk_].data_ptr()) + used_;
    used_ += bytes;
    return start;
}

at::Tensor Workspace::take(at::IntArrayRef sizes, at::ScalarType type) {
    const auto bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * c10::elementSize(type);
    return at::from_blob(reserve((bytes + 63) / 64 * 64), sizes, at::TensorOptions().dtype(type));
}

void Workspace::release(std::size_t chunk, std::size_t used) {
    chunk_ = chunk;
    used_ = used;
    if (chunk != 0 || used != 0 || chunks_.size() < 2)
        return;
    std::size_t total = 0;
    for (const auto& part : chunks_)
        total += sizeOf(part);
    chunks_.clear(); // before the larger one is made: both at once might not fit
    chunks_.push_back(makeChunk(total));
}

void Workspace::clear() {
    chunks_.clear();
    chunk_ = used_ = 0;
}

} // namespace anneal
