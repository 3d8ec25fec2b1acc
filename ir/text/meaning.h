// The meanings of instructions, as functions.
#pragma once

#include "ir/core/opcode.h"
#include "ir/core/stmt.h"

namespace hone {

/// What the opcode says that it means, which it must; parsed once. Its arguments are the places.
const Function& meaning_of(const Opcode& opcode);

}  // namespace hone
