// The registers that hold vectors of memory while the lanes of a vector loop run.
#pragma once

#include "ir/memory/vectors.h"
#include "ir/traverse/rename.h"

namespace hone {

/// A vector of memory and its registers.
struct Vector {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> first;   ///< its first element
  llvm::SmallVector<Expr, 2> guards;  ///< under which it is there
  Expr fill;                          ///< its value if the guards fail; null: none
  TensorPtr registers;
  bool is_read = false, is_written = false;
};

struct LaneWork {
  Stmt work;                             ///< of one lane, on registers
  llvm::SmallVector<Vector, 4> vectors;  ///< in the order in which the work first touches them
};

/// The body of a vector loop that has no vector_problem, without lets, with its accesses to vectors
/// of memory redirected to registers.
LaneWork move_to_registers(const Stmt& body, const Lanes& lanes, const Facts& facts, Names& names);

}  // namespace hone
