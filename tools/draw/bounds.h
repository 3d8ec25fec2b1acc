// Rectangles of a tensor, seen as a matrix.
#pragma once

#include "tools/draw/tensor_index.h"

namespace hone {

/// Rows and columns from the first to the last one; none at first.
struct TensorBounds {
  int64_t first_row = INT64_MAX, last_row = -1;
  int64_t first_column = INT64_MAX, last_column = -1;

  void add(const TensorIndex& tensor, int64_t element) {
    const int64_t row = tensor.row_of(element), column = tensor.column_of(element);
    first_row = std::min(first_row, row), last_row = std::max(last_row, row);
    first_column = std::min(first_column, column), last_column = std::max(last_column, column);
  }
  int64_t rows() const { return last_row - first_row + 1; }
  int64_t columns() const { return last_column - first_column + 1; }
  bool operator==(const TensorBounds&) const = default;
};

}  // namespace hone
