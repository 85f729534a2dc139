#pragma once
#include "core/base/result.h"

#include <ATen/core/Tensor.h>
#include <memory>

namespace anneal {

/// What the ranks of a run say to each other. Every rank calls the same methods in the same order.
class Communicator {
public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;
    virtual int worldSize() const = 0;
    /// Sums `tensor` over all ranks in place; every rank ends with the same bits.
    virtual Status allReduceSum(at::Tensor& tensor) = 0;
    virtual Status barrier() = 0;
};

/// A run of one rank: sums are what they are.
class SingleRank final : public Communicator {
public:
    int rank() const override { return 0; }
    int worldSize() const override { return 1; }
    Status allReduceSum(at::Tensor&) override { return {}; }
    Status barrier() override { return {}; }
};

/// The communicator that torchrun's environment (RANK, WORLD_SIZE, ...) asks for.
Result<std::unique_ptr<Communicator>> communicatorFromEnvironment();

} // namespace anneal
