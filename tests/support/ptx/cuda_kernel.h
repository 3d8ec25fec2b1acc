// CUDA text that a test runs on the simulated device, by way of NVRTC.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "runtime/ptx/device.h"
#include "runtime/ptx/pace/pace.h"

namespace hone::ptx {

/// An array in device memory, or a scalar: what a kernel gets.
struct Argument {
  std::vector<std::byte> bytes;

  template <class T>
  Argument(const T& value) : bytes(sizeof value) {  // NOLINT(google-explicit-constructor)
    std::memcpy(bytes.data(), &value, sizeof value);
  }
};

class CudaKernel {
 public:
  /// The first kernel of the text. Throws CompileError, and PtxError.
  explicit CudaKernel(const std::string& source, const std::string& arch = "compute_90a");

  /// Device memory with these elements; its address.
  template <class T>
  T* array(const std::vector<T>& elements, const std::string& name) {
    T* const data = unset<T>(elements.size(), name);
    std::memcpy(data, elements.data(), elements.size() * sizeof(T));
    memory_.mark_set(reinterpret_cast<uint64_t>(data), elements.size() * sizeof(T));
    return data;
  }
  /// The same, of which no element holds a value.
  template <class T>
  T* unset(size_t count, const std::string& name) {
    return reinterpret_cast<T*>(memory_.allocate(static_cast<int64_t>(count * sizeof(T)), name));
  }

  Report run(const LaunchShape& shape, const std::vector<Argument>& arguments,
             const LaunchOptions& options = {.check = true});
  /// Of a block of a launch that has these counts.
  std::optional<BlockPace> pace(const LaunchShape& shape, const std::vector<Argument>& arguments,
                                const LaunchCounts& counts, double dram_share);
  const LoadedModule& module() const { return *module_; }

 private:
  Memory memory_;
  std::unique_ptr<LoadedModule> module_;
};

/// 1, 2, 3...
std::vector<float> counting(int count);

/// The findings as text, one behind the other.
std::string findings_of(const Report& report);

/// Why NVRTC cannot be had here; empty where it can.
std::string why_no_nvrtc();

}  // namespace hone::ptx
