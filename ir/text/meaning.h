// The meanings of instructions, as functions.
#pragma once

#include "ir/core/opcode.h"
#include "ir/core/stmt.h"

namespace hone {

/// The meaning of an opcode that has one, parsed once. Its arguments are the places.
const Function& meaning_of(const Opcode& opcode);

}  // namespace hone
