// Ladders: stepwise optimisations that the hone command shows, runs and compares. A program that
// links hone_cli can hand its own ladders to `run_command`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dsl/schedule.h"
#include "dsl/tune.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// The device that the kernels of a rung run on.
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
  /// The program that the rung schedules, where it has definitions of its own that lead to the same
  /// results; empty: the ladder's program.
  std::function<Program(const Sizes& fixed)> program = {};
  /// The rung of the same ladder whose schedule this one takes further, to compare it with.
  /// Empty: none.
  std::string builds_on = {};
  /// A sentence that the reader is asked before the idea, which answers it. Empty: none.
  std::string question = {};
  /// The step of a tutorial that this one rebuilds, and where it is: "step 1 of ...". Empty: none.
  std::string rebuilds = {};
  /// Kernel IR, as `hone show --emit=kernel` prints it, in place of `build`: of the arguments that
  /// the ladder's program has, and of temporaries. For kernels that no schedule makes. Empty: none.
  std::string kernel = {};
  /// The schedule with parameters, which `hone tune` explores; sizes as of `build`. Empty: none.
  std::function<Schedule(const Sizes& fixed, const Sizes& expected, tune::Choices&)> space = {};
  /// Sizes that are constants of the program that the rung schedules, whether they are in `fixed`
  /// or not: steps that stand for the rung schedule such a program, too.
  std::vector<std::string> constants = {};
  /// The place in C++ that states the rung; without a file: none is known.
  Location location = {};
};

inline bool is_given_as_text(const Rung& rung) { return !rung.kernel.empty(); }

struct Ladder {
  std::string name;   ///< "matmul"
  std::string title;  ///< a line
  Sizes sizes;        ///< the defaults; they name every size but pitches
  /// The program that the rungs schedule, with the sizes in `fixed` as constants. Rungs are checked
  /// against it.
  std::function<Program(const Sizes& fixed)> program;
  /// Floating-point operations and bytes moved at least, for these sizes.
  std::function<double(const Sizes&)> flops, bytes;
  std::vector<Rung> rungs;
  /// Measured times: JSON as `hone ladder NAME --json` prints it, of one machine and size or of
  /// several, one array behind the other. Empty: none.
  std::string figures = {};
  /// All sizes of the figures that a page shows first, if they are of half of the rungs or more.
  /// Empty: the largest.
  Sizes first_shown = {};
  /// True if the rungs are wrong, or slow, on purpose: a student finds the reason.
  /// `hone list` shows them apart, and commands on all ladders leave them out.
  bool is_broken = false;
  /// The reason that the problem is hard on a GPU, and what the rungs are about: a paragraph.
  std::string problem = {};
  /// The text of a source file, by the path that the places of rungs and steps have; nothing for
  /// files that it does not know, which are read from the disk. Empty: it knows none.
  std::function<std::optional<std::string>(const std::string& path)> source = {};
};

/// The rung that `rung`, of this ladder, builds on; null where it builds on none. Throws
/// RuntimeError where the ladder has no rung of that name.
const Rung* built_on(const Ladder& ladder, const Rung& rung);

/// The size `name`: a constant where it is fixed, else a param.
Expr size_or_param(const Sizes& fixed, llvm::StringRef name);

/// `fixed`, and those of `expected` that have one of the names.
Sizes with_constants(Sizes fixed, const Sizes& expected, llvm::ArrayRef<std::string> names);

/// The idea of a rung, and the question that it answers, in the order in which they are read:
/// {"Who else needs this element?", "The threads of a block share it."}.
struct Idea {
  Idea(const char* text) : text(text) {}  // NOLINT(google-explicit-constructor): without a question
  Idea(const char* question, const char* text) : question(question), text(text) {}

  std::string question, text;
};

/// Facts that a rung states besides its schedule.
struct RungOptions {
  std::string builds_on = {};  ///< Rung::builds_on
  RungTarget target = RungTarget::gpu;
  std::vector<std::string> constants = {};  ///< Rung::constants
};

/// Makes the rungs of a ladder from schedules of its problem: a program, and the handles that
/// schedules need.
template <class Problem>
class RungMaker {
 public:
  using MakeProblem = Problem (*)(const Sizes& fixed, const Sizes& expected);

  explicit RungMaker(MakeProblem make) : make_(make) {}

  Rung operator()(const char* name, const char* title, const Idea& idea,
                  std::function<void(Schedule&, const Problem&)> schedule,
                  const RungOptions& options = {}, Location location = Location::current()) const {
    Rung rung = {name, title, idea.text, options.target, {}, {}, options.builds_on};
    rung.question = idea.question;
    rung.constants = options.constants;
    rung.location = location;
    rung.build = [make = make_, schedule, constants = options.constants](const Sizes& fixed,
                                                                         const Sizes& expected) {
      return scheduled(make(with_constants(fixed, expected, constants), expected), schedule);
    };
    return rung;
  }

  /// The rung, and a schedule of the same problem with parameters.
  Rung tunable(Rung rung,
               std::function<void(Schedule&, const Problem&, tune::Choices&)> schedule) const {
    rung.space = [make = make_, schedule, constants = rung.constants](
                     const Sizes& fixed, const Sizes& expected, tune::Choices& choices) {
      return scheduled(make(with_constants(fixed, expected, constants), expected),
                       [&](Schedule& s, const Problem& problem) { schedule(s, problem, choices); });
    };
    return rung;
  }

 private:
  template <class Idea>
  static Schedule scheduled(const Problem& problem, const Idea& idea) {
    Schedule s(problem.program);
    idea(s, problem);
    return s;
  }

  MakeProblem make_;
};

}  // namespace hone
