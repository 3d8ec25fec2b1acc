// The commands that take a file of CUDA text or of PTX in the place of a rung.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

/// `check FILE.cu` and `run FILE.cu`, by the names of the commands for rungs.
llvm::ArrayRef<Command> kernel_file_commands();

}  // namespace hone
