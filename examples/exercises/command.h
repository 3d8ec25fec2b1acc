// `hone exercise`: lists exercises, prints their tasks, and judges answers.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

llvm::ArrayRef<Command> exercise_commands();

}  // namespace hone
