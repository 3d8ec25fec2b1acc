// Proofs that copies can move several elements in one access.
#pragma once

#include "ir/memory/vectors.h"

namespace hone {

/// The reason that `copy` cannot move `copy.vector` elements, 2 or more, at a time, with a note
/// that may be empty; nothing if it can. The side in global memory lies in whole, aligned vectors,
/// which are inside or outside of both tensors as a whole; the side in shared memory may lie
/// anywhere. `facts` hold around the copy; `may_alias`: global tensors may overlap.
struct CopyProblem {
  std::string message, note;
};
std::optional<CopyProblem> vector_problem(const Copy& copy, const Facts& facts, bool may_alias);

/// True if the elements of a vector also lie side by side, and aligned, wherever they are in
/// memory: each is one access to both sides. For a copy without a problem.
bool has_vectors_on_both_sides(const Copy& copy, const Facts& facts);

}  // namespace hone
