# LibTorch as imported targets of our own: the wheel's own CMake package insists on a CUDA toolkit.
set(ANNEAL_DEPS_DIR "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH "Where tools/setup put LibTorch and the demo model")
set(ANNEAL_TORCH_DIR "${ANNEAL_DEPS_DIR}/torch/torch" CACHE PATH "Folder of the torch package")
if(NOT EXISTS "${ANNEAL_TORCH_DIR}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "LibTorch is not in ${ANNEAL_TORCH_DIR}: run tools/setup.")
endif()
foreach(lib c10 torch_cpu)
    add_library(Torch::${lib} SHARED IMPORTED)
    set_target_properties(Torch::${lib} PROPERTIES
        IMPORTED_LOCATION "${ANNEAL_TORCH_DIR}/lib/lib${lib}.so"
        INTERFACE_INCLUDE_DIRECTORIES
        "${ANNEAL_TORCH_DIR}/include;${ANNEAL_TORCH_DIR}/include/torch/csrc/api/include")
endforeach()
# The OpenMP runtime that the wheel brings: a process must not hold two. at::parallel_for is serial without -fopenmp.
add_library(Torch::openmp SHARED IMPORTED)
set_target_properties(Torch::openmp PROPERTIES
    IMPORTED_LOCATION "${ANNEAL_TORCH_DIR}/lib/libgomp.so.1" IMPORTED_NO_SONAME FALSE
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-fopenmp>")
add_library(Torch::cpu INTERFACE IMPORTED)
target_link_libraries(Torch::cpu INTERFACE Torch::torch_cpu Torch::c10 Torch::openmp)
target_compile_options(Torch::cpu INTERFACE -Wno-deprecated-declarations)
