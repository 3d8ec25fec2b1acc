#include "ir/analysis/storage_map.h"

namespace hone {

StorageMap::StorageMap(const TensorNode& tensor) : digits_(storage_digits(tensor)) {
  for (const Expr& extent : storage_shape(tensor)) extents_.push_back(*as_int(extent));
  for (const Swizzle& swizzle : tensor.layout.swizzles)
    terms_.push_back({swizzle, digits_of(swizzle, tensor)});
}

int64_t StorageMap::offset(llvm::ArrayRef<int64_t> indices) const {
  llvm::SmallVector<int64_t, 4> values;
  for (const IndexDigit& digit : digits_) {
    const int64_t value = indices[digit.dim] / digit.stride;
    values.push_back(digit.count == 0 ? value : value % digit.count);
  }
  for (const auto& [swizzle, digits] : terms_)
    values[digits.digit] ^= values[digits.by] / swizzle.rows % swizzle.period * swizzle.chunk;
  int64_t offset = 0;
  for (size_t n = 0; n < values.size(); ++n) offset = offset * extents_[n] + values[n];
  return offset;
}

int64_t StorageMap::offset(llvm::ArrayRef<ThreadValues> indices, size_t thread) const {
  llvm::SmallVector<int64_t, 4> own;
  for (const ThreadValues& index : indices) own.push_back(index.of(thread));
  return offset(own);
}

}  // namespace hone
