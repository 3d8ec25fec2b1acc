// From places in memory to the indices of a tensor.
#pragma once

#include <string>
#include <vector>

#include "ir/interpret/buffer.h"

namespace hone {

/// A tensor of a kernel, at some sizes. The indices of a tile in shared memory are those of its
/// storage: padding is a part of the rows, and swizzled elements have changed places.
class TensorIndex {
 public:
  TensorIndex() = default;
  TensorIndex(const TensorNode& tensor, const Sizes& sizes);

  const std::string& name() const { return name_; }
  const std::vector<int64_t>& shape() const { return storage_.shape; }
  const std::vector<int64_t>& strides() const { return storage_.strides; }
  int64_t elements() const { return storage_.elements; }

  std::vector<int64_t> index_of(int64_t element) const;
  /// "A[3, 5]"
  std::string text(int64_t element) const;

  /// Rows and columns of the tensor as a matrix: the last dimension and all others; of one
  /// dimension, rows of 32 elements.
  int64_t rows() const;
  int64_t columns() const;
  int64_t row_of(int64_t element) const;
  int64_t column_of(int64_t element) const;
  /// The indices of its first element, but for the last of several: "3", "0,3".
  std::string row_text(int64_t row) const;

 private:
  static constexpr int64_t line = 32;

  std::string name_;
  StorageShape storage_;
  std::vector<size_t> order_;  ///< of dimensions, from the largest stride on
};

}  // namespace hone
