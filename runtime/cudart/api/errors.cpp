// Errors, versions, and the profiler, which has nothing to do.
#include "runtime/cudart/state.h"

namespace hone::cudart {
extern "C" {

cudaError_t cudaGetLastError() { return last_error(/*forgets=*/true); }

cudaError_t cudaPeekAtLastError() { return last_error(/*forgets=*/false); }

const char* cudaGetErrorName(cudaError_t error) { return name_of_error(error); }

const char* cudaGetErrorString(cudaError_t error) { return text_of_error(error); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call_always([&](State&) { *given(version) = CUDART_VERSION; });
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaProfilerStart() { return cudaSuccess; }

cudaError_t cudaProfilerStop() { return cudaSuccess; }
}  // extern "C"

}  // namespace hone::cudart
