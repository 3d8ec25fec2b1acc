#include "runtime/array.h"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "ir/buffer.h"
#include "runtime/cuda_driver.h"

namespace hone {
namespace {

constexpr size_t alignment = 256;

size_t checked_bytes(DType type, llvm::ArrayRef<int64_t> shape) {
  try {
    return static_cast<size_t>(byte_count(type, shape));
  } catch (const std::length_error& error) {
    throw RuntimeError("{}", error.what());
  }
}

std::shared_ptr<void> allocate_on_host(size_t bytes) {
  const auto physical = static_cast<size_t>(Device::host().properties().memory_bytes);
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  // Linux would give out more than there is, and kill the process when it is used.
  void* memory = bytes <= physical ? std::aligned_alloc(alignment, rounded) : nullptr;
  if (!memory)
    throw OutOfMemoryError("out of memory on the host: {} bytes wanted, {} bytes installed", bytes,
                           physical);
  return {memory, std::free};
}

std::shared_ptr<void> allocate(const Device& device, size_t bytes) {
  if (bytes == 0) return nullptr;
  if (!device.is_cuda()) return allocate_on_host(bytes);
  const CudaContext& context = device.context();
  return {context.allocate(bytes), [&context](void* memory) { context.release(memory); }};
}

void fill_zero(const Device& device, void* memory, size_t bytes) {
  if (bytes == 0) return;
  if (device.is_cuda()) return device.context().fill_zero(memory, bytes);
  std::memset(memory, 0, bytes);
}

}  // namespace

AnyArray::AnyArray(DType type, std::vector<int64_t> shape, Device device, Fill fill)
    : type_(type),
      shape_(std::move(shape)),
      device_(device),
      bytes_(checked_bytes(type, shape_)),
      size_(static_cast<int64_t>(bytes_) / size_of(type)) {
  assert(type != DType::index && "index is a type of expressions, not of elements in memory");
  storage_ = allocate(device_, bytes_);
  if (fill == Fill::zeros) fill_zero(device_, data(), bytes_);
}

AnyArray AnyArray::to(const Device& device) const {
  if (device == device_) return *this;
  const bool between_gpus = device.is_cuda() && device_.is_cuda();
  if (between_gpus) return to(Device::host()).to(device);
  AnyArray copy(type_, shape_, device, Fill::uninitialized);
  if (device_.is_cuda()) {
    copy_to_host(copy.data());
  } else {
    copy.copy_from_host(data());
  }
  return copy;
}

AnyArray AnyArray::clone() const {
  AnyArray copy(type_, shape_, device_, Fill::uninitialized);
  if (bytes_ == 0) return copy;
  if (device_.is_cuda()) {
    device_.context().copy_on_device(copy.data(), data(), bytes_);
  } else {
    std::memcpy(copy.data(), data(), bytes_);
  }
  return copy;
}

void AnyArray::copy_from_host(const void* source) {
  if (bytes_ == 0) return;
  if (device_.is_cuda()) return device_.context().copy_to_device(data(), source, bytes_);
  std::memcpy(data(), source, bytes_);
}

void AnyArray::copy_to_host(void* target) const {
  if (bytes_ == 0) return;
  if (device_.is_cuda()) return device_.context().copy_to_host(target, data(), bytes_);
  std::memcpy(target, data(), bytes_);
}

std::string AnyArray::describe() const {
  return fmt::format("{} on {}", to_string(type_, shape_), device_);
}

}  // namespace hone
