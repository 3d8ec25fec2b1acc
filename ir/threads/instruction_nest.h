// Nests of loops that one instruction computes, for a warp at a time.
#pragma once

#include "ir/core/instr.h"
#include "ir/traverse/rename.h"

namespace hone {

/// A nest compared with what an instruction means.
struct InstructionMatch {
  Stmt instr;           ///< which computes the nest; null where it does not
  std::string problem;  ///< then: the first difference
  std::string way_out;  ///< and what makes it go away; may be empty
  Expr guard;           ///< a condition of the nest that has to go away; undefined: none
};

/// The loops of `nest`, whatever it is bound to, against the meaning of `opcode`: extents, the
/// statement, types, and the indices, but for conditions. Each place has the dimensions of its
/// argument behind those that the nest leaves alone.
InstructionMatch match_instruction(const For& nest, const Opcode& opcode);

/// The same of a nest that is bound to an instruction: nothing guards it, and its tensors are in
/// the memory that the instruction takes them from.
InstructionMatch match_exactly(const For& nest);

/// The same statement, with instructions in the place of the nests that are bound to them.
Stmt with_instructions(const Stmt& stmt, Names& names);

/// The same statement, with loops over lanes and their values in the place of instructions and of
/// nests that are bound to them: these loops touch the elements that each lane has.
Stmt with_lanes_of_instructions(const Stmt& stmt);

/// Those of the instructions in `stmt` that take elements of the tensor, and of nests that are
/// bound to them.
llvm::SmallVector<FragmentSpread, 2> spreads_of(const TensorPtr& tensor, const Stmt& stmt);

/// A loop over a digit of the numbers of the lanes of an instruction.
Binding lane_binding(const SpreadDigit& digit);

/// The lanes that run the instruction together, as the digit of a thread's number.
Binding lanes_of(const Opcode& opcode);

/// True where several threads run the instruction together, and not each by itself.
bool is_of_lanes(const Opcode& opcode);

/// The opcode that a nest, a copy or an instruction is computed by, if it has lanes; null for
/// others.
const Opcode* opcode_with_lanes(const Stmt& stmt);

}  // namespace hone
