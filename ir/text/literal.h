// Constants as text, in both directions: "32", "-3i32", "1.5", "0.5f16", "inf", "nan_f64", "true".
// An integer without a type is an index, a number with a point or an exponent an f32.
#pragma once

#include <string>

#include "ir/core/expr.h"

namespace hone {

std::string spell(const IntConst& constant);
/// With the fewest digits that read back as the constant; whole numbers below 1e16 in full.
std::string spell(const FloatConst& constant);

/// The digits of a number, with point and exponent, and the text behind them: "1.5e3" and "f64".
struct NumberParts {
  llvm::StringRef digits, rest;
  bool is_float;  ///< has a point or an exponent
};
/// Of a text that starts with a digit.
NumberParts split_number(llvm::StringRef text);

/// The constant that `text` spells: a number, or a word for a float. Throws DefinitionError where
/// the suffix is no type or the value does not fit the type.
Expr parse_number(llvm::StringRef text, bool negative);

/// "inf", "nan_f16"...
bool is_float_word(llvm::StringRef word);
/// Also "true" and "false".
bool is_constant_word(llvm::StringRef word);

}  // namespace hone
