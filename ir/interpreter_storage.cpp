#include "ir/interpreter_storage.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace hone::detail {

Storage::Storage(const TensorNode& tensor, Buffer& buffer)
    : tensor_(tensor),
      type_(tensor.type),
      element_size_(hone::size_of(tensor.type)),
      shape_(buffer.shape),
      strides_(element_strides(shape_, tensor.layout)),
      is_argument_(true),
      bytes_(buffer.bytes.data()) {}

Storage::Storage(const TensorNode& tensor, std::vector<int64_t> shape)
    : tensor_(tensor),
      type_(tensor.type),
      element_size_(hone::size_of(tensor.type)),
      shape_(std::move(shape)),
      strides_(element_strides(shape_, tensor.layout)),
      is_argument_(false),
      owned_(tensor.type, shape_),
      bytes_(owned_.bytes.data()),
      written_(owned_.size(), false) {}

void Storage::forget() { std::fill(written_.begin(), written_.end(), false); }

std::string Storage::describe(int64_t position) const {
  std::vector<int64_t> index(shape_.size());
  for (size_t dim = 0; dim < index.size(); ++dim)
    index[dim] = position / strides_[dim] % shape_[dim];
  return fmt::format("{}[{}]", tensor_.name, fmt::join(index, ", "));
}

}  // namespace hone::detail
