// Guards that other guards make superfluous.
#pragma once

#include "ir/algebra/facts.h"

namespace hone {

/// `stmt` without the conditions that follow from the others around the same code:
///
///   if (row < (n + W - 1) / W)              if (column < W)
///     if (column < W)               =>        if (row*W + column < n)
///       if (row*W + column < n)                 body
///         body
///
/// `stmt` is simplified under `facts`, which hold around it.
Stmt drop_implied_guards(const Stmt& stmt, const Facts& facts = {});

}  // namespace hone
