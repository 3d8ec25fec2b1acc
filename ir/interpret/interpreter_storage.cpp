#include "ir/interpret/interpreter_storage.h"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace hone::detail {

Storage::Storage(const TensorNode& tensor, StorageShape shape, Buffer& buffer)
    : tensor_(tensor),
      type_(tensor.type),
      element_size_(hone::size_of(tensor.type)),
      shape_(std::move(shape)),
      is_argument_(true),
      bytes_(buffer.bytes.data()) {}

Storage::Storage(const TensorNode& tensor, StorageShape shape)
    : tensor_(tensor),
      type_(tensor.type),
      element_size_(hone::size_of(tensor.type)),
      shape_(std::move(shape)),
      is_argument_(false),
      owned_(tensor.type, {shape_.elements}),
      bytes_(owned_.bytes.data()),
      written_(owned_.size(), false) {}

bool Storage::take(int64_t position, const Storage& source, int64_t source_position) {
  const bool holds_value = source.holds_value(source_position);
  if (holds_value) write(position, source.read(source_position));
  if (!holds_value && !is_argument_) written_[position] = false;
  return holds_value || !is_argument_;
}

void Storage::forget() { std::fill(written_.begin(), written_.end(), false); }

std::string Storage::describe(int64_t position) const {
  std::vector<int64_t> index(shape_.shape.size());
  for (size_t dim = 0; dim < index.size(); ++dim)
    index[dim] = position / shape_.strides[dim] % shape_.shape[dim];
  return fmt::format("{}[{}]", tensor_.name, fmt::join(index, ", "));
}

}  // namespace hone::detail
