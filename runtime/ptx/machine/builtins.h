// Functions that CUDA text calls and that have no body: printf, malloc, free, assert.
#pragma once

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

bool is_builtin(llvm::StringRef name);
/// For the active lanes.
void call_builtin(Warp& warp, const CallDetail& call, const Function& function);

}  // namespace hone::ptx
