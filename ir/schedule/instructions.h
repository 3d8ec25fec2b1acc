// The instructions that primitives take by their names.
#pragma once

#include "ir/core/opcode.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// The instruction of that name, with its elements spread over lanes; refuses a name that none has,
/// and lists those that are like it.
const Opcode& find_instruction(const Preconditions& check, llvm::StringRef word);

}  // namespace hone
