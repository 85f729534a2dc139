#pragma once
#include "core/model/decoder.h"

namespace anneal {

/// Keys and values of what was generated so far, one tensor pair a layer; made when the first tokens come.
class KvCache {
public:
    std::vector<std::pair<at::Tensor, at::Tensor>> layers; ///< fp32 [sequences, maxTokens, k columns]
    std::vector<std::int64_t> lengths;                     ///< tokens of each sequence
    std::int64_t maxTokens = 0;
};

/// Shapes agree, borders rise from 0 to T, ids and labels are inside the vocabulary.
Status checkBatch(const TokenBatch& batch, std::int64_t vocabulary);

/// Sequences exist and are named once, tokens fit into the cache and the vocabulary.
Status checkExtension(const KvCache& cache, const std::vector<std::int64_t>& rows,
                      const std::vector<std::vector<std::int32_t>>& ids, std::int64_t vocabulary);

} // namespace anneal
