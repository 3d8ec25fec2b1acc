// The loops of a kernel as it is written.
#pragma once

#include "codegen/cost/size_formula.h"
#include "ir/core/stmt.h"
#include "ir/text/printer.h"
#include "llvm/ADT/MapVector.h"

namespace hone {

using LoopNest = llvm::SmallVector<const For*, 6>;  // outermost first

/// The loops around the statements of a body, in the order of the text.
struct SourceLoops {
  llvm::MapVector<const StmtNode*, LoopNest> around;  ///< of each statement
  llvm::MapVector<const For*, SizeFormula> trips;     ///< of each loop

  explicit SourceLoops(const Stmt& body);

  SizeFormula product(llvm::ArrayRef<const For*> loops) const;
};

/// The value of a formula; 1 where it has more in it than sizes.
double value_of(const SizeFormula& formula, const Sizes& sizes);

}  // namespace hone
