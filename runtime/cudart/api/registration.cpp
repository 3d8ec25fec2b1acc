// The functions that the code of nvcc calls, before main() and for each `<<< >>>`.
#include "runtime/cudart/launches.h"

namespace hone::cudart {
namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

thread_local std::vector<CallConfiguration> configurations;

Binary& binary_of(void** handle) { return *reinterpret_cast<Binary*>(handle); }

}  // namespace
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  State& state = State::of_process();
  const std::lock_guard lock(state.mutex);
  return reinterpret_cast<void**>(&state.binaries.add(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  State& state = State::of_process();
  const std::lock_guard lock(state.mutex);
  state.binaries.add_kernel(binary_of(handle), host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t, int, int) {
  State& state = State::of_process();
  const std::lock_guard lock(state.mutex);
  state.binaries.add_variable(binary_of(handle), host, name, nullptr);
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t, int,
                              int) {
  State& state = State::of_process();
  const std::lock_guard lock(state.mutex);
  state.binaries.add_variable(binary_of(handle), host, name, host);
}

char __cudaInitModule(void**) {
  call_always([](State& state) { state.binaries.place_managed(state.memory); });
  return 1;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration configuration = configurations.back();
  configurations.pop_back();
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return call_always([&](State& state) { *given(kernel) = &state.binaries.kernel(function); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
}  // extern "C"

}  // namespace hone::cudart
