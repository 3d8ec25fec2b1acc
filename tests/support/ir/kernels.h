// What a function becomes, as its text says it.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// True if the functions become the same kernels.
bool have_same_nests(const Function& lhs, const Function& rhs);

}  // namespace hone
