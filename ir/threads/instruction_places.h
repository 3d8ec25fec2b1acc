// The elements that an instruction takes from a place, side by side.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/core/instr.h"

namespace hone {

/// The reason that an instruction cannot be used, and what would help; that may be empty.
struct InstructionProblem {
  std::string message, note;
};

/// The first place where the values that a thread has are no neighbours, from a multiple of their
/// bytes on. That is said of shared memory, and of registers of threads that run the instruction
/// each by itself: where lanes run it together, their registers lie as it takes them. Places in
/// other memory are to come to that first.
std::optional<InstructionProblem> places_problem(const Instr& instr, const Facts& facts);

}  // namespace hone
