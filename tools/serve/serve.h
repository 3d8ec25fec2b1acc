// The command `hone serve`: a playground in the browser.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

/// For tools whose programs link it.
llvm::ArrayRef<Command> serve_commands();

}  // namespace hone
