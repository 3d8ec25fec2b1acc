// Users' own operators that are declared associative.
#pragma once

#include <functional>
#include <limits>

#include "dsl/program.h"
#include "tests/support/ir/run.h"

namespace hone {

using CombineValues = std::function<Expr(Expr, Expr)>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The message of the DefinitionError of an operator that is declared associative.
inline std::string refusal(const char* name, DType type, const Expr& identity,
                           const CombineValues& combine) {
  Tensor A("A", type, {8});
  ReduceAxis k("k", 8);
  return message_of<DefinitionError>(
      [&] { reduce({k}, identity, A(k), combine, {.name = name, .associative = true}); });
}

}  // namespace hone
