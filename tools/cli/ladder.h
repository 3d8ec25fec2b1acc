// Ladders: stepwise optimisations that the hone command shows, runs and compares. A program that
// links hone_cli can hand its own ladders to `run_command`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/schedule.h"
#include "ir/buffer.h"

namespace hone {

/// Where the kernels of a rung run.
enum class RungTarget { gpu, host };

/// One idea: a schedule over the ladder's program.
struct Rung {
  std::string name;   ///< "register-accumulate"
  std::string title;  ///< a line
  std::string idea;   ///< a paragraph
  RungTarget target = RungTarget::gpu;
  /// The scheduled program. Sizes in `fixed` are constants of the program, the others stay params;
  /// `expected` holds the sizes that the caller is about to run, for a rung that depends on them.
  std::function<Schedule(const Sizes& fixed, const Sizes& expected)> build;
  /// What the rung schedules, where it has definitions of its own that lead to the same results;
  /// empty: the ladder's program.
  std::function<Program(const Sizes& fixed)> program = {};
};

struct Ladder {
  std::string name;   ///< "matmul"
  std::string title;  ///< a line
  Sizes sizes;        ///< what runs where the user gives none; names every size but pitches
  /// The program that the rungs schedule, with the sizes in `fixed` as constants: what a rung is
  /// checked against.
  std::function<Program(const Sizes& fixed)> program;
  /// Floating-point operations and bytes moved at least, for these sizes.
  std::function<double(const Sizes&)> flops, bytes;
  std::vector<Rung> rungs;
};

}  // namespace hone
