// Exercises of this ladder: `blend exercise` lists them.
#include "ladder.h"

using namespace hone;

namespace {

/// Results are compared at the first sizes; the goals are about the last ones.
Task a_thread_for_each() {
  return {blend_ladder().program({}),
          {{{"n", 1}}, {{"n", 127}}, {{"n", 129}}},
          {{"n", 1000}},
          {threads_per_block(128, 128, "The inner axis of split(i, 128) has 128 iterations."),
           blocks_at_least(8, "Bind the outer axis of the split to block.x.")}};
}

}  // namespace

std::vector<OwnExercise> blend_exercises() {
  return {{exercise("1", "a thread for each element", a_thread_for_each),
           "Give each element of D a thread of its own, in blocks of 128 threads.\n",
           "outer, inner = split(i, 32)\nbind(outer, block.x)\n"}};
}
