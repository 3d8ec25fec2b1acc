// The arguments of a launch in the memory of the device.
#pragma once

#include "tools/cli/cuda/kernel_run.h"
#include "tools/cli/cuda/launch_device.h"

namespace hone {

class ArgumentList {
 public:
  ArgumentList(const ChosenKernel& chosen, const ptx::KernelInfo& kernel, LaunchDevice& device)
      : chosen_(chosen), kernel_(kernel), device_(device) {}

  /// The arguments of the words, each member of a struct as one. Throws UsageError where they do
  /// not fit the kernel.
  std::vector<RunArgument> read(const LaunchText& launch, uint64_t seed) const;
  /// Fills memory. Returns the bytes that the kernel gets. Throws UsageError for an alias that
  /// leads nowhere.
  std::vector<std::byte> place(const std::vector<RunArgument>& arguments);
  /// The arrays as the kernel has left them.
  void fetch(std::vector<RunArgument>& arguments) const;

 private:
  std::string what(size_t n) const;
  void check(const LaunchArgument& given, size_t n) const;
  void check_type(const LaunchArgument& given, size_t n) const;
  uint64_t allocated(const RunArgument& argument);
  uint64_t address_of(const std::vector<RunArgument>& arguments, size_t n) const;

  const ChosenKernel& chosen_;
  const ptx::KernelInfo& kernel_;
  LaunchDevice& device_;
  std::vector<uint64_t> addresses_;
};

}  // namespace hone
