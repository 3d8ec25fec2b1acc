// `hone exercise`: lists exercises, prints their tasks, and judges answers.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace hone {

struct Command;

/// For tools whose programs link it.
llvm::ArrayRef<Command> exercise_commands();

}  // namespace hone
