// Limits and properties of a device, against which schedules are checked.
#pragma once

#include <cstdint>
#include <string>

namespace hone {

/// Facts about a device. A CUDA device fills them in from its driver.
struct DeviceProperties {
  std::string name;
  std::string arch;  ///< "sm_90"; empty for the host
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  int64_t l2_bytes = 0;
  int max_threads_per_block = 0;
  int max_threads_per_multiprocessor = 0;
  int max_registers_per_multiprocessor = 0;
  int max_shared_bytes_per_block = 0;  ///< with opt-in, as far as a kernel can have
  int max_shared_bytes_per_multiprocessor = 0;
  int clock_kilohertz = 0;  ///< highest clock of the multiprocessors
  int driver_version = 0;   ///< 13000 for CUDA 13.0; 0 without a driver
};

}  // namespace hone
