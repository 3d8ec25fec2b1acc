// The command `hone watch`: a program of the user's own, built and run at every save.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

/// For tools whose programs link it.
llvm::ArrayRef<Command> watch_commands();

}  // namespace hone
