// Checks that two arguments may be one array.
#pragma once

#include <optional>
#include <string>

#include "ir/core/stmt.h"

namespace hone {

/// The reason that the function computes something else if two of its arguments, of which it writes
/// one at least, are the same array: "C[i] is written by one iteration of i, and another one reads
/// A[i - 1]". Nothing if each element is read before it is written, by the one iteration and the
/// one thread that writes it: then all reads see what they would in arrays that are apart.
std::optional<std::string> in_place_problem(const Function& function, const TensorPtr& lhs,
                                            const TensorPtr& rhs);

}  // namespace hone
