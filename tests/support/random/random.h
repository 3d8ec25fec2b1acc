// A source of random choices that can be recorded and replayed.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "ir/scalar/type.h"
#include "llvm/ADT/ArrayRef.h"
#include "tests/support/random/extras.h"

namespace hone {

/// Draws choices from a seed and keeps a record of them, or reads a record back. Choice 0 is always
/// the simplest alternative: a record with smaller numbers in it makes a simpler thing, and a
/// record that ends early goes on with zeros.
class Random {
 public:
  /// The choices of one number of a seed do not depend on those of the others.
  Random(uint64_t seed, uint64_t number, Extras extras = {});
  explicit Random(std::vector<uint32_t> record, Extras extras = {});

  /// 0..count, half-open.
  uint32_t below(uint32_t count);
  /// From `lowest` to `highest`, both included.
  int64_t between(int64_t lowest, int64_t highest);
  bool chance(uint32_t percent);
  /// Of something that may be left out.
  bool chance(Extra extra, uint32_t percent) { return has(extra) && chance(percent); }
  bool has(Extra extra) const { return extras_.has(extra); }
  /// Most programs are products that instructions of warps or warpgroups compute.
  bool is_for_products() const { return has(Extra::warps) || has(Extra::warpgroups); }
  /// An index into `weights`, as often as its weight says.
  size_t weighted(llvm::ArrayRef<uint32_t> weights);

  template <class Range>
  auto& pick(Range& range) {
    return range[below(static_cast<uint32_t>(std::size(range)))];
  }

  const std::vector<uint32_t>& record() const { return record_; }

 private:
  uint64_t next();

  Extras extras_;
  uint64_t state_ = 0;
  bool replays_ = false;
  size_t position_ = 0;
  std::vector<uint32_t> record_;
};

/// A number that depends on all of both; equal on all machines.
uint64_t mix(uint64_t lhs, uint64_t rhs);

/// The magnitude up to which all integers are in a type; integers wrap, which is exact too.
double exact_limit(DType type);

}  // namespace hone
