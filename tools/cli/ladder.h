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

/// The size `name`: a constant where it is fixed, else a param.
Expr size_or_param(const Sizes& fixed, llvm::StringRef name);

/// Makes the rungs of a ladder from schedules of its problem: a program, and the handles that
/// schedules need.
template <class Problem>
class RungMaker {
 public:
  using MakeProblem = Problem (*)(const Sizes& fixed, const Sizes& expected);

  explicit RungMaker(MakeProblem make) : make_(make) {}

  Rung operator()(const char* name, const char* title, const char* idea,
                  std::function<void(Schedule&, const Problem&)> schedule,
                  RungTarget target = RungTarget::gpu) const {
    const auto build = [make = make_, schedule](const Sizes& fixed, const Sizes& expected) {
      const Problem problem = make(fixed, expected);
      Schedule s(problem.program);
      schedule(s, problem);
      return s;
    };
    return {name, title, idea, target, build};
  }

 private:
  MakeProblem make_;
};

}  // namespace hone
