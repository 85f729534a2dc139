#pragma once

namespace anneal {

/// Settings that libraries read once, at load: starts this program again with them when they are missing.
/// - OpenMP threads that wait must sleep soon: spinning ones starve every other process of the machine.
/// - Big buffers come from the heap and stay there, instead of being mapped and zeroed by the kernel each
/// time.
void setUpProcess(char** argv);

} // namespace anneal
