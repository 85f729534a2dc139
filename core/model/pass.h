#pragma once
#include "core/kernels/dropout.h"
#include "core/model/decoder.h"
#include "core/model/workspace.h"

#include <memory>
#include <vector>

namespace anneal {

/// Dropout of one pass over a batch.
class DropoutPlan {
public:
    DropoutPlan(const TokenBatch& batch, const DropoutKey& key, double probability);

    /// The mask of one module, and the keys it refers to.
    struct ModuleMask {
        std::vector<std::uint64_t> keys;
        kernels::DropoutMask mask;
    };
    std::unique_ptr<ModuleMask> module(std::uint32_t index) const;

private:
    const TokenBatch& batch_;
    DropoutKey key_;
    std::uint32_t threshold_;
    std::vector<std::int32_t> documentOfRow_;
};

/// What every layer needs during one pass.
struct Pass {
    Workspace& saved;   ///< activations that backward reads
    Workspace& scratch; ///< what one operation needs
    at::ScalarType dtype = at::kFloat;
    double scaling = 1;                   ///< of LoRA
    bool adapter = true;                  ///< LoRA takes part
    const DropoutPlan* dropout = nullptr; ///< none outside training
};

} // namespace anneal
