// The places in one dimension of a tensor that accesses touch: so many from a corner on, which is
// the same for all of them.
#pragma once

#include <optional>

#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"

namespace hone {

/// All places from `low` on; nothing in `extent` where their number is not constant.
struct IndexSpan {
  Polynomial low;
  std::optional<int64_t> extent;
};

/// The values of an index over the loops inside the access. A value that an element chooses may be
/// any in its dimension. Nothing where no bounds are known.
std::optional<IndexSpan> span_of(const MemoryAccess& access, size_t dim);

/// A span that holds the index in every one of the accesses, where `facts` hold around them.
/// Corners may lie a constant number of elements apart, as those of A[i] and A[i + 2] do. An index
/// by min, max or select is one of its operands, under the condition under which that is chosen,
/// and a guard may tell that an index lies within the span of others: select(i > 0, A[i - 1], A[0])
/// takes 33 elements for i in b*32 .. +32. `apart` gets the first access that has no place.
///
/// Places that guards and the ends of the tensor keep the accesses from are left out where these
/// are half of it or more, unless it has to be whole: accesses take them in spite of guards.
std::optional<IndexSpan> common_span(llvm::ArrayRef<const MemoryAccess*> accesses, size_t dim,
                                     const Facts& facts, bool is_whole, const MemoryAccess*& apart);

}  // namespace hone
