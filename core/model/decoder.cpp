#include "core/model/decoder.h"

#include "core/model/batch_check.h"
#include "core/model/decoder_impl.h"

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <new>

namespace anneal {

namespace {

Error outOfMemory() {
    return {"The memory of this machine is not enough for this batch.",
            "Lower training.per_device_batch_size or data.max_length, or turn "
            "training.gradient_checkpointing on.",
            ErrorKind::RunFailed};
}

/// The one place where exceptions of LibTorch become results.
template <class Run>
auto guarded(Run run) -> decltype(run()) {
    try {
        const c10::InferenceMode inference;
        return run();
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    } catch (const c10::OutOfMemoryError&) {
        return outOfMemory();
    } catch (const c10::Error& error) {
        const std::string what = error.what_without_backtrace();
        if (what.find("allocate memory") != std::string::npos)
            return outOfMemory();
        return Error{"LibTorch reports: " + what, "Please report this with the run's log.",
                     ErrorKind::RunFailed};
    } catch (const std::exception& error) {
        return Error{std::string("The model failed: ") + error.what() + ".",
                     "Please report this with the run's log.", ErrorKind::RunFailed};
    }
}

/// A copy that callers may change: tensors made here are inference tensors.
at::Tensor forCaller(const at::Tensor& tensor) {
    const c10::InferenceMode ordinary(false);
    return tensor.clone();
}

} // namespace

Decoder::Decoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Decoder::~Decoder() = default;

Result<std::unique_ptr<Decoder>> Decoder::load(std::shared_ptr<const ModelSource> source,
                                               const DecoderOptions& options, const Progress& progress,
                                               const CancelToken& cancel) {
    return guarded([&]() -> Result<std::unique_ptr<Decoder>> {
        ANNEAL_TRY(auto impl, Impl::load(std::move(source), options, progress, cancel));
        return std::unique_ptr<Decoder>(new Decoder(std::move(impl)));
    });
}

const ModelConfig& Decoder::config() const { return impl_->config; }
LoraParameters& Decoder::lora() { return impl_->lora; }
const LoraParameters& Decoder::lora() const { return impl_->lora; }

Result<LossSum> Decoder::forwardBackward(const TokenBatch& batch, double gradScale, const DropoutKey& key) {
    return guarded([&]() -> Result<LossSum> {
        ANNEAL_CHECK(checkBatch(batch, impl_->config.vocab_size));
        return impl_->forwardBackward(batch, gradScale, key);
    });
}

Result<LossSum> Decoder::evaluate(const TokenBatch& batch) {
    return guarded([&]() -> Result<LossSum> {
        ANNEAL_CHECK(checkBatch(batch, impl_->config.vocab_size));
        return impl_->evaluate(batch);
    });
}

Result<at::Tensor> Decoder::logits(const TokenBatch& batch) {
    return guarded([&]() -> Result<at::Tensor> {
        ANNEAL_CHECK(checkBatch(batch, impl_->config.vocab_size));
        return forCaller(impl_->logits(batch));
    });
}

std::shared_ptr<KvCache> Decoder::makeCache(std::int64_t sequences, std::int64_t maxTokens) const {
    auto cache = std::make_shared<KvCache>();
    cache->lengths.assign(static_cast<std::size_t>(sequences), 0);
    cache->maxTokens = maxTokens;
    cache->layers.resize(impl_->layers.size());
    return cache;
}

Result<at::Tensor> Decoder::extend(KvCache& cache, const std::vector<std::int64_t>& rows,
                                   const std::vector<std::vector<std::int32_t>>& ids) {
    return guarded([&]() -> Result<at::Tensor> {
        ANNEAL_CHECK(checkExtension(cache, rows, ids, impl_->config.vocab_size));
        return forCaller(impl_->extend(cache, rows, ids));
    });
}

void Decoder::setAdapterEnabled(bool enabled) { impl_->adapterEnabled = enabled; }

std::int64_t Decoder::totalParameters() const { return impl_->config.totalParameters(); }

std::int64_t Decoder::baseBytes() const {
    std::int64_t total = impl_->head.bytes();
    for (const auto& layer : impl_->layers)
        total += layer.bytes();
    return total;
}

} // namespace anneal
