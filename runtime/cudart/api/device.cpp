// The device: there is one, of compute capability 9.0.
#include <cstring>

#include "runtime/cudart/launches.h"

namespace hone::cudart {
namespace {

constexpr int warp = 32, l2_bytes = 50 << 20, constant_bytes = 64 << 10, clock_khz = 1'755'000,
              memory_khz = 2'619'000, bus_bits = 5120;

/// The attributes that the device has; all others are 0.
constexpr std::pair<cudaDeviceAttr, int> attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, DeviceLimits::threads_of_block},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, DeviceLimits::shared},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, DeviceLimits::most_shared},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, DeviceLimits::all_shared},
    {cudaDevAttrReservedSharedMemoryPerBlock, DeviceLimits::reserved_shared},
    {cudaDevAttrTotalConstantMemory, constant_bytes},
    {cudaDevAttrWarpSize, warp},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, DeviceLimits::registers},
    {cudaDevAttrMaxRegistersPerMultiprocessor, DeviceLimits::registers},
    {cudaDevAttrClockRate, clock_khz},
    {cudaDevAttrMemoryClockRate, memory_khz},
    {cudaDevAttrGlobalMemoryBusWidth, bus_bits},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrMultiProcessorCount, DeviceLimits::multiprocessors},
    {cudaDevAttrMaxThreadsPerMultiProcessor, DeviceLimits::threads},
    {cudaDevAttrMaxBlocksPerMultiprocessor, DeviceLimits::blocks},
    {cudaDevAttrL2CacheSize, l2_bytes},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrClusterLaunch, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

int attribute_of(cudaDeviceAttr wanted) {
  for (const auto& [attribute, value] : attributes)
    if (attribute == wanted) return value;
  return 0;
}

/// The fields of cudaDeviceProp that are attributes too.
constexpr std::pair<int cudaDeviceProp::*, cudaDeviceAttr> int_fields[] = {
    {&cudaDeviceProp::regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
    {&cudaDeviceProp::warpSize, cudaDevAttrWarpSize},
    {&cudaDeviceProp::maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
    {&cudaDeviceProp::major, cudaDevAttrComputeCapabilityMajor},
    {&cudaDeviceProp::minor, cudaDevAttrComputeCapabilityMinor},
    {&cudaDeviceProp::multiProcessorCount, cudaDevAttrMultiProcessorCount},
    {&cudaDeviceProp::canMapHostMemory, cudaDevAttrCanMapHostMemory},
    {&cudaDeviceProp::concurrentKernels, cudaDevAttrConcurrentKernels},
    {&cudaDeviceProp::asyncEngineCount, cudaDevAttrAsyncEngineCount},
    {&cudaDeviceProp::unifiedAddressing, cudaDevAttrUnifiedAddressing},
    {&cudaDeviceProp::memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
    {&cudaDeviceProp::l2CacheSize, cudaDevAttrL2CacheSize},
    {&cudaDeviceProp::maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
    {&cudaDeviceProp::streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
    {&cudaDeviceProp::globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
    {&cudaDeviceProp::localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
    {&cudaDeviceProp::regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
    {&cudaDeviceProp::managedMemory, cudaDevAttrManagedMemory},
    {&cudaDeviceProp::concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
    {&cudaDeviceProp::computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
    {&cudaDeviceProp::canUseHostPointerForRegisteredMem,
     cudaDevAttrCanUseHostPointerForRegisteredMem},
    {&cudaDeviceProp::cooperativeLaunch, cudaDevAttrCooperativeLaunch},
    {&cudaDeviceProp::maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
    {&cudaDeviceProp::hostRegisterSupported, cudaDevAttrHostRegisterSupported},
    {&cudaDeviceProp::memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    {&cudaDeviceProp::clusterLaunch, cudaDevAttrClusterLaunch},
};
constexpr std::pair<size_t cudaDeviceProp::*, cudaDeviceAttr> size_fields[] = {
    {&cudaDeviceProp::sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
    {&cudaDeviceProp::sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {&cudaDeviceProp::sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {&cudaDeviceProp::reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
    {&cudaDeviceProp::totalConstMem, cudaDevAttrTotalConstantMemory},
    {&cudaDeviceProp::memPitch, cudaDevAttrMaxPitch},
    {&cudaDeviceProp::textureAlignment, cudaDevAttrTextureAlignment},
    {&cudaDeviceProp::texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
    {&cudaDeviceProp::surfaceAlignment, cudaDevAttrSurfaceAlignment},
};

cudaDeviceProp properties() {
  cudaDeviceProp made;
  std::memset(&made, 0, sizeof made);
  std::strncpy(made.name, "Hone simulated device (compute capability 9.0)", sizeof made.name - 1);
  made.totalGlobalMem = Allocations::memory_of_host();
  for (const auto& [field, attribute] : int_fields) made.*field = attribute_of(attribute);
  for (const auto& [field, attribute] : size_fields) made.*field = attribute_of(attribute);
  for (int axis = 0; axis < 3; ++axis) {
    made.maxThreadsDim[axis] = axis < 2 ? 1024 : 64;
    made.maxGridSize[axis] = axis == 0 ? 2147483647 : 65535;
  }
  return made;
}

/// Limits that a program sets and asks for again.
std::map<cudaLimit, size_t> limits = {{cudaLimitStackSize, 1 << 10},
                                      {cudaLimitPrintfFifoSize, 1 << 20},
                                      {cudaLimitMallocHeapSize, 8 << 20}};
unsigned device_flags = 0;

/// There is no driver whose functions could be called.
cudaError_t find_no_driver(void** function, cudaDriverEntryPointQueryResult* found) {
  return call_always([&](State&) {
    *given(function) = nullptr;
    if (found) *found = cudaDriverEntryPointSymbolNotFound;
  });
}

void check_device(int device) {
  if (device != 0) throw CallError(cudaErrorInvalidDevice);
}

}  // namespace
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return call_always([&](State&) { *given(count) = 1; });
}

cudaError_t cudaGetDevice(int* device) {
  return call_always([&](State&) { *given(device) = 0; });
}

cudaError_t cudaSetDevice(int device) {
  return call_always([&](State&) { check_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call_always([&](State&) { device_flags = flags; });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call_always([&](State&) { *given(flags) = device_flags; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* result, int device) {
  return call_always([&](State&) {
    check_device(device);
    *given(result) = properties();
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call_always([&](State&) {
    check_device(device);
    *given(value) = attribute_of(attribute);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return waiting_call([](State&) {});
}

cudaError_t cudaDeviceReset() {
  return call_always([](State& state) {
    destroy_images(state);
    state.arrays.destroy_all();
    state.allocations.release_all();
    state.failure = state.lost = cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call([&](State&) { limits[limit] = value; });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call([&](State&) { *given(value) = limits[limit]; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call([&](State&) { *given(config) = cudaFuncCachePreferNone; });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call([&](State&) { *given(config) = cudaSharedMemBankSizeFourByte; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](State&) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call([&](State&) {
    check_device(device);
    std::strncpy(given(id), "0000:00:00.0", std::max(length, 1));
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](State&) {
    check_device(device);
    check_device(peer);
    *given(can) = 0;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return call([](State&) { throw CallError(cudaErrorInvalidDevice); });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
  return call([](State&) { throw CallError(cudaErrorPeerAccessNotEnabled); });
}

cudaError_t cudaGetDriverEntryPoint(const char*, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
  return find_no_driver(function, found);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  return find_no_driver(function, found);
}
}  // extern "C"

}  // namespace hone::cudart
