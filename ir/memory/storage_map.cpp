#include "ir/memory/storage_map.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace hone {

StorageMap::StorageMap(const TensorNode& tensor)
    : digits_(storage_digits(tensor)), terms_(named_swizzles(tensor)) {
  for (const Expr& extent : storage_shape(tensor)) extents_.push_back(*as_int(extent));
}

int64_t StorageMap::offset(llvm::ArrayRef<int64_t> indices) const {
  llvm::SmallVector<int64_t, 4> values;
  for (const IndexDigit& digit : digits_) {
    const int64_t value = indices[digit.dim] / digit.stride;
    values.push_back(digit.count == 0 ? value : value % digit.count);
  }
  for (const Swizzle& term : terms_)
    values[term.digit] ^= values[term.by] / term.rows % term.period * term.chunk;
  int64_t offset = 0;
  for (size_t n = 0; n < values.size(); ++n) offset = offset * extents_[n] + values[n];
  return offset;
}

int64_t StorageMap::offset(llvm::ArrayRef<ThreadValues> indices, size_t thread) const {
  llvm::SmallVector<int64_t, 4> own;
  for (const ThreadValues& index : indices) own.push_back(index.of(thread));
  return offset(own);
}

size_t StorageMap::first_digit_of(int64_t elements) const {
  size_t first = digits_.size();
  for (int64_t all = 1; first > 0 && all < elements;) all *= extents_[--first];
  return first;
}

bool StorageMap::is_linear_over_bits(size_t first_digit) const {
  const auto is_power = [](int64_t value) { return llvm::isPowerOf2_64(value); };
  const auto is_fine = [&](const IndexDigit& digit) {
    return is_power(digit.stride) && (digit.count == 0 || is_power(digit.count));
  };
  const auto stays_inside = [&](const Swizzle& term) {
    return is_power(term.rows) && is_power(term.period) && is_power(term.chunk) &&
           term.period * term.chunk <= extents_[term.digit] &&
           (static_cast<size_t>(term.digit) >= first_digit ||
            static_cast<size_t>(term.by) < first_digit);
  };
  return llvm::all_of(digits_, is_fine) && llvm::all_of(terms_, stays_inside) &&
         llvm::all_of(llvm::drop_begin(extents_, std::max<size_t>(first_digit, 1)), is_power);
}

}  // namespace hone
