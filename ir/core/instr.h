// The instructions of kernel IR: an opcode is a record that says all there is to know about one,
// and a single statement issues any of them. Printer, parser, verifier, passes, simulated device
// and emitters read the record.
#pragma once

#include "ir/core/opcode.h"
#include "ir/core/stmt.h"

namespace hone {

/// An element of a tensor, or the first of several.
struct ElementRef {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> indices = {};
};

/// Issues an instruction: a statement of kernel IR alone, which has no others in it.
struct Instr : StmtBase<Instr, StmtKind::Instr> {
  const Opcode& opcode;
  const llvm::SmallVector<ElementRef, 3> places;  ///< those of the format, in its order
  const llvm::SmallVector<Expr, 2> values;
  const llvm::SmallVector<int64_t, 4> constants;

  /// Throws DefinitionError where a place has another number of indices than its tensor has
  /// dimensions, or where the opcode sees a problem.
  static Stmt make(const Opcode& opcode, llvm::ArrayRef<ElementRef> places = {},
                   llvm::ArrayRef<Expr> values = {}, llvm::ArrayRef<int64_t> constants = {});
  /// The same with other places and values, as many of each.
  Stmt with(llvm::ArrayRef<ElementRef> new_places, llvm::ArrayRef<Expr> new_values) const;
  Stmt with_constants(llvm::ArrayRef<int64_t> new_constants) const;
  /// The elements that it is about, and what it does to them.
  llvm::SmallVector<Operand, 3> operands() const;
  /// The elements of each place that lanes have, over the dimensions of its tensor.
  llvm::SmallVector<FragmentSpread, 3> spreads() const;

 private:
  Instr(const Opcode& opcode, llvm::ArrayRef<ElementRef> places, llvm::ArrayRef<Expr> values,
        llvm::ArrayRef<int64_t> constants)
      : opcode(opcode),
        places(places.begin(), places.end()),
        values(values.begin(), values.end()),
        constants(constants.begin(), constants.end()) {}
};

/// The statement as one of this opcode; null for any other.
const Instr* as(const Stmt& stmt, const Opcode& opcode);

/// True of instructions with this opcode.
template <const Opcode& opcode>
bool is(const Stmt& stmt) {
  return as(stmt, opcode) != nullptr;
}

}  // namespace hone
