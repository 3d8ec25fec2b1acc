// Dense arrays in the memory of a device: what a kernel's arguments are.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ir/type.h"
#include "llvm/ADT/ArrayRef.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/half.h"

namespace hone {

namespace detail {
constexpr DType dtype_of(std::type_identity<double>) { return f64; }
constexpr DType dtype_of(std::type_identity<float>) { return f32; }
constexpr DType dtype_of(std::type_identity<Half>) { return f16; }
constexpr DType dtype_of(std::type_identity<BFloat16>) { return bf16; }
constexpr DType dtype_of(std::type_identity<int64_t>) { return i64; }
constexpr DType dtype_of(std::type_identity<int32_t>) { return i32; }
constexpr DType dtype_of(std::type_identity<int8_t>) { return i8; }
constexpr DType dtype_of(std::type_identity<uint8_t>) { return u8; }
constexpr DType dtype_of(std::type_identity<bool>) { return boolean; }
}  // namespace detail

/// The element type that stands for a C++ type.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of(std::type_identity<T>{});

enum class Fill { uninitialized, zeros };

/// A row-major, contiguous array of any element type but `index`. A copy shares the elements; an
/// array without elements is fine and has no memory.
class AnyArray {
 public:
  /// Memory for the array, aligned to 256 bytes. Throws RuntimeError for a negative extent or too
  /// many bytes, OutOfMemoryError where the device has not got them.
  AnyArray(DType type, std::vector<int64_t> shape, Device device = Device::host(),
           Fill fill = Fill::zeros);

  DType dtype() const { return type_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  const Device& device() const { return device_; }
  int64_t size() const { return size_; }  ///< number of elements
  size_t bytes() const { return bytes_; }

  /// The first element's address in the device's memory; null where there are no elements. A CUDA
  /// device's memory cannot be read on the host.
  void* data() const { return storage_.get(); }

  /// This array if it is on `device` already, else a copy there.
  AnyArray to(const Device& device) const;

  /// A copy with elements of its own.
  AnyArray clone() const;

  /// Copies bytes() bytes between the array and host memory.
  void copy_from_host(const void* source);
  void copy_to_host(void* target) const;

  /// "f32[2, 3] on cuda:0"
  std::string describe() const;

 private:
  DType type_;
  std::vector<int64_t> shape_;
  Device device_;
  size_t bytes_;
  int64_t size_;
  std::shared_ptr<void> storage_;
};

/// An array whose element type is known.
template <class T>
class Array : public AnyArray {
 public:
  explicit Array(std::vector<int64_t> shape, Device device = Device::host(),
                 Fill fill = Fill::zeros)
      : AnyArray(dtype_of<T>, std::move(shape), device, fill) {}

  /// An array of `values` in row-major order. Throws RuntimeError where their number is not that of
  /// the shape.
  Array(const std::vector<T>& values, std::vector<int64_t> shape, Device device = Device::host());

  /// The same elements, typed. Throws RuntimeError where `array` holds another type.
  explicit Array(AnyArray array) : AnyArray(checked(std::move(array))) {}

  /// The elements in row-major order, on the host.
  std::vector<T> to_vector() const;

  Array to(const Device& device) const { return Array(AnyArray::to(device)); }
  Array clone() const { return Array(AnyArray::clone()); }

  /// The elements in place. Throws RuntimeError on a CUDA device.
  T* host_data() const;

 private:
  static AnyArray checked(AnyArray array);
};

template <class T>
Array<T>::Array(const std::vector<T>& values, std::vector<int64_t> shape, Device device)
    : AnyArray(dtype_of<T>, std::move(shape), device, Fill::uninitialized) {
  if (static_cast<int64_t>(values.size()) != size())
    throw RuntimeError("{} values do not fill {}, which has {} elements", values.size(), describe(),
                       size());
  if constexpr (std::is_same_v<T, bool>) {  // whose vector holds bits
    copy_from_host(std::vector<char>(values.begin(), values.end()).data());
  } else {
    copy_from_host(values.data());
  }
}

template <class T>
std::vector<T> Array<T>::to_vector() const {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> elements(
      static_cast<size_t>(size()));
  copy_to_host(elements.data());
  return std::vector<T>(elements.begin(), elements.end());
}

template <class T>
T* Array<T>::host_data() const {
  if (device().is_cuda())
    throw RuntimeError("the elements of {} cannot be read on the host; use to_vector()",
                       describe());
  return static_cast<T*>(data());
}

template <class T>
AnyArray Array<T>::checked(AnyArray array) {
  if (array.dtype() != dtype_of<T>)
    throw RuntimeError("{} is not an array of {}", array.describe(), name(dtype_of<T>).str());
  return array;
}

}  // namespace hone
