#include "runtime/device.h"

#include <cassert>
#include <thread>

#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/host_memory.h"

namespace hone {
namespace {

DeviceProperties simulated_properties() {
  DeviceProperties properties;
  properties.name = "simulated H100";
  const ArchitectureLimits& limits = widest_architecture();
  properties.arch = fmt::format("sm_{}", limits.capability);
  properties.multiprocessors = 132;
  properties.memory_bytes = host_memory_bytes();
  properties.l2_bytes = 50 << 20;
  properties.max_threads_per_block = limits.max_threads;
  properties.max_threads_per_multiprocessor = limits.warps_per_sm * limits.threads_per_warp;
  properties.max_registers_per_multiprocessor = limits.registers_per_sm;
  properties.max_shared_bytes_per_block = limits.shared_bytes_per_block;
  properties.max_shared_bytes_per_multiprocessor = limits.shared_bytes_per_sm;
  properties.clock_kilohertz = 1'980'000;
  return properties;
}

DeviceProperties host_properties() {
  DeviceProperties properties;
  properties.name = "host";
  properties.multiprocessors = static_cast<int>(std::thread::hardware_concurrency());
  properties.memory_bytes = host_memory_bytes();
  return properties;
}

}  // namespace

Device Device::cuda(int ordinal, Location location) {
  return located<RuntimeError>(location, [&] {
    try {
      return Device(CudaDriver::of_this_process().context(ordinal));
    } catch (const RuntimeError& error) {
      throw RuntimeError(
          "no CUDA device: {}; Device::simulated() or --device=sim runs the same kernels on the "
          "simulated one",
          error.what());
    }
  });
}

Device Device::best() { return why_no_cuda().empty() ? cuda() : simulated(); }

int Device::ordinal() const { return context_ ? context_->ordinal() : 0; }

const CudaContext& Device::context() const {
  assert(context_ && "only a CUDA device has a context");
  return *context_;
}

const DeviceProperties& Device::properties() const {
  static const DeviceProperties simulated_gpu = simulated_properties();
  static const DeviceProperties this_host = host_properties();
  if (context_) return context_->properties();
  return kind_ == DeviceKind::simulated ? simulated_gpu : this_host;
}

void Device::synchronize(Location location) const {
  if (context_) located<RuntimeError>(location, [&] { context_->synchronize(); });
}

std::string to_string(const Device& device) {
  if (device.is_cuda()) return fmt::format("cuda:{}", device.ordinal());
  return device.kind() == DeviceKind::simulated ? "sim" : "host";
}

Device parse_device(std::string_view text, Location location) {
  if (text == "auto") return Device::best();
  if (text == "sim") return Device::simulated();
  if (text == "host") return Device::host();
  if (text == "cuda") return Device::cuda(0, location);
  llvm::StringRef number(text.data(), text.size());
  int ordinal = 0;
  if (number.consume_front("cuda:") && !number.getAsInteger(10, ordinal) && ordinal >= 0)
    return Device::cuda(ordinal, location);
  RuntimeError error("unknown device '{}'; use auto, cuda, cuda:N, sim or host", text);
  error.at(location);
  throw error;
}

std::string why_no_cuda() {
  try {
    Device::cuda();
    return "";
  } catch (const RuntimeError& error) {
    return error.what();
  }
}

}  // namespace hone
