#pragma once
#include "core/base/result.h"

namespace anneal {

/// 0 done, 1 anything else, 2 invalid input, 3 the run failed, 4 stopped on request.
constexpr int exitCode(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::InvalidInput: return 2;
    case ErrorKind::RunFailed: return 3;
    case ErrorKind::Stopped: return 4;
    case ErrorKind::Failure: break;
    }
    return 1;
}

} // namespace anneal
