// Launches, and what the device knows of kernels.
#include "runtime/cudart/launches.h"

namespace hone::cudart {
namespace {

std::array<int64_t, 3> extents_of(dim3 extents) { return {extents.x, extents.y, extents.z}; }

void launch_on(State& state, cudaStream_t stream, Launch launch) {
  state.enqueue(stream, cudaGraphNodeTypeKernel,
                [launch = std::move(launch)](State& then) { run(then, launch); });
}

struct LaunchAttributes {
  dim3 cluster{1, 1, 1};
  bool is_cooperative = false;
};

LaunchAttributes attributes_of(const cudaLaunchConfig_t& config) {
  LaunchAttributes found;
  for (unsigned n = 0; n < config.numAttrs; ++n) {
    const cudaLaunchAttribute& attribute = config.attrs[n];
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      found.cluster =
          dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
    if (attribute.id == cudaLaunchAttributeCooperative)
      found.is_cooperative = attribute.val.cooperative != 0;
  }
  return found;
}

}  // namespace
extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return call([&](State& state) {
    launch_on(
        state, stream,
        make_launch(state, function,
                    {extents_of(grid), extents_of(block), {1, 1, 1}, static_cast<int64_t>(shared)},
                    arguments));
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
  return call([&](State& state) {
    launch_on(
        state, stream,
        make_launch(state, function,
                    {extents_of(grid), extents_of(block), {1, 1, 1}, static_cast<int64_t>(shared)},
                    arguments, /*is_cooperative=*/true));
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return call([&](State& state) {
    const LaunchAttributes attributes = attributes_of(*given(config));
    launch_on(state, config->stream,
              make_launch(
                  state, function,
                  {extents_of(config->gridDim), extents_of(config->blockDim),
                   extents_of(attributes.cluster), static_cast<int64_t>(config->dynamicSmemBytes)},
                  arguments, attributes.is_cooperative));
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call([&](State& state) {
    const Kernel& kernel = state.binaries.kernel(function);
    const ptx::KernelInfo& info = info_of(state, kernel);
    *given(attributes) = {};
    attributes->sharedSizeBytes = info.static_shared;
    attributes->localSizeBytes = info.local;
    attributes->numRegs = DeviceLimits::assumed_registers;
    const auto& most = info.most_threads;
    attributes->maxThreadsPerBlock = most[0] > 0
                                         ? most[0] * std::max(most[1], 1) * std::max(most[2], 1)
                                         : +DeviceLimits::threads_of_block;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(
        std::max<int64_t>(kernel.most_dynamic, DeviceLimits::shared - info.static_shared));
    attributes->preferredShmemCarveout = -1;
    attributes->requiredClusterWidth = info.cluster[0];
    attributes->requiredClusterHeight = info.cluster[1];
    attributes->requiredClusterDepth = info.cluster[2];
    attributes->clusterDimMustBeSet = info.cluster[0] > 0 ? 1 : 0;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call([&](State& state) {
    Kernel& kernel = state.binaries.kernel(function);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return;
    const int64_t most = DeviceLimits::most_shared - info_of(state, kernel).static_shared;
    if (value < 0 || value > most)
      throw CallError(cudaErrorInvalidValue,
                      "{} can have {} bytes of dynamic shared memory, the program asks for {}",
                      demangled(kernel.name), most, value);
    kernel.most_dynamic = value;
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return call([&](State& state) { state.binaries.kernel(function); });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return call([&](State& state) { state.binaries.kernel(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call([&](State& state) { *given(name) = state.binaries.kernel(function).name.c_str(); });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t number, size_t* offset,
                                 size_t* bytes) {
  return call([&](State& state) {
    const ptx::KernelInfo& info = info_of(state, state.binaries.kernel(function));
    if (number >= info.params.size()) throw CallError(cudaErrorInvalidValue);
    *given(offset) = info.params[number].offset;
    if (bytes) *bytes = info.params[number].bytes;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return call([&](State& state) { *given(kernel) = &state.binaries.kernel(function); });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* result, const void* function) {
  return call([&](State& state) {
    *given(result) = reinterpret_cast<cudaFunction_t>(&state.binaries.kernel(function));
  });
}
}  // extern "C"

}  // namespace hone::cudart
