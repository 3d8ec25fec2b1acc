// The commands of every tool, with their options and their help.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

llvm::ArrayRef<Command> command_table();

}  // namespace hone
