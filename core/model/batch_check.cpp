#include "core/model/batch_check.h"

#include <algorithm>
#include <set>

namespace anneal {

namespace {

constexpr std::int64_t ignored = -100;

bool isTokens(const at::Tensor& tensor, std::int64_t count) {
    return tensor.defined() && tensor.scalar_type() == at::kLong && tensor.dim() == 1 &&
           tensor.size(0) == count && tensor.is_contiguous();
}

Error badToken(std::int64_t id, std::int64_t vocabulary) {
    return invalidInput("Token id " + std::to_string(id) + " is outside the model's vocabulary of " +
                            std::to_string(vocabulary) + ".",
                        "Use the tokenizer that belongs to the model.");
}

Error badBatch() {
    return {"A batch of tokens is inconsistent: ids, labels, positions and borders do not belong together.",
            "", ErrorKind::RunFailed};
}

} // namespace

Status checkBatch(const TokenBatch& batch, std::int64_t vocabulary) {
    const auto& borders = batch.cu_seqlens;
    if (borders.size() < 2 || borders.front() != 0 || !std::ranges::is_sorted(borders) ||
        batch.document_keys.size() + 1 != borders.size())
        return badBatch();
    const std::int64_t count = borders.back();
    for (const auto& tensor : {batch.input_ids, batch.labels, batch.positions})
        if (count == 0 || !isTokens(tensor, count))
            return badBatch();
    const auto *ids = batch.input_ids.const_data_ptr<std::int64_t>(),
               *labels = batch.labels.const_data_ptr<std::int64_t>();
    const auto* positions = batch.positions.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) {
        if (ids[i] < 0 || ids[i] >= vocabulary)
            return badToken(ids[i], vocabulary);
        if (labels[i] != ignored && (labels[i] < 0 || labels[i] >= vocabulary))
            return badToken(labels[i], vocabulary);
        if (positions[i] < 0 || positions[i] >= count)
            return badBatch();
    }
    return {};
}

Status checkExtension(const KvCache& cache, const std::vector<std::int64_t>& rows,
                      const std::vector<std::vector<std::int32_t>>& ids, std::int64_t vocabulary) {
    std::set<std::int64_t> seen;
    if (rows.empty() || rows.size() != ids.size())
        return badBatch();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || rows[i] >= static_cast<std::int64_t>(cache.lengths.size()) ||
            !seen.insert(rows[i]).second || ids[i].empty())
            return badBatch();
        if (cache.lengths[static_cast<std::size_t>(rows[i])] + static_cast<std::int64_t>(ids[i].size()) >
            cache.maxTokens)
            return invalidInput("A sequence grows beyond the " + std::to_string(cache.maxTokens) +
                                    " tokens set aside for it.",
                                "Lower max_new_tokens or shorten the prompt.");
        for (const auto id : ids[i])
            if (id < 0 || id >= vocabulary)
                return badToken(id, vocabulary);
    }
    return {};
}

} // namespace anneal
