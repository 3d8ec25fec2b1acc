// How many blocks of a kernel run at the same time.
#include "runtime/cudart/launches.h"

namespace hone::cudart {
extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned) {
  return call([&](State& state) {
    const auto& info = info_of(state, state.binaries.kernel(function));
    *given(blocks) = static_cast<int>(active_blocks(info, threads, static_cast<int64_t>(shared)));
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int) {
  return call([&](State& state) {
    const auto& info = info_of(state, state.binaries.kernel(function));
    if (blocks < 1) throw CallError(cudaErrorInvalidValue);
    const int64_t share = DeviceLimits::all_shared / blocks - DeviceLimits::reserved_shared;
    *given(bytes) = std::clamp<int64_t>(share - info.static_shared, 0, DeviceLimits::most_shared);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t*) {
  constexpr int portable_size = 8;
  return call([&](State& state) {
    state.binaries.kernel(function);
    *given(size) = portable_size;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return call([&](State& state) {
    const auto& info = info_of(state, state.binaries.kernel(function));
    const dim3 block = given(config)->blockDim;
    unsigned size = 1;
    for (unsigned n = 0; n < config->numAttrs; ++n)
      if (config->attrs[n].id == cudaLaunchAttributeClusterDimension) {
        const auto& cluster = config->attrs[n].val.clusterDim;
        size = cluster.x * cluster.y * cluster.z;
      }
    const int64_t blocks = active_blocks(info, int64_t{block.x} * block.y * block.z,
                                         static_cast<int64_t>(config->dynamicSmemBytes));
    *given(clusters) = static_cast<int>(blocks * DeviceLimits::multiprocessors / size);
  });
}
}  // extern "C"

}  // namespace hone::cudart
