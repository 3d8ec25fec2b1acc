#include "runtime/array.h"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "ir/analysis/site.h"
#include "ir/core/error.h"
#include "ir/core/layout.h"
#include "ir/core/layout_problem.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/host_memory.h"

namespace hone {
namespace {

constexpr size_t array_alignment = 256;

size_t checked_bytes(DType type, llvm::ArrayRef<int64_t> shape) {
  try {
    return static_cast<size_t>(byte_count(type, shape));
  } catch (const std::length_error& error) {
    throw RuntimeError("{}", error.what());
  }
}

int64_t count(DType type, llvm::ArrayRef<int64_t> shape) {
  return static_cast<int64_t>(checked_bytes(type, shape)) / size_of(type);
}

std::optional<std::string> array_layout_problem(const TensorNode& tensor) {
  const Layout& layout = tensor.layout;
  if (layout.row_pitch.defined() && !as_int(layout.row_pitch))
    return fmt::format("the pitch {} is not a number", layout.row_pitch);
  if (layout.padding != 0 && tensor.rank() > 0)
    return fmt::format("a padding is for shared memory; say how far its rows lie apart: pitch({})",
                       row_pitch(tensor));
  return layout_problem(tensor);
}

/// An array as a tensor of constant sizes, whose layout says nothing that goes without saying.
/// `name` is for the refusal.
TensorPtr laid_out(DType type, llvm::ArrayRef<int64_t> shape, Layout layout,
                   const std::string& name) {
  const llvm::SmallVector<Expr, 4> extents(shape.begin(), shape.end());
  const TensorPtr tensor = make_tensor(name, type, extents, Scope::global, layout);
  if (const auto problem = array_layout_problem(*tensor))
    throw RuntimeError("the layout of {}: {}", name, *problem);
  if (llvm::is_sorted(storage_order(*tensor))) layout.digits.clear();
  if (layout.row_pitch.defined() && is_int(layout.row_pitch, shape[fastest_dim(*tensor)]))
    layout.row_pitch = Expr();
  return with_layout(*tensor, layout);
}

StorageShape storage_of(const TensorNode& tensor, std::vector<int64_t> shape) {
  std::vector<int64_t> rows = shape;
  if (!rows.empty()) rows[fastest_dim(tensor)] = *as_int(row_pitch(tensor));
  const bool is_empty = count(tensor.type, rows) == 0;
  if (is_empty) return {std::move(shape), std::vector<int64_t>(rows.size()), 0};
  return storage_shape(tensor, {});
}

/// The tensor with numbers for its sizes. Throws RuntimeError, by its name, where memory has no
/// such layout.
TensorPtr with_sizes(const TensorNode& tensor, const Sizes& sizes) {
  llvm::SmallVector<int64_t, 4> shape;
  for (const Expr& extent : tensor.shape) shape.push_back(evaluate(extent, sizes));
  Layout layout = tensor.layout;
  if (layout.row_pitch.defined()) layout.row_pitch = evaluate(layout.row_pitch, sizes);
  return laid_out(tensor.type, shape, layout, tensor.name);
}

/// Of a tensor whose sizes are numbers.
std::vector<int64_t> shape_of(const TensorNode& tensor) {
  std::vector<int64_t> shape;
  for (const Expr& extent : tensor.shape) shape.push_back(*as_int(extent));
  return shape;
}

/// Memory of the host, and the claim to it.
struct HostBlock {
  HostMemoryClaim claim;
  std::shared_ptr<void> memory;
};

/// Memory of the heap, without values.
std::shared_ptr<void> aligned_memory(size_t bytes) {
  const size_t rounded = (bytes + array_alignment - 1) / array_alignment * array_alignment;
  return {std::aligned_alloc(array_alignment, rounded), std::free};
}

std::shared_ptr<void> allocate_on_host(size_t bytes, const std::string& what) {
  const auto block = std::make_shared<HostBlock>();
  block->claim = HostMemoryClaim(static_cast<int64_t>(bytes), what);
  block->memory = bytes < least_paged_bytes ? aligned_memory(bytes) : map_pages(bytes);
  if (!block->memory)
    throw OutOfMemoryError("out of memory on the host: {} bytes wanted for {} are refused", bytes,
                           what);
  return {block, block->memory.get()};
}

std::shared_ptr<void> allocate(const Device& device, size_t bytes, const std::string& what) {
  if (bytes == 0) return nullptr;
  if (!device.is_cuda()) return allocate_on_host(bytes, what);
  const CudaContext& context = device.context();
  return {context.allocate(bytes), [&context](void* memory) { context.release(memory); }};
}

template <class Word>
void copy_strided(llvm::ArrayRef<int64_t> shape, const Word* from,
                  llvm::ArrayRef<int64_t> from_strides, Word* to,
                  llvm::ArrayRef<int64_t> to_strides) {
  if (shape.empty()) {
    *to = *from;
    return;
  }
  const int64_t extent = shape[0], from_stride = from_strides[0], to_stride = to_strides[0];
  if (shape.size() > 1) {
    for (int64_t n = 0; n < extent; ++n)
      copy_strided(shape.drop_front(), from + n * from_stride, from_strides.drop_front(),
                   to + n * to_stride, to_strides.drop_front());
    return;
  }
  for (int64_t n = 0; n < extent; ++n) to[n * to_stride] = from[n * from_stride];
}

/// Both arrays are in the host's memory.
template <class Word>
void copy_words(const AnyArray& from, AnyArray& to) {
  copy_strided<Word>(from.shape(), static_cast<const Word*>(from.data()), from.strides(),
                     static_cast<Word*>(to.data()), to.strides());
}

void copy_on_host(const AnyArray& from, AnyArray& to) {
  switch (size_of(from.dtype())) {
    case 1:
      return copy_words<uint8_t>(from, to);
    case 2:
      return copy_words<uint16_t>(from, to);
    case 4:
      return copy_words<uint32_t>(from, to);
    default:
      return copy_words<uint64_t>(from, to);
  }
}

}  // namespace

AnyArray::AnyArray(DType type, std::vector<int64_t> shape, Device device, const Layout& layout,
                   WithoutMemory)
    : type_(type), device_(device), size_(count(type, shape)) {
  assert(type != DType::index && "index is a type of expressions, not of elements in memory");
  const TensorPtr tensor = laid_out(type, shape, layout, to_string(type, shape));
  layout_ = tensor->layout;
  if (tensor->rank() > 0) row_pitch_ = *as_int(hone::row_pitch(*tensor));
  storage_ = storage_of(*tensor, std::move(shape));
  bytes_ = static_cast<size_t>(storage_.elements * size_of(type));
}

AnyArray::AnyArray(DType type, std::vector<int64_t> shape, Device device, const Layout& layout,
                   Fill fill, Location location)
    : AnyArray(located<RuntimeError>(location, [&]() -> AnyArray {
        return allocated(AnyArray(type, std::move(shape), device, layout, WithoutMemory()), fill);
      })) {}

AnyArray AnyArray::allocated(AnyArray array, Fill fill) {
  array.memory_ = allocate(array.device_, array.bytes_, to_string(array.type_, array.shape()));
  const bool is_zero = !array.device_.is_cuda() && array.bytes_ >= least_paged_bytes;
  if (fill == Fill::zeros && !is_zero) array.fill_bytes(0);
  return array;
}

llvm::SmallVector<int, 4> AnyArray::order() const {
  return storage_order(*laid_out(type_, shape(), layout_, ""));
}

AnyArray AnyArray::to(const Device& device, Location location) const {
  if (device == device_) return *this;
  const bool between_gpus = device.is_cuda() && device_.is_cuda();
  if (between_gpus) return to(Device::host(), location).to(device, location);
  return located<RuntimeError>(location, [&] {
    AnyArray copy(type_, shape(), device, layout_, Fill::uninitialized);
    if (device_.is_cuda()) {
      copy_to_host(copy.data());
    } else {
      copy.copy_from_host(data());
    }
    return copy;
  });
}

AnyArray AnyArray::clone(Location location) const {
  return located<RuntimeError>(location, [&] {
    AnyArray copy(type_, shape(), device_, layout_, Fill::uninitialized);
    if (bytes_ == 0) return copy;
    if (device_.is_cuda()) {
      device_.context().copy_on_device(copy.data(), data(), bytes_);
    } else if (bytes_ >= least_paged_bytes) {
      copy_to_zeros(copy.data(), data(), bytes_);
    } else {
      std::memcpy(copy.data(), data(), bytes_);
    }
    return copy;
  });
}

AnyArray AnyArray::with_layout(const Layout& layout, Location location) const {
  return located<RuntimeError>(location, [&] {
    if (equal(laid_out(type_, shape(), layout, to_string(type_, shape()))->layout, layout_))
      return *this;
    AnyArray result(type_, shape(), device_, layout);
    result.copy_elements(*this);
    return result;
  });
}

void AnyArray::copy_elements(const AnyArray& source, Location location) {
  located<RuntimeError>(location, [&] { replace_elements(source); });
}

void AnyArray::replace_elements(const AnyArray& source) {
  if (!stands_for(source.type_, type_) || shape() != source.shape())
    throw RuntimeError("the elements of {} do not fill {}", source.describe(), describe());
  if (size_ == 0) return;
  if (source.device_.is_cuda()) return replace_elements(source.to(Device::host()));
  if (!device_.is_cuda()) return copy_on_host(source, *this);
  AnyArray on_host = to(Device::host());
  copy_on_host(source, on_host);
  copy_from_host(on_host.data());
}

void AnyArray::copy_elements_from_host(const void* source, Location location) {
  located<RuntimeError>(location, [&] {
    if (layout_.is_row_major()) return copy_from_host(source);
    AnyArray dense(type_, shape(), Device::host(), Fill::uninitialized);
    dense.copy_from_host(source);
    replace_elements(dense);
  });
}

void AnyArray::copy_elements_to_host(void* target, Location location) const {
  located<RuntimeError>(location, [&] { with_layout({}).copy_to_host(target); });
}

void AnyArray::fill_bytes(unsigned char byte) {
  if (bytes_ == 0) return;
  if (device_.is_cuda()) return device_.context().fill(data(), byte, bytes_);
  std::memset(data(), byte, bytes_);
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
  return fmt::format("{}{} on {}", to_string(type_, shape()), to_string(layout_), device_);
}

AnyArray array_for(const TensorNode& tensor, const Sizes& sizes, Device device, Fill fill) {
  const TensorPtr sized = with_sizes(tensor, sizes);
  return AnyArray(tensor.type, shape_of(*sized), device, sized->layout, fill);
}

StorageShape storage_for(const TensorNode& tensor, const Sizes& sizes) {
  const TensorPtr sized = with_sizes(tensor, sizes);
  return storage_of(*sized, shape_of(*sized));
}

void check_memory(const Device& device, llvm::ArrayRef<TensorPtr> tensors, const Sizes& sizes) {
  int64_t bytes = 0;
  llvm::SmallVector<std::string, 4> names;
  for (const TensorPtr& tensor : tensors) {
    const int64_t more = storage_for(*tensor, sizes).elements * size_of(tensor->type);
    if (__builtin_add_overflow(bytes, more, &bytes)) bytes = INT64_MAX;
    names.push_back(tensor->name);
  }
  const std::string what = join_names(names);
  if (!device.is_cuda()) {
    const HostMemoryClaim claim(bytes, what);
    return;
  }
  const auto free = static_cast<int64_t>(device.context().free_memory());
  if (bytes > free)
    throw OutOfMemoryError("out of memory on {} ({}): {} bytes wanted for {}, {} bytes free",
                           device, device.properties().name, bytes, what, free);
}

Buffer to_buffer(const AnyArray& array) {
  Buffer buffer;
  buffer.type = array.dtype();
  buffer.shape = array.shape();
  buffer.bytes.resize(array.bytes());
  array.copy_to_host(buffer.bytes.data());
  return buffer;
}

}  // namespace hone
