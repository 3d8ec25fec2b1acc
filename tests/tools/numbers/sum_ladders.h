// Ladders whose rungs add the same terms in other orders.
#pragma once

#include "tests/tools/command.h"

namespace hone {

/// S = the sum of X(k, l)
struct WholeSum {
  Expr M, N;
  Tensor X, S;
  ReduceAxis k, l;
  Program program;

  explicit WholeSum(const Sizes& fixed)
      : M(size_of(fixed, "M")),
        N(size_of(fixed, "N")),
        X("X", f32, {M, N}),
        S("S", f32, {}),
        k("k", M),
        l("l", N),
        program("total", S() = sum({k, l}, X(k, l))) {}
};

inline Ladder sums_ladder() {
  Ladder ladder;
  ladder.name = "sums";
  ladder.title = "the sum of a matrix";
  ladder.sizes = {{"M", 12}, {"N", 40}};
  ladder.program = [](const Sizes& fixed) { return WholeSum(fixed).program; };
  const auto rung = [](const char* name, auto idea) {
    return make_rung<WholeSum>(name, "", RungTarget::gpu, idea);
  };
  ladder.rungs = {
      rung("pieces", [](Schedule& s, const WholeSum& p) { s.split(p.l, 8); }),
      rung("columns",
           [](Schedule& s, const WholeSum& p) {
             s.reorder({p.l, p.k});
           }),
      rung("tree",
           [](Schedule& s, const WholeSum& p) {
             auto [pieces, threads] = s.split(p.l, 32);
             s.reorder({threads, p.k, pieces});
             s.bind(threads, thread.x, Combine::sequential);
           }),
      rung("atomic",
           [](Schedule& s, const WholeSum& p) {
             auto [blocks, pieces] = s.split(p.k, 4);
             s.bind(blocks, block.x, Combine::atomic);
           }),
  };
  return ladder;
}

}  // namespace hone
