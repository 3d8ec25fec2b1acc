// Conditions around reductions that threads share.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// Moves conditions that differ between threads into the reductions that these combine, so that all
/// threads come to where they do. No thread loops stand around `stmt`.
Stmt sink_guards(const Stmt& stmt);

}  // namespace hone
