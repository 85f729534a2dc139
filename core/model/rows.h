#pragma once
#include "core/kernels/elementwise.h"

#include <ATen/core/Tensor.h>

// The kernels on two-dimensional tensors whose rows are contiguous, fp32 or bf16.

namespace anneal::rows {

template <class T>
T* data(const at::Tensor& tensor) {
    return static_cast<T*>(tensor.data_ptr());
}

/// Calls run(float{}) or run(kernels::Bf16{}).
template <class Run>
void byType(at::ScalarType type, Run run) {
    if (type == at::kFloat)
        run(float{});
    else
        run(kernels::Bf16{});
}

inline void rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, const at::Tensor& y,
                    const at::Tensor& rstd) {
    byType(y.scalar_type(), [&]<class T>(T) {
        kernels::rmsNormForward(data<float>(x), data<float>(weight), static_cast<float>(eps), x.size(0),
                                x.size(1), data<T>(y), y.stride(0), data<float>(rstd));
    });
}

inline void rmsNormRepeat(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& rstd,
                          const at::Tensor& y) {
    byType(y.scalar_type(), [&]<class T>(T) {
        kernels::rmsNormRepeat(data<float>(x), data<float>(weight), data<float>(rstd), x.size(0), x.size(1),
                               data<T>(y), y.stride(0));
    });
}

inline void rmsNormBackward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& rstd, const at::Tensor& dx) {
    byType(dy.scalar_type(), [&]<class T>(T) {
        kernels::rmsNormBackward(data<T>(dy), dy.stride(0), data<float>(x), data<float>(weight),
                                 data<float>(rstd), x.size(0), x.size(1), data<float>(dx));
    });
}

/// `out` may have columns to spare.
inline void swiglu(const at::Tensor& gateUp, const at::Tensor& out) {
    byType(gateUp.scalar_type(), [&]<class T>(T) {
        kernels::swigluForward(data<T>(gateUp), gateUp.size(0), gateUp.size(1) / 2, data<T>(out),
                               out.stride(0));
    });
}

inline void swigluBackward(const at::Tensor& dOut, const at::Tensor& gateUp) {
    byType(gateUp.scalar_type(), [&]<class T>(T) {
        kernels::swigluBackward(data<T>(dOut), dOut.stride(0), gateUp.size(0), gateUp.size(1) / 2,
                                data<T>(gateUp));
    });
}

inline void copy(const at::Tensor& from, const at::Tensor& to) {
    byType(from.scalar_type(), [&]<class F>(F) {
        byType(to.scalar_type(), [&]<class T>(T) {
            kernels::copyRows(data<F>(from), from.stride(0), from.size(0), from.size(1), data<T>(to),
                              to.stride(0));
        });
    });
}

/// to += from; `to` is fp32.
inline void add(const at::Tensor& from, const at::Tensor& to) {
    byType(from.scalar_type(), [&]<class F>(F) {
        kernels::addRows(data<F>(from), from.stride(0), from.size(0), from.size(1), data<float>(to),
                         to.stride(0));
    });
}

} // namespace anneal::rows
