// Mistakes that change nothing, and why.
#pragma once

#include <optional>

#include "tests/support/mutants/seeded_mistakes.h"

namespace hone {

/// The reason for which the mistake in the kernel `right` neither changes a result nor makes a
/// race, in any order; nothing where there is none.
std::optional<std::string> why_equivalent(const SeededMistake& mistake,
                                          const KernelFunction& right);

}  // namespace hone
