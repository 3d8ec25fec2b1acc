// The layout of a tensor of constant shape as arithmetic on numbers.
#pragma once

#include "ir/core/layout.h"
#include "ir/memory/thread_values.h"

namespace hone {

/// storage_offset of numbers, for a tensor of constant shape.
class StorageMap {
 public:
  explicit StorageMap(const TensorNode& tensor);

  /// Elements from the start of the storage.
  int64_t offset(llvm::ArrayRef<int64_t> indices) const;
  /// The same of the element that a thread has.
  int64_t offset(llvm::ArrayRef<ThreadValues> indices, size_t thread) const;
  /// True if the offset of indices is that of each of their bits alone, put together by xor: sizes
  /// are powers of two, but for those of the slowest digit.
  bool is_linear_over_bits() const { return is_linear_over_bits(0); }
  /// The same of the bits that the digits from this one on take, while all others stay.
  bool is_linear_over_bits(size_t first_digit) const;
  /// The digits that have so many elements together, the fastest ones, are those from this one on.
  size_t first_digit_of(int64_t elements) const;

 private:
  llvm::SmallVector<IndexDigit, 4> digits_;
  llvm::SmallVector<int64_t, 4> extents_;
  llvm::SmallVector<Swizzle, 2> terms_;
};

}  // namespace hone
