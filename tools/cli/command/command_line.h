// The hone command, for programs that bring their own ladders.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "tools/cli/ladder.h"
#include "tools/cli/output.h"

namespace hone {

struct Command;

/// Runs one command line, without the program's name, on these ladders. Returns the exit status: 0,
/// 1 for a failure, 2 for a command line that asks for something that does not exist; both are
/// explained on standard error. `tool` is the program's name, for help; `more` are commands that
/// it adds. `program` is its file, for commands that start it again; empty: there is none.
int run_command(llvm::ArrayRef<std::string> arguments, const std::vector<Ladder>& ladders,
                Output& out, const std::string& tool = "hone", llvm::ArrayRef<Command> more = {},
                const std::string& program = "");

/// The same for main(), on the streams of the process.
int run_command(int argc, const char* const* argv, const std::vector<Ladder>& ladders,
                llvm::ArrayRef<Command> more = {});

}  // namespace hone
