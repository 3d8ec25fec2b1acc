// Copies whose tiles instructions move, each for a warp at a time.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/core/instr.h"
#include "ir/threads/instruction_places.h"

namespace hone {

/// The loops over the tiles of the copy, each of which is a nest that is bound to the opcode. For
/// one of as many dimensions as the opcode has, whose tiles divide it. `axis` makes an axis that
/// has the word in its name.
Stmt nest_of(const Copy& copy, const Opcode& opcode,
             llvm::function_ref<AxisPtr(llvm::StringRef)> axis);

/// The reason that the opcode cannot move the tiles of the copy.
std::optional<InstructionProblem> tiles_problem(const Copy& copy, const Opcode& opcode,
                                                const Facts& facts);

}  // namespace hone
