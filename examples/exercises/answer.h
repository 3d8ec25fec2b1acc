// The header that an answer to an exercise includes: schedules, and ladders of one's own. An answer
// defines one function, `solve`, of the type that its exercise asks for.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "dsl/schedule.h"
#include "tools/cli/ladder.h"

namespace hone {

/// A kernel as `hone show --emit=kernel` prints it.
struct KernelText {
  std::string text;
};

/// void solve(Schedule& s)     steps on the exercise's own program; or their text, as functions
/// Schedule solve()            a program of one's own, and its schedule
/// Ladder solve()
using Answer = std::variant<std::function<void(Schedule&)>, std::function<Schedule()>,
                            std::function<Ladder()>, KernelText>;

/// The main function of the program that `hone exercise` makes of an answer: judges it as the
/// answer to the exercise argv[1], and writes the judgement to the file argv[2]. Where argv[1] is
/// the text of a program, its judgement is the text of the steps that the answer takes on it: the
/// exercise is known to another program, which judges them.
int judge_main(int argc, char** argv, const Answer& answer);

}  // namespace hone
