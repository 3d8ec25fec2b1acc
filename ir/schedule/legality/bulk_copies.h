// Copies that the copy engine makes.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/memory/copy_vectors.h"

namespace hone {

/// The reason that the copy engine cannot make the copy, from global to shared memory or back;
/// nothing if it can. It moves a box of the tensor in global memory, of at most 256 elements in
/// each of at most 5 dimensions, whose rows lie at multiples of 16 bytes, from a column on that is
/// one; rows that it writes to are multiples as well, and it writes to nothing before them. The
/// tile is laid out as the box is, or has one of the engine's swizzles, and lies at a multiple of
/// its pattern. `facts` hold around the copy.
std::optional<CopyProblem> problem_of_bulk(const Copy& copy, const Facts& facts);

/// The same of a copy from shared to global memory, in the nest of a kernel: its block as a whole
/// makes it, and nothing else in the kernel touches the elements that it writes.
std::optional<CopyProblem> problem_of_bulk_store(const Copy& copy, const Stmt& nest,
                                                 const Facts& facts, bool may_alias);

}  // namespace hone
