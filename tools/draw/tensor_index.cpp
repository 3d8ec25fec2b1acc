#include "tools/draw/tensor_index.h"

#include "fmt/ranges.h"
#include "ir/core/layout.h"

namespace hone {

TensorIndex::TensorIndex(const TensorNode& tensor, const Sizes& sizes)
    : name_(tensor.name), storage_(storage_shape(tensor, sizes)) {
  for (const int dim : storage_order(tensor)) order_.push_back(static_cast<size_t>(dim));
}

std::vector<int64_t> TensorIndex::index_of(int64_t element) const {
  std::vector<int64_t> index(order_.size());
  for (const size_t dim : order_) {
    const int64_t stride = std::max<int64_t>(storage_.strides[dim], 1);
    index[dim] = element / stride;
    element %= stride;
  }
  return index;
}

std::string TensorIndex::text(int64_t element) const {
  return fmt::format("{}[{}]", name_, fmt::join(index_of(element), ", "));
}

int64_t TensorIndex::columns() const {
  if (shape().empty()) return 1;
  return shape().size() == 1 ? std::min(line, shape()[0]) : shape().back();
}

int64_t TensorIndex::rows() const {
  int64_t rows = 1;
  for (size_t dim = 0; dim + 1 < shape().size(); ++dim) rows *= shape()[dim];
  return shape().size() == 1 ? (shape()[0] + line - 1) / line : rows;
}

int64_t TensorIndex::row_of(int64_t element) const {
  const std::vector<int64_t> index = index_of(element);
  if (index.size() == 1) return index[0] / line;
  int64_t row = 0;
  for (size_t dim = 0; dim + 1 < index.size(); ++dim) row = row * shape()[dim] + index[dim];
  return row;
}

int64_t TensorIndex::column_of(int64_t element) const {
  const std::vector<int64_t> index = index_of(element);
  if (index.empty()) return 0;
  return index.size() == 1 ? index[0] % line : index.back();
}

std::string TensorIndex::row_text(int64_t row) const {
  if (shape().empty()) return "";
  if (shape().size() == 1) return std::to_string(row * line);
  std::vector<int64_t> index(shape().size() - 1);
  for (size_t dim = index.size(); dim-- > 0;) {
    index[dim] = row % std::max<int64_t>(shape()[dim], 1);
    row /= std::max<int64_t>(shape()[dim], 1);
  }
  return fmt::format("{}", fmt::join(index, ","));
}

}  // namespace hone
