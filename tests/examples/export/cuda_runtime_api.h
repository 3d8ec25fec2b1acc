// The part of the CUDA runtime that exported headers use, for tests: calls are written down.
#pragma once

#include <cstddef>
#include <cstdio>

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
using cudaStream_t = void*;
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSymbolNotFound = 1 };
inline constexpr unsigned long long cudaEnableDefault = 0;
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

inline const char* cudaGetErrorString(cudaError_t) { return "invalid argument"; }

/// There is no driver.
inline cudaError_t cudaGetDriverEntryPoint(const char*, void**, unsigned long long,
                                           cudaDriverEntryPointQueryResult*) {
  return cudaErrorInvalidValue;
}

/// The function of that number fails from now on.
inline int& failing_call() {
  static int number = 0;
  return number;
}

inline cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  std::printf("allow %s %d\n", static_cast<const char*>(kernel), value);
  return failing_call() == 1 ? cudaErrorInvalidValue : cudaSuccess;
}

/// Arguments are what the test says they are: so many pointers, then so many sizes of 32 bits.
inline int pointer_count = 0, size_count = 0;

inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t stream) {
  std::printf("launch %s (%u, %u, %u) (%u, %u, %u) %zu on %p:", static_cast<const char*>(kernel),
              grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes, stream);
  for (int n = 0; n < pointer_count; ++n) std::printf(" %p", *static_cast<void**>(arguments[n]));
  for (int n = 0; n < size_count; ++n)
    std::printf(" %d", *static_cast<int*>(arguments[pointer_count + n]));
  std::printf("\n");
  return failing_call() == 2 ? cudaErrorInvalidValue : cudaSuccess;
}

enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  if (config->numAttrs == 1 && config->attrs->val.programmaticStreamSerializationAllowed)
    std::printf("early ");
  return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, arguments,
                          config->dynamicSmemBytes, config->stream);
}

inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  std::printf("fill %p %d %zu\n", memory, value, bytes);
  return failing_call() == 3 ? cudaErrorInvalidValue : cudaSuccess;
}
