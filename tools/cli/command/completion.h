// Words that a shell offers while one types a command line.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

/// The words that may stand in the place of the last one, which may be empty or half a word:
/// commands, their options, values of these, ladders and rungs. `words` do without the name of the
/// program.
std::vector<std::string> completions(llvm::ArrayRef<std::string> words,
                                     llvm::ArrayRef<Command> commands,
                                     llvm::ArrayRef<Ladder> ladders);

/// A script for bash or zsh that asks `TOOL complete` for them. Throws UsageError for other shells.
std::string completion_script(const std::string& shell, const std::string& tool);

}  // namespace hone
