// Names of CUDA 12 that CUDA 13 has dropped or changed, for programs that still use them. `hone
// cuda` and the flags of `hone cuda --env` include it before each source that nvcc compiles.
#pragma once

#ifdef __cplusplus
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

/// cudaDeviceProp with the fields that it had.
struct HoneDeviceProp : cudaDeviceProp {
  int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode,
      singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch, maxTexture1DLinear;
};

static inline cudaError_t hone_get_device_properties(HoneDeviceProp* properties, int device) {
  const cudaError_t error = cudaGetDeviceProperties(properties, device);
  if (error != cudaSuccess) return error;
  properties->cooperativeMultiDeviceLaunch = 0;
  properties->maxTexture1DLinear = 1 << 28;
  const struct {
    int* field;
    cudaDeviceAttr attribute;
  } fields[] = {
      {&properties->clockRate, cudaDevAttrClockRate},
      {&properties->memoryClockRate, cudaDevAttrMemoryClockRate},
      {&properties->deviceOverlap, cudaDevAttrGpuOverlap},
      {&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
      {&properties->computeMode, cudaDevAttrComputeMode},
      {&properties->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio},
  };
  for (const auto& row : fields) cudaDeviceGetAttribute(row.field, row.attribute, device);
  return cudaSuccess;
}
#define cudaDeviceProp HoneDeviceProp
#define cudaGetDeviceProperties hone_get_device_properties

static inline cudaMemLocation hone_location_of(int device) {
  cudaMemLocation location = {};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}
static inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                        int device) {
  return cudaMemAdvise(pointer, bytes, advice, hone_location_of(device));
}
static inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, hone_location_of(device), 0, stream);
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}

#endif
#endif
