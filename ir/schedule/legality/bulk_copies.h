// Copies that the copy engine makes.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/analysis/copy_vectors.h"

namespace hone {

/// The reason that the copy engine cannot make the copy, from global to shared memory; nothing if
/// it can. A producer asks it for a box of the source, of at most 256 elements in each of at most 5
/// dimensions, whose rows lie at multiples of 16 bytes. The tile is laid out as the box is, or has
/// one of the engine's swizzles, and lies at a multiple of its pattern. `facts` hold around the
/// copy.
std::optional<CopyProblem> problem_of_bulk(const Copy& copy, const Facts& facts);

}  // namespace hone
