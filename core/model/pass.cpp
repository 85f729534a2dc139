#include "core/model/pass.h"

#include <algorithm>

namespace anneal {

DropoutPlan::DropoutPlan(const TokenBatch& batch, const DropoutKey& key, double probability)
    : batch_(batch), key_(key), threshold_(kernels::DropoutMask::thresholdFor(probability)) {
    documentOfRow_.resize(static_cast<std::size_t>(batch.cu_seqlens.back()));
    for (std::size_t document = 0; document + 1 < batch.cu_seqlens.size(); ++document)
        std::fill(documentOfRow_.begin() + batch.cu_seqlens[document],
                  documentOfRow_.begin() + batch.cu_seqlens[document + 1],
                  static_cast<std::int32_t>(document));
}

std::unique_ptr<DropoutPlan::ModuleMask> DropoutPlan::module(std::uint32_t index) const {
    auto made = std::make_unique<ModuleMask>();
    for (const auto document : batch_.document_keys)
        made->keys.push_back(kernels::dropoutKey(key_.seed, key_.step, document, index));
    made->mask = {made->keys, documentOfRow_.data(), batch_.positions.const_data_ptr<std::int64_t>(),
                  threshold_};
    return made;
}

} // namespace anneal
