#include "app/engine/process_setup.h"

#include <cstdlib>
#include <malloc.h>
#include <unistd.h>

namespace anneal {

namespace {

/// Iterations an OpenMP thread spins before it sleeps: some microseconds, enough to bridge two operations.
constexpr const char* spinCount = "20000";

} // namespace

void setUpProcess(char** argv) {
    ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    ::mallopt(M_TOP_PAD, 64 << 20);
    if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY"))
        return;
    ::setenv("GOMP_SPINCOUNT", spinCount, 1);
    ::execv("/proc/self/exe", argv); // on failure the program goes on with what it has
}

} // namespace anneal
