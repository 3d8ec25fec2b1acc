// Mistakes that change nothing, and why.
#pragma once

#include <optional>

#include "tests/support/mutants/seeded_mistakes.h"

namespace hone {

/// The reason for which the mistake in the kernel `right` neither changes a result nor makes a
/// race, in any order; nothing where there is none.
std::optional<std::string> why_equivalent(const SeededMistake& mistake,
                                          const KernelFunction& right);

/// True if the mistake is about when threads wait alone, and weakens one of these statements, or
/// moves another one past it. Of statements that the kernel is right without, it changes nothing.
bool weakens_any(const SeededMistake& mistake, const KernelFunction& right,
                 llvm::ArrayRef<Stmt> stmts);

}  // namespace hone
