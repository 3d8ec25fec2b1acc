// The sum of floats by CUB, in a library that gpu_bench opens with --cub.
#include <cub/device/device_reduce.cuh>

/// S = the sum of A, on the default stream, without waiting. If `workspace` is null it tells how
/// many bytes that must have, and does nothing else. Returns null, or the error.
extern "C" const char* cub_sum(void* workspace, size_t* workspace_bytes, const float* A, float* S,
                               long long n) {
  const cudaError_t error = cub::DeviceReduce::Sum(workspace, *workspace_bytes, A, S, n);
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
