// The loops that a copy stands for.
#pragma once

#include <array>

#include "ir/rename.h"
#include "ir/stmt.h"

namespace hone {

/// The loops over threads and steps that make a copy together. `threads` are how many there are in
/// each dimension.
Stmt cooperative_nest(const Copy& copy, const std::array<Expr, 3>& threads, Names& names);

/// The loops of the thread that makes all of the copy.
Stmt own_nest(const Copy& copy, Names& names);

/// The loops of the copy, made as it says in a block of this shape.
Stmt copy_nest(const Copy& copy, const std::array<Expr, 3>& block, Names& names);

}  // namespace hone
