// The common part of the passes that make loops of copies: the order of the elements, and one of
// them as a statement.
#pragma once

#include "ir/opcodes/opcodes.h"

namespace hone {

/// A place in the region of a copy: a coordinate per range that is not a point.
using Coordinates = llvm::SmallVector<Expr, 4>;

/// The dimensions of the region, from the slowest to the fastest of `side`, one of the copy's two.
llvm::SmallVector<unsigned, 4> storage_order(const Region& side);

/// The number of elements, neighbours in the fastest dimension, that move in one access: as the
/// schedule has promised, or widen_copies has proved.
int64_t vector_width(const Copy& copy);

/// One access of the copy: the element at `first`, or the vector from there on, of which `lane`
/// goes through the elements, along `fastest`. It is clipped at the ends of the destination, and
/// the fill beyond those of the source; a vector lies inside or outside as its first element does.
Stmt copy_access(const Copy& copy, const Coordinates& first, unsigned fastest, const AxisPtr& lane);

}  // namespace hone
