// The end of the program that is made of an answer: what it prints and how long it runs is watched
// from outside, and its judgement goes into a file, which nothing else writes.
#include <sys/resource.h>

#include "examples/exercises/exercise.h"
#include "examples/exercises/judge.h"
#include "examples/exercises/judgement_file.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

void limit(int resource, rlim_t most) {
  const rlimit limits = {most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

/// The steps of answers on a program, as their judgement.
Exercise steps_on(const std::string& program) {
  return {"", "", [program](const Answer& answer) {
            const auto* solve = std::get_if<std::function<void(Schedule&)>>(&answer);
            if (!solve) return failed("the answer has to define `void solve(Schedule& s)`");
            Schedule s(parse_program(program));
            (*solve)(s);
            return Judgement{true, s.trace_text()};
          }};
}

Exercise exercise_of(const std::string& number_or_program) {
  const bool is_program = number_or_program.find("->") != std::string::npos;
  return is_program ? steps_on(number_or_program) : find_exercise(number_or_program);
}

}  // namespace

int judge_main(int argc, char** argv, const Answer& answer) {
  if (argc != 3) return 2;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, most_printed_bytes);
  write_judgement(argv[2], judge(exercise_of(argv[1]), answer));
  return 0;
}

}  // namespace hone
