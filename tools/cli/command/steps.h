// Commands on a schedule that a text has the steps of.
#pragma once

#include "tools/cli/command/commands.h"

namespace hone {

/// `--steps=FILE`: the steps that the first operand's program is scheduled by.
inline constexpr Option steps_option = {
    "--steps", "FILE",
    "run this schedule instead: steps as `show --emit=schedule` has them; -: "
    "standard input"};
inline constexpr Option watch_option = {"--watch", "",
                                        "with --steps: again whenever the file changes"};

/// True where the command is given steps.
bool has_steps(const Command& command, const Arguments& arguments);

/// Runs the command with a rung that stands for the steps in the place of the first operand, a
/// rung, whose program they schedule and which the new one builds on, or a ladder. Throws
/// UsageError, RuntimeError for a file that cannot be read, and what the command throws.
int run_with_steps(const Command& command, const Arguments& arguments, const Session& session);

}  // namespace hone
