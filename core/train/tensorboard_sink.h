#pragma once
#include "core/runfolder/tensorboard.h"
#include "core/train/sink.h"

namespace anneal {

/// The scalars of a run as TensorBoard event files beside it.
class TensorBoardSink final : public EventSink {
public:
    explicit TensorBoardSink(TensorBoardWriter writer) : writer_(std::move(writer)) {}
    void emit(const Event& event) override;

private:
    TensorBoardWriter writer_;
};

} // namespace anneal
