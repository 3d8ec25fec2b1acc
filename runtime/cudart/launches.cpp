#include "runtime/cudart/launches.h"

#include <algorithm>
#include <cstring>

#include "fmt/ranges.h"

namespace hone::cudart {
namespace {

/// Why a GPU would not launch a kernel; the message is a person's, who may not look at the error.
template <typename... Args>
[[noreturn]] void refuse_launch(const Kernel& kernel, cudaError_t error,
                                fmt::format_string<Args...> format, Args&&... args) {
  throw CallError(error, "launch of {} refused, {}: {}", demangled(kernel.name),
                  name_of_error(error), fmt::format(format, std::forward<Args>(args)...));
}

void check_extents(const Kernel& kernel, const Launch& launch) {
  constexpr std::array<int64_t, 3> most_blocks = {(int64_t{1} << 31) - 1, 65535, 65535};
  constexpr std::array<int64_t, 3> most_threads = {1024, 1024, 64};
  const ptx::LaunchShape& shape = launch.shape;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.grid[axis] < 1 || shape.grid[axis] > most_blocks[axis])
      refuse_launch(kernel, cudaErrorInvalidConfiguration, "a grid of {} blocks",
                    fmt::join(shape.grid, " x "));
    if (shape.block[axis] < 1 || shape.block[axis] > most_threads[axis])
      refuse_launch(kernel, cudaErrorInvalidConfiguration, "a block of {} threads",
                    fmt::join(shape.block, " x "));
    if (shape.cluster[axis] < 1 || shape.grid[axis] % shape.cluster[axis] != 0)
      refuse_launch(kernel, cudaErrorInvalidConfiguration,
                    "a grid of {} blocks is not made of clusters of {}",
                    fmt::join(shape.grid, " x "), fmt::join(shape.cluster, " x "));
  }
  if (launch.threads_of_block() > DeviceLimits::threads_of_block)
    refuse_launch(kernel, cudaErrorInvalidConfiguration,
                  "{} threads in a block, which has at most 1024", launch.threads_of_block());
}

void check_resources(const ptx::KernelInfo& info, const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  const auto& most = info.most_threads;
  const int64_t threads = launch.threads_of_block();
  if (most[0] > 0 && threads > int64_t{most[0]} * std::max(most[1], 1) * std::max(most[2], 1))
    refuse_launch(kernel, cudaErrorInvalidValue,
                  "{} threads in a block; its __launch_bounds__ are {}", threads, most[0]);
  const int64_t dynamic = launch.shape.dynamic_shared, all = info.static_shared + dynamic;
  if (all > DeviceLimits::shared && dynamic > kernel.most_dynamic)
    refuse_launch(kernel, cudaErrorInvalidValue,
                  "{} bytes of shared memory in a block; more than {} need "
                  "cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, {})",
                  all, +DeviceLimits::shared, dynamic);
}

void check_cooperative(const ptx::KernelInfo& info, const Launch& launch) {
  const int64_t most = DeviceLimits::multiprocessors *
                       active_blocks(info, launch.threads_of_block(), launch.shape.dynamic_shared);
  if (launch.blocks() > most)
    refuse_launch(*launch.kernel, cudaErrorCooperativeLaunchTooLarge,
                  "{} blocks in a cooperative launch; {} run at the same time", launch.blocks(),
                  most);
}

std::vector<std::byte> pack(const ptx::KernelInfo& info, void* const* arguments) {
  std::vector<std::byte> bytes(info.param_bytes);
  for (size_t n = 0; n < info.params.size(); ++n)
    std::memcpy(bytes.data() + info.params[n].offset, given(arguments)[n], info.params[n].bytes);
  return bytes;
}

/// Of the kernel where it has clusters of its own.
void take_cluster(const ptx::KernelInfo& info, ptx::LaunchShape& shape) {
  if (info.cluster[0] == 0) return;
  for (int axis = 0; axis < 3; ++axis) shape.cluster[axis] = std::max(info.cluster[axis], 1);
}

/// The kernel's text as it is loaded at its first launch.
const ptx::KernelInfo& info_for_launch(State& state, const Kernel& kernel) {
  try {
    return info_of(state, kernel);
  } catch (const CallError&) {
    ++state.counts.missing_launches;
    throw;
  }
}

}  // namespace

const ptx::KernelInfo& info_of(State& state, const Kernel& kernel) {
  const ptx::KernelInfo* info = kernel.binary->module(state.memory).find(kernel.name);
  if (!info)
    throw CallError(cudaErrorInvalidDeviceFunction, "the program's PTX has no kernel {}",
                    demangled(kernel.name));
  return *info;
}

int64_t active_blocks(const ptx::KernelInfo& info, int64_t threads, int64_t dynamic_shared) {
  if (threads < 1 || threads > DeviceLimits::threads_of_block) return 0;
  const int64_t warps = (threads + 31) / 32;
  const int64_t shared = info.static_shared + dynamic_shared;
  if (shared > DeviceLimits::most_shared) return 0;
  return std::min({int64_t{DeviceLimits::blocks}, DeviceLimits::threads / (warps * 32),
                   DeviceLimits::registers / (DeviceLimits::assumed_registers * warps * 32),
                   DeviceLimits::all_shared / (shared + DeviceLimits::reserved_shared)});
}

Launch make_launch(State& state, const void* function, const ptx::LaunchShape& shape,
                   void* const* arguments, bool is_cooperative) {
  state.binaries.place_managed(state.memory);
  Kernel& kernel = state.binaries.kernel(function);
  const ptx::KernelInfo& info = info_for_launch(state, kernel);
  Launch launch{&kernel, shape, {}};
  take_cluster(info, launch.shape);
  check_extents(kernel, launch);
  check_resources(info, launch);
  if (is_cooperative) check_cooperative(info, launch);
  launch.params = pack(info, arguments);
  return launch;
}

}  // namespace hone::cudart
