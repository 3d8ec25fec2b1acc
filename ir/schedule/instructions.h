// The instructions that primitives take by their names.
#pragma once

#include "ir/core/opcode.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

using TakesOpcode = llvm::function_ref<bool(const Opcode&)>;

/// The instruction of that name, with its elements spread over lanes; refuses a name that none has,
/// and lists those like it that the primitive takes.
const Opcode& find_instruction(
    const Preconditions& check, llvm::StringRef word,
    TakesOpcode takes = [](const Opcode&) { return true; });

}  // namespace hone
