// The meaning of an instruction as a list of what it does to single elements, where it is no more
// than a product of matrices or a move: what runs in place of the interpreter.
#pragma once

#include <memory>

#include "ir/core/opcode.h"
#include "ir/core/stmt.h"

namespace hone {

struct MeaningPlan {
  enum class Kind : uint8_t {
    none,      ///< anything else
    moves,     ///< to = lhs
    products,  ///< to += lhs * rhs, all of them converted to the type of `to` before
  };
  /// Elements of the first three arguments, by their number in them.
  struct Step {
    uint32_t to = 0, lhs = 0, rhs = 0;
  };
  Kind kind = Kind::none;
  std::vector<Step> steps;  ///< in order
  /// By argument, value and lane: the number of the element.
  std::vector<std::vector<uint32_t>> elements;
};

/// The plan of the opcode's meaning, made once.
std::shared_ptr<const MeaningPlan> plan_of(const Function& meaning, const Opcode& opcode);

}  // namespace hone
