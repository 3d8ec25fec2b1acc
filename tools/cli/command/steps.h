// Commands on a schedule that a text has the steps of.
#pragma once

#include "tools/cli/command/commands.h"
#include "tools/cli/user_text.h"

namespace hone {

/// `--steps=FILE`: the steps that the first operand's program is scheduled by, or FILE.jsonl, a
/// table of `hone tune`, which has them by GPU and sizes.
inline constexpr Option steps_option = {
    "--steps", "FILE",
    "run this schedule instead: steps as `show --emit=schedule` has them; -: "
    "standard input; FILE.jsonl: those of a table of `hone tune`"};
inline constexpr Option watch_option = {"--watch", "",
                                        "with --steps: again whenever the file changes"};

/// A ladder whose program is scheduled, and the rung of it that is named.
struct StartingPoint {
  Ladder ladder;
  const Rung* rung = nullptr;  ///< null: none is

  /// The program that steps schedule.
  std::function<Program(const Sizes& fixed)> program() const;
};

/// "matmul", "matmul/naive", the text of a program, or a file with that. Throws UsageError,
/// RuntimeError for a file that cannot be read, and ParseError.
StartingPoint find_start(const std::string& operand, llvm::ArrayRef<Ladder> ladders);

/// The program as text, for parse_program().
std::string program_text(const Function& program);
/// The same; empty where no text says the program: it has an operator of its own, or extents that
/// its text lacks.
std::string readable_program_text(const Function& program);

/// The ladder of the start, with one rung more behind the others: that of the steps, with the
/// name of their file.
Ladder with_steps(const StartingPoint& start, const UserText& steps);

/// True where the command is given steps, and of `try`, whose schedule may have none.
bool runs_steps(const Command& command, const Arguments& arguments);

/// Runs the command with a rung that stands for the steps in the place of the first operand, a
/// rung, whose program they schedule and which the new one builds on, or a ladder. Throws
/// UsageError, RuntimeError for a file that cannot be read, and what the command throws.
int run_with_steps(const Command& command, const Arguments& arguments, const Session& session);

}  // namespace hone
