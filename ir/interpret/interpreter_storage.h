// The memory of the interpreter: elements, and which of them hold a value.
#pragma once

#include "ir/interpret/buffer.h"
#include "ir/scalar/scalar.h"

namespace hone::detail {

/// A tensor during a run.
class Storage {
 public:
  /// An argument, of the shape of its buffer: every element holds a value.
  Storage(const TensorNode& tensor, StorageShape shape, Buffer& buffer);
  /// An allocated tensor: no element holds a value.
  Storage(const TensorNode& tensor, StorageShape shape);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  llvm::ArrayRef<int64_t> shape() const { return shape_.shape; }
  llvm::ArrayRef<int64_t> strides() const { return shape_.strides; }
  DType type() const { return type_; }

  bool holds_value(int64_t position) const { return is_argument_ || written_[position]; }
  Scalar read(int64_t position) const { return read_element(type_, element(position)); }
  void write(int64_t position, const Scalar& value) {
    write_element(element(position), value);
    if (!is_argument_) written_[position] = true;
  }

  /// Moves an element of another tensor to a position here, written or not. False, and without
  /// effect, if it is not written and this is an argument, whose elements all hold a value.
  bool take(int64_t position, const Storage& source, int64_t source_position);

  /// Makes an allocated tensor a new one.
  void forget();

  /// The element at a position, as in "T[3, 4]".
  std::string describe(int64_t position) const;

 private:
  std::byte* element(int64_t position) const { return bytes_ + position * element_size_; }

  const TensorNode& tensor_;
  const DType type_;
  const int64_t element_size_;
  const StorageShape shape_;
  const bool is_argument_;
  Buffer owned_;
  std::byte* bytes_;
  std::vector<char> written_;  ///< per element; empty for an argument
};

}  // namespace hone::detail
