// A launch of a kernel of somebody's file.
#pragma once

#include "runtime/device.h"
#include "runtime/ptx/device.h"
#include "tools/cli/cuda/kernel_choice.h"
#include "tools/cli/cuda/launch_argument.h"
#include "tools/cli/estimate/estimate.h"

namespace hone {

/// An argument or a member of a struct, and of an array its elements behind the launch.
struct RunArgument {
  std::string name;    ///< of the parameter, or "argument 2"; "s.1" of a member
  std::string number;  ///< from 1; "2.1" of a member
  int64_t place = 0;   ///< in the bytes of all arguments
  LaunchArgument given;
  ElementArray result{};
  /// The kernel has stored to it; on a GPU, it has changed it.
  bool is_written = false;

  /// By its name or by its number.
  bool is_called(const std::string& which) const { return which == name || which == number; }
  /// False of an element of an unset array that still has the bytes from before the launch.
  bool is_set(int64_t index) const;
};

struct KernelRun {
  ChosenKernel chosen;
  ptx::LaunchShape shape;
  std::vector<RunArgument> arguments;
  ptx::Report report;
  Device device = Device::simulated();
  std::string arch{};                        ///< that the text was compiled for
  std::optional<LaunchEstimate> estimate{};  ///< of a launch that was counted, on a named GPU

  /// "saxpy.cu: saxpy"
  std::string title() const { return chosen.path + ": " + chosen.kernel.name; }
  int64_t threads() const { return shape.block[0] * shape.block[1] * shape.block[2]; }
  /// Those that ptxas reports; null where nobody asked it.
  const PtxasInfo* resources() const;
  std::optional<BlockResources> block() const;
  /// The argument of that name, or of that number from 1. Throws UsageError where there is none.
  const RunArgument& argument(const std::string& which) const;
};

/// "1 block of 256 threads", "64 of 4096 blocks of 256 threads"
std::string launch_text(const KernelRun& run);

/// Compiles, fills memory, and runs; a GPU takes no options. Throws UsageError and RuntimeError
/// where the launch does not fit the kernel.
KernelRun run_kernel(const std::string& path, const LaunchText& launch, uint64_t seed,
                     const ptx::LaunchOptions& options, const Device& device = Device::simulated());
/// Counts, on the simulated device; also estimates the time on the GPU, if it is not null and the
/// resources of a block are known.
KernelRun count_kernel(const std::string& path, const LaunchText& launch, uint64_t seed,
                       ptx::LaunchOptions options, const Gpu* gpu);

}  // namespace hone
