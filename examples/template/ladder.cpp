#include "ladder.h"

#include <hone/hone.h>

using namespace hone;

namespace {

struct Blend {
  Program program;
  Axis i;
};

/// Sizes in `fixed` are constants, the others params.
Blend blend_problem(const Sizes& fixed, const Sizes&) {
  const Expr n = size_or_param(fixed, "n");
  const Tensor A("A", f32, {n}), B("B", f32, {n}), D("D", f32, {n});
  const Axis i("i", n);
  return {Program("blend", D(i) = (A(i) + B(i)) / 2), i};
}

}  // namespace

Ladder blend_ladder() {
  const RungMaker rung(blend_problem);
  Ladder ladder;
  ladder.name = "blend";
  ladder.title = "D = (A + B) / 2";
  ladder.sizes = {{"n", 1000}};
  ladder.program = [](const Sizes& fixed) { return blend_problem(fixed, {}).program; };
  ladder.flops = [](const Sizes& sizes) { return 2.0 * sizes.at("n"); };
  ladder.bytes = [](const Sizes& sizes) { return 12.0 * sizes.at("n"); };
  ladder.figures = blend_figures;
  ladder.rungs = {
      rung("one-thread", "no step", "One thread does it all.", [](Schedule&, const Blend&) {}),
      rung("threads", "blocks of 256 threads",
           {"No element of D depends on another. How can all of them be computed at once?",
            "Each thread computes an element."},
           [](Schedule& s, const Blend& p) {
             auto [chunk, lane] = s.split(p.i, 256);
             s.bind(chunk, block.x);
             s.bind(lane, thread.x);
           },
           {.builds_on = "one-thread"}),
      rung("vectorized", "four elements a thread", "One access moves four neighbours.",
           [](Schedule& s, const Blend& p) {
             auto [run, element] = s.split(p.i, 4, {.tail = Tail::peel});
             auto [chunk, lane] = s.split(run, 256);
             s.bind(chunk, block.x);
             s.bind(lane, thread.x);
             s.vectorize(element);
           },
           {.builds_on = "threads"}),
  };
  return ladder;
}
