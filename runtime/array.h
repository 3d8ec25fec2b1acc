// Arrays in the memory of a device: the arguments of kernels.
//
//   Array<float> a({M, K});                                              dense, row-major
//   Array<float> b({K, N}, Device::cuda(), Layout::column_major());
//   Array<float> c({M, N}, Device::cuda(), Layout().pitch(1056));        rows lie 1056 floats apart
//
// runtime/pitch.h has arrays that choose their pitch.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/interpret/buffer.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/narrow_float.h"

struct DLManagedTensor;  // of runtime/io/dlpack.h

namespace hone {

namespace detail {
/// Of the components in a row, the alignment of an element: the next power of two, at most 16.
template <class Row>
inline constexpr size_t tuple_alignment = std::min<size_t>(std::bit_ceil(sizeof(Row)), 16);
template <class First, class Second, class Third>
struct RowOf3 {
  First first;
  Second second;
  Third third;
};
template <class First, class Second, class Third, class Fourth>
struct RowOf4 {
  First first;
  Second second;
  Third third;
  Fourth fourth;
};
}  // namespace detail

/// An element of three or four components, as it lies in memory; std::pair is one of two.
///
///   Array<Tuple<float, float, int32_t>> S({M});
template <class... Components>
struct Tuple;

template <class First, class Second, class Third>
struct alignas(
    detail::tuple_alignment<detail::RowOf3<First, Second, Third>>) Tuple<First, Second, Third> {
  First first;
  Second second;
  Third third;

  bool operator==(const Tuple&) const = default;
};

template <class First, class Second, class Third, class Fourth>
struct alignas(detail::tuple_alignment<detail::RowOf4<First, Second, Third, Fourth>>)
    Tuple<First, Second, Third, Fourth> {
  First first;
  Second second;
  Third third;
  Fourth fourth;

  bool operator==(const Tuple&) const = default;
};

namespace detail {
constexpr DType dtype_of(std::type_identity<double>) { return f64; }
constexpr DType dtype_of(std::type_identity<float>) { return f32; }
constexpr DType dtype_of(std::type_identity<Half>) { return f16; }
constexpr DType dtype_of(std::type_identity<BFloat16>) { return bf16; }
constexpr DType dtype_of(std::type_identity<TensorFloat32>) { return tf32; }
constexpr DType dtype_of(std::type_identity<Float8E4M3>) { return f8e4m3; }
constexpr DType dtype_of(std::type_identity<Float8E5M2>) { return f8e5m2; }
constexpr DType dtype_of(std::type_identity<int64_t>) { return i64; }
constexpr DType dtype_of(std::type_identity<int32_t>) { return i32; }
constexpr DType dtype_of(std::type_identity<int8_t>) { return i8; }
constexpr DType dtype_of(std::type_identity<uint8_t>) { return u8; }
constexpr DType dtype_of(std::type_identity<bool>) { return boolean; }
template <class First, class Second>
constexpr DType dtype_of(std::type_identity<std::pair<First, Second>>) {
  return tuple_of({dtype_of(std::type_identity<First>{}), dtype_of(std::type_identity<Second>{})});
}
template <class... Components>
constexpr DType dtype_of(std::type_identity<Tuple<Components...>>) {
  return tuple_of({dtype_of(std::type_identity<Components>{})...});
}
}  // namespace detail

/// The element type that stands for a C++ type.
template <class T>
inline constexpr DType dtype_of = detail::dtype_of(std::type_identity<T>{});

enum class Fill { uninitialized, zeros };

/// An array of any element type but `index`: indices are logical, as those of a Tensor, and the
/// layout says where in memory an element lies. A copy shares the elements; an array without
/// elements is fine and has no memory.
class AnyArray {
 public:
  /// Memory for the array, aligned to 256 bytes. Throws RuntimeError for a negative extent, too
  /// many bytes, and a layout that is none for memory: its pitch is a number, at least a row long,
  /// and it has neither padding nor swizzle. Throws OutOfMemoryError where the device has not got
  /// the memory. Errors say where the array is made.
  AnyArray(DType type, std::vector<int64_t> shape, Device device = Device::host(),
           Fill fill = Fill::zeros, Location location = Location::current())
      : AnyArray(type, std::move(shape), device, Layout(), fill, location) {}
  AnyArray(DType type, std::vector<int64_t> shape, Device device, const Layout& layout,
           Fill fill = Fill::zeros, Location location = Location::current());

  /// The elements of a tensor of another library in this process, not copied; the last copy of the
  /// array gives the tensor back to its owner. Work on a GPU that fills it comes before, or is on
  /// the default stream. Throws RuntimeError, and takes nothing, where the tensor's type, device or
  /// strides are none of ours.
  static AnyArray from_dlpack(DLManagedTensor* tensor, Location location = Location::current());
  /// The array for another library, not copied: the receiver calls the tensor's `deleter`. Throws
  /// RuntimeError for pairs of a float and an integer, which DLPack does not have.
  DLManagedTensor* to_dlpack(Location location = Location::current()) const;

  DType dtype() const { return type_; }
  const std::vector<int64_t>& shape() const { return storage_.shape; }
  const Device& device() const { return device_; }
  int64_t size() const { return size_; }  ///< number of elements

  /// With the order only where it is not row-major, and the pitch only where rows have gaps.
  const Layout& layout() const { return layout_; }
  /// Dimensions from the slowest to the fastest.
  llvm::SmallVector<int, 4> order() const;
  /// Elements from one row to the next, a row being what the fastest dimension runs through; 1
  /// without dimensions.
  int64_t row_pitch() const { return row_pitch_; }
  /// Elements between neighbours along each dimension.
  const std::vector<int64_t>& strides() const { return storage_.strides; }
  /// Elements that the memory has room for: gaps between rows count.
  int64_t storage_size() const { return storage_.elements; }
  /// Of the memory.
  size_t bytes() const { return bytes_; }

  /// The first element's address in the device's memory; null where bytes() is 0. A CUDA device's
  /// memory cannot be read on the host.
  void* data() const { return memory_.get(); }

  // Copies throw what the constructor throws, and CudaError where a GPU fails.

  /// This array if it is on `device` already, else a copy there. The layout stays.
  AnyArray to(const Device& device, Location location = Location::current()) const;

  /// A copy with elements of its own. The layout stays.
  AnyArray clone(Location location = Location::current()) const;

  /// This array if it is laid out so already, else a copy that is; gaps between rows are zero.
  AnyArray with_layout(const Layout& layout, Location location = Location::current()) const;

  /// Copies the elements of an array of this type and shape, whatever the two layouts and devices.
  /// The bytes between the rows stay as they are. Throws RuntimeError for another type or shape.
  void copy_elements(const AnyArray& source, Location location = Location::current());

  /// The same with elements in host memory, one behind the other in row-major order of the indices.
  void copy_elements_from_host(const void* source, Location location = Location::current());
  void copy_elements_to_host(void* target, Location location = Location::current()) const;

  /// Sets each byte of the memory, gaps included.
  void fill_bytes(unsigned char byte);

  /// Copies bytes() bytes between the memory, gaps included, and the host's.
  void copy_from_host(const void* source);
  void copy_to_host(void* target) const;

  /// "f32[2, 3] @order(1, 0) @pitch(32) on cuda:0"
  std::string describe() const;

 private:
  /// As laid out in memory that is still to come.
  struct WithoutMemory {};
  static AnyArray allocated(AnyArray array, Fill fill);
  static AnyArray sharing(DLManagedTensor* tensor);
  void replace_elements(const AnyArray& source);
  AnyArray(DType type, std::vector<int64_t> shape, Device device, const Layout& layout,
           WithoutMemory);

  DType type_;
  Layout layout_;
  Device device_;
  StorageShape storage_;
  int64_t row_pitch_ = 1;
  int64_t size_ = 1;
  size_t bytes_ = 0;
  std::shared_ptr<void> memory_;
};

/// An array for a tensor, laid out as the tensor is for these sizes. Throws what the constructor
/// throws, without a place; a layout is refused by the tensor's name.
AnyArray array_for(const TensorNode& tensor, const Sizes& sizes, Device device = Device::host(),
                   Fill fill = Fill::zeros);

/// The shape that such an array has in memory. Throws what array_for throws, but for the lack of
/// memory.
StorageShape storage_for(const TensorNode& tensor, const Sizes& sizes);

/// Throws OutOfMemoryError, with the numbers, where the device has no memory for all of them.
void check_memory(const Device& device, llvm::ArrayRef<TensorPtr> tensors, const Sizes& sizes);

/// The contents of an array's memory, as the interpreter takes it.
Buffer to_buffer(const AnyArray& array);

/// An array whose element type is known.
template <class T>
class Array : public AnyArray {
 public:
  explicit Array(std::vector<int64_t> shape, Device device = Device::host(),
                 Fill fill = Fill::zeros, Location location = Location::current())
      : AnyArray(dtype_of<T>, std::move(shape), device, fill, location) {}
  Array(std::vector<int64_t> shape, Device device, const Layout& layout, Fill fill = Fill::zeros,
        Location location = Location::current())
      : AnyArray(dtype_of<T>, std::move(shape), device, layout, fill, location) {}

  /// An array of `values`, which come in row-major order of the indices, whatever the layout.
  /// Throws RuntimeError where their number is not that of the shape.
  Array(const std::vector<T>& values, std::vector<int64_t> shape, Device device = Device::host(),
        const Layout& layout = {}, Location location = Location::current());

  /// The same elements, typed. Throws RuntimeError where `array` holds another type.
  explicit Array(AnyArray array, Location location = Location::current())
      : AnyArray(located<RuntimeError>(location,
                                       [&]() -> AnyArray { return checked(std::move(array)); })) {}

  /// The elements in row-major order of the indices, whatever the layout, on the host.
  std::vector<T> to_vector(Location location = Location::current()) const;

  static Array from_dlpack(DLManagedTensor* tensor, Location location = Location::current()) {
    return Array(AnyArray::from_dlpack(tensor, location), location);
  }

  Array to(const Device& device, Location location = Location::current()) const {
    return Array(AnyArray::to(device, location), location);
  }
  Array clone(Location location = Location::current()) const {
    return Array(AnyArray::clone(location), location);
  }
  Array with_layout(const Layout& layout, Location location = Location::current()) const {
    return Array(AnyArray::with_layout(layout, location), location);
  }

  /// The elements in place, as the layout says. Throws RuntimeError on a CUDA device.
  T* host_data(Location location = Location::current()) const;

 private:
  static AnyArray checked(AnyArray array);
};

/// Elements side by side, which those of a vector of bools are not.
template <class T>
const std::vector<T>& side_by_side(const std::vector<T>& values) {
  return values;
}
inline std::vector<char> side_by_side(const std::vector<bool>& values) {
  return {values.begin(), values.end()};
}

template <class T>
Array<T>::Array(const std::vector<T>& values, std::vector<int64_t> shape, Device device,
                const Layout& layout, Location location)
    : AnyArray(dtype_of<T>, std::move(shape), device, layout, Fill::zeros, location) {
  located<RuntimeError>(location, [&] {
    if (static_cast<int64_t>(values.size()) != size())
      throw RuntimeError("{} values do not fill {}, which has {} elements", values.size(),
                         describe(), size());
  });
  copy_elements_from_host(side_by_side(values).data(), location);
}

template <class T>
std::vector<T> Array<T>::to_vector(Location location) const {
  std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> elements(
      static_cast<size_t>(size()));
  copy_elements_to_host(elements.data(), location);
  return std::vector<T>(elements.begin(), elements.end());
}

template <class T>
T* Array<T>::host_data(Location location) const {
  return located<RuntimeError>(location, [&] {
    if (device().is_cuda())
      throw RuntimeError("the elements of {} cannot be read on the host; use to_vector()",
                         describe());
    return static_cast<T*>(data());
  });
}

template <class T>
AnyArray Array<T>::checked(AnyArray array) {
  if (array.dtype() != dtype_of<T>)
    throw RuntimeError("{} is not an array of {}", array.describe(), name(dtype_of<T>).str());
  return array;
}

}  // namespace hone
