// Devices that kernels run on.
#pragma once

#include <string>
#include <string_view>

#include "fmt/format.h"
#include "ir/core/location.h"
#include "runtime/device_properties.h"

namespace hone {

class CudaContext;

/// cuda: a GPU. simulated: the host, with a GPU's semantics. host: the host's cores, plainly.
enum class DeviceKind { cuda, simulated, host };

/// A device, as a value.
class Device {
 public:
  /// The GPU of that number. Throws RuntimeError that says what is missing: the library, the
  /// driver, a GPU, or that one.
  static Device cuda(int ordinal = 0, Location location = Location::current());
  static Device simulated() { return Device(DeviceKind::simulated, nullptr); }
  static Device host() { return Device(DeviceKind::host, nullptr); }

  /// The first GPU where one answers, else the simulated device.
  static Device best();

  /// The GPU behind a context, which must outlive the device.
  explicit Device(const CudaContext& context) : Device(DeviceKind::cuda, &context) {}

  DeviceKind kind() const { return kind_; }
  bool is_cuda() const { return kind_ == DeviceKind::cuda; }

  /// The number of a GPU; 0 for the others.
  int ordinal() const;

  /// The context of a GPU; the device must be one.
  const CudaContext& context() const;

  /// Limits and properties of the device. The simulated one has the limits of an H100.
  const DeviceProperties& properties() const;

  /// Waits for the work that was given to the device. Throws CudaError where it failed.
  void synchronize(Location location = Location::current()) const;

  friend bool operator==(const Device&, const Device&) = default;

 private:
  Device(DeviceKind kind, const CudaContext* context) : kind_(kind), context_(context) {}

  DeviceKind kind_;
  const CudaContext* context_;
};

/// "cuda:0", "sim", "host": as parse_device takes it.
std::string to_string(const Device& device);

/// The device of "auto", "cuda", "cuda:N", "sim" or "host". Throws RuntimeError for another word,
/// and where a GPU is asked for and none answers.
Device parse_device(std::string_view text, Location location = Location::current());

/// The reason that Device::cuda() would throw; empty if a GPU answers.
std::string why_no_cuda();

}  // namespace hone

template <>
struct fmt::formatter<hone::Device> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const hone::Device& device, Context& context) const {
    return fmt::formatter<std::string>::format(hone::to_string(device), context);
  }
};
