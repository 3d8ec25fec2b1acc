// The state that a GPU is in: what stands beside a measured time.
#pragma once

#include <optional>

#include "runtime/device.h"

namespace hone {

struct GpuState {
  unsigned clock_megahertz = 0;  ///< of the multiprocessors, now
  double watts = 0;              ///< that the board takes
  unsigned celsius = 0;          ///< of the chip
};

/// As NVML, the driver's library of management, tells. Nothing where it is not at hand, where it
/// does not tell, and of a device that is no GPU.
std::optional<GpuState> gpu_state(const Device& device);

}  // namespace hone
