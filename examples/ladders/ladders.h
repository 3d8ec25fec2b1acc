// The ladders that come with Hone: classic CUDA optimisations, one idea a rung.
#pragma once

#include <vector>

#include "tools/cli/ladder.h"

namespace hone {

Ladder matmul_ladder();
Ladder combine_ladder();

std::vector<Ladder> all_ladders();

/// The size `name`: a constant where it is fixed, else a param.
Expr size_or_param(const Sizes& fixed, llvm::StringRef name);

}  // namespace hone
