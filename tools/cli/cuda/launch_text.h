// A launch as a user describes it: options of the command line, over those of a JSON file.
#pragma once

#include <optional>

#include "ir/interpret/buffer.h"
#include "runtime/device.h"
#include "tools/cli/arguments.h"

namespace hone {

/// The words of a launch, before anything of it is computed.
struct LaunchText {
  std::string kernel, grid, block, cluster, shared;  ///< empty where nothing is said
  std::vector<std::string> arguments;                ///< "f32:random:N", in the kernel's order
  std::vector<std::string> variables;                ///< "weights=f32:random:9"
  std::vector<std::string> expectations;             ///< "y=FILE.npy:0.001"
  Sizes sizes;
  std::string arch;
  std::vector<std::string> folders, compiler_options;
};

/// The options, those of `over` before the others, and for what they do not say, the file of
/// --launch, or NAME.launch.json beside NAME.cu; the architecture is by default that of the device.
/// Paths in that file start at its folder. Throws UsageError for options that say nothing sensible,
/// and RuntimeError where the file is missing or not understood.
LaunchText read_launch_text(const std::string& path, const Arguments& arguments,
                            const Device& device = Device::simulated(),
                            const Arguments* over = nullptr);

/// "/x/y.launch.json" of "/x/y.cu".
std::string launch_file_beside(const std::string& path);

}  // namespace hone
