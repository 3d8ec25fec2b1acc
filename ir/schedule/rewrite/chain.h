// A chain: loops of which each stands inside the one before, with guards and neighbouring
// statements between them. Reordering a chain moves the guards inwards and distributes the loops
// over the neighbours.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// A statement that stands beside the chain, before or after its next loop.
struct Neighbour {
  Stmt stmt;
  size_t depth = 0;    ///< the number of loops of the chain around it
  size_t nesting = 0;  ///< the number of statements of the chain around it
  bool before = true;
  llvm::SmallVector<Expr, 2> guards;  ///< of the chain, around the statement
};

struct Chain {
  llvm::SmallVector<const For*, 8> loops;  ///< outermost first
  llvm::SmallVector<Neighbour, 2> neighbours;
  llvm::SmallVector<Expr, 2> guards;  ///< around the innermost body
  Stmt body;                          ///< of the innermost loop
};

/// The chain from the outermost to the innermost of `axes`; refuses axes that are not nested in one
/// another, or that something other than loops, guards and sequences separates.
Chain find_chain(const Preconditions& check, llvm::ArrayRef<AxisPtr> axes);

}  // namespace hone
