// The machine that a measurement is made on, in the words that stand beside it.
#pragma once

#include <string>

#include "runtime/device.h"

namespace hone {

/// Texts are empty where nothing is known, or where it has no part in a measurement.
struct Machine {
  std::string name;    ///< of the device: "NVIDIA H200"; of the host its processor
  std::string driver;  ///< of a GPU: "580.95.05, for CUDA 13.0"
  std::string nvrtc;   ///< of a GPU: "13.0"
  std::string date;    ///< today, in UTC: "2026-11-23"
};

Machine machine_of(const Device& device);

/// "13.0", and the options of HONE_NVRTC_OPTIONS; empty where no NVRTC is at hand.
std::string nvrtc_version_text();

/// The text behind `key` on the first line of a file that starts with it; empty without one.
std::string value_in_file(const char* path, const std::string& key);

/// The version in the first line of /proc/driver/nvidia/version: the first word of it that is
/// numbers with dots between them. Empty where there is none.
std::string driver_version_in(const std::string& line);

}  // namespace hone
