// The end of the program that is made of an answer: what it prints and how long it runs is watched
// from outside, and its judgement goes into a file, which nothing else writes.
#include <sys/resource.h>

#include "examples/exercises/exercise.h"
#include "examples/exercises/judgement_file.h"

namespace hone {
namespace {

void limit(int resource, rlim_t most) {
  const rlimit limits = {most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

}  // namespace

int judge_main(int argc, char** argv, const Answer& answer) {
  if (argc != 3) return 2;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, most_printed_bytes);
  write_judgement(argv[2], judge(find_exercise(argv[1]), answer));
  return 0;
}

}  // namespace hone
