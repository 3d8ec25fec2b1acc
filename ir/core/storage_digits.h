// The parts of layouts: digits of indices, and swizzles of digits.
#pragma once

#include <cstdint>

namespace hone {

/// A digit of the index of a dimension: the index, divided by `stride`, modulo `count`.
///
///   IndexDigit(1) / 8 % 16        (i / 8) % 16, of the index i of dimension 1
struct IndexDigit {
  int dim = 0;
  int64_t stride = 1;
  int64_t count = 0;  ///< values that it has; 0: all that are left, of the slowest of a dimension

  IndexDigit(int dim) : dim(dim) {}
  IndexDigit(int dim, int64_t stride, int64_t count) : dim(dim), stride(stride), count(count) {}
  friend IndexDigit operator/(IndexDigit digit, int64_t stride) {
    return {digit.dim, digit.stride * stride, stride < 1 ? 0 : digit.count / stride};
  }
  friend IndexDigit operator%(IndexDigit digit, int64_t count) {
    return {digit.dim, digit.stride, count};
  }
  bool operator==(const IndexDigit&) const = default;

  bool is_whole() const { return stride == 1 && count == 0; }
};

/// An XOR swizzle of shared memory: chunks along one digit of the storage change places, in another
/// way from value to value of another digit; by default those of the fastest digit, in another way
/// from row to row, so that a column of chunks lies in different banks.
///
///   chunk c of row r lies where chunk c ^ (r / rows % period) would
struct Swizzle {
  int64_t chunk = 0;   ///< elements that stay together; 0: no swizzle
  int64_t period = 1;  ///< the number of permutations, a power of two
  int64_t rows = 1;    ///< neighbouring rows that share a permutation
  int digit = -1;      ///< whose values change places, by its number in storage; -1: the fastest
  int by = -1;  ///< the digit that says how; -1: the row, which those before the fastest count

  bool operator==(const Swizzle&) const = default;
};

}  // namespace hone
