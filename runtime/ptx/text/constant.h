// Constant expressions of PTX.
#pragma once

#include "runtime/ptx/text/lexer.h"

namespace hone::ptx {

struct Constant {
  int64_t bits = 0;       ///< of an f32 its 32 bits
  Type type = Type::s64;  ///< s64, u64, f32 or f64

  double real() const;
};

/// Reads literals with operators between them: "-1", "(1<<3)+4", "WARP_SZ", "0f3F800000", "1.5".
/// Throws PtxError where something else stands, and for a division by zero.
Constant parse_constant(Lexer& lexer);
/// As above, where it must be an integer.
int64_t parse_integer(Lexer& lexer);

}  // namespace hone::ptx
