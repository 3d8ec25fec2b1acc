// The conditions on sizes under which the indices of a definition lie within its tensors.
#pragma once

#include "dsl/program.h"

namespace hone {

/// Of each index that is a sum of axes, sizes and numbers, and that is not chosen by a condition:
/// that its least and its largest value are indices of the dimension. An index that is proved to be
/// has no condition. Where an axis has no values, nothing is accessed, and any size will do:
///
///   Y() = sum(k, X(S + k))             N <= 0 || N + S <= E      of an X of E elements, and N k
llvm::SmallVector<Expr, 2> index_conditions(const Definition& definition);

}  // namespace hone
