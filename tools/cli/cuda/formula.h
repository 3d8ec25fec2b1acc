// Integers as formulas of named sizes: "cdiv(N, 256) * 2".
#pragma once

#include <vector>

#include "ir/interpret/buffer.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// The value of a formula of numbers, sizes, + - * / % and parentheses, where / rounds toward zero,
/// and of the functions cdiv(a, b), min(a, b, ...) and max(a, b, ...). Throws UsageError that says
/// what is wrong with which formula.
int64_t value_of_formula(llvm::StringRef formula, const Sizes& sizes);

/// The values of formulas with commas between them.
std::vector<int64_t> values_of_formulas(llvm::StringRef formulas, const Sizes& sizes);

}  // namespace hone
