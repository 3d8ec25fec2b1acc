// The conditions on sizes under which the indices of a definition lie within its tensors, and the
// places that reductions keep in an i32.
#pragma once

#include "dsl/program.h"

namespace hone {

/// So many indices from 0 on are values of an i32.
constexpr int64_t places_in_an_i32 = int64_t{1} << 31;

/// Of each index that is a sum of axes, sizes and numbers, and that is not chosen by a condition:
/// that its least and its largest value are indices of the dimension. An index that is proved to be
/// has no condition, and one that is outside for all sizes is refused. Where an axis has no values,
/// nothing is accessed, and any size will do:
///
///   Y() = sum(k, X(S + k))             N <= 0 || N + S <= E      of an X of E elements, and N k
///   best() = argmax(k, X(k))           N <= 2147483648           of an i32 as the place
llvm::SmallVector<SizeCheck, 2> index_conditions(const Definition& definition);

}  // namespace hone
