// The limits on the size of a function.
#pragma once

#include <optional>
#include <string>

#include "ir/core/stmt.h"

namespace hone {

/// The part too large to be worked with: an expression (see largest_expression), or statements that
/// nest deeper than expressions may. Nothing where all is of a size to be read back.
std::optional<std::string> size_problem(const Function& function);

}  // namespace hone
