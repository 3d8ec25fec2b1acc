#include "ir/interpret/buffer.h"

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/scalar/scalar.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
int64_t byte_count(DType type, llvm::ArrayRef<int64_t> shape) {
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    throw std::length_error(fmt::format("{} has a negative extent", to_string(type, shape)));
  if (llvm::is_contained(shape, 0)) return 0;
  int64_t bytes = size_of(type);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      throw std::length_error(
          fmt::format("{} takes more than 2^63 - 1 bytes", to_string(type, shape)));
  return bytes;
}

Buffer::Buffer(DType type, std::vector<int64_t> shape)
    : type(type), shape(std::move(shape)), bytes(byte_count(type, this->shape)) {}

Buffer::Buffer(DType type, std::vector<int64_t> shape, size_t fastest, int64_t row_pitch)
    : type(type), shape(std::move(shape)) {
  std::vector<int64_t> storage = this->shape;
  storage[fastest] = std::max(row_pitch, storage[fastest]);
  bytes.resize(byte_count(type, storage));
}

int64_t Buffer::size() const { return bytes.size() / static_cast<size_t>(size_of(type)); }

Buffer::Number Buffer::number(int64_t position, unsigned component) const {
  assert(0 <= position && position < size() && "no such element");
  const int64_t offset = position * size_of(type);
  if (!is_tuple(type)) return {type, offset};
  return {component_type(type, component), offset + component_offset(type, component)};
}

double Buffer::get(int64_t position, unsigned component) const {
  const auto [type, offset] = number(position, component);
  return convert(f64, read_element(type, bytes.data() + offset)).real;
}

void Buffer::set(int64_t position, double value, unsigned component) {
  const auto [type, offset] = number(position, component);
  write_element(bytes.data() + offset, convert(type, Scalar::of_float(f64, value)));
}

std::string to_string(DType type, llvm::ArrayRef<int64_t> shape) {
  return fmt::format("{}[{}]", name(type).str(), fmt::join(shape, ", "));
}

StorageShape storage_shape(const TensorNode& tensor, const Sizes& sizes) {
  StorageShape result;
  for (const Expr& extent : tensor.shape) result.shape.push_back(evaluate(extent, sizes));
  byte_count(tensor.type, result.shape);  // refuses what is too large
  result.strides.resize(tensor.rank());
  const auto order = storage_order(tensor);
  const bool has_pitch = !tensor.layout.has_digits();
  for (size_t place = order.size(); place-- > 0;) {
    const bool is_row = place + 1 == order.size() && has_pitch;
    const int64_t extent = is_row ? evaluate(row_pitch(tensor), sizes) : result.shape[order[place]];
    result.strides[order[place]] = result.elements;
    result.elements *= extent;
  }
  return result;
}

}  // namespace hone
