#pragma once
#include <ATen/core/Tensor.h>
#include <cstddef>
#include <vector>

namespace anneal {

/// A stack of tensors over memory that lives on from step to step: taking costs no page faults and no locks.
/// Tensors are 64-byte aligned, uninitialised, and valid until what was taken before them is released.
class Workspace {
public:
    at::Tensor take(at::IntArrayRef sizes, at::ScalarType type);

    /// Releases on destruction what was taken since construction.
    class Scope {
    public:
        explicit Scope(Workspace& workspace)
            : workspace_(workspace), chunk_(workspace.chunk_), used_(workspace.used_) {}
        ~Scope() { workspace_.release(chunk_, used_); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Workspace& workspace_;
        std::size_t chunk_, used_;
    };

    /// Gives the memory back to the system.
    void clear();

private:
    void release(std::size_t chunk, std::size_t used);
    std::byte* reserve(std::size_t bytes);

    std::vector<at::Tensor> chunks_;
    std::size_t chunk_ = 0; ///< the one that is being filled
    std::size_t used_ = 0;  ///< bytes of it
};

} // namespace anneal
