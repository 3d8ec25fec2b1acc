// Ladders whose rungs differ in one thing.
#pragma once

#include "command.h"

namespace hone {

/// C += A B in global memory, as the compiler leaves it and as it does not.
inline Ladder promoted() {
  Ladder ladder = small_matmul();
  const auto sums = [](bool may_alias) {
    return [may_alias](Schedule& s, const SmallMatmul& p) {
      auto [by, bx, ty, tx] = s.tile({p.i, p.j}, {4, 4});
      s.bind(by, block.y);
      s.bind(bx, block.x);
      s.bind(ty, thread.y);
      s.bind(tx, thread.x);
      if (may_alias) s.may_alias();
    };
  };
  ladder.rungs = {make_rung<SmallMatmul>("alias", "", RungTarget::gpu, sums(true)),
                  make_rung<SmallMatmul>("restrict", "", RungTarget::gpu, sums(false))};
  ladder.rungs.back().builds_on = "alias";
  return ladder;
}

/// Z = X X, a thread for each element.
inline Ladder squares(const char* name, DType type) {
  const auto program = [type](const Sizes& fixed) {
    const Expr n = size_of(fixed, "N");
    const Tensor X("X", type, {n}), Z("Z", type, {n});
    const Axis i("i", n);
    return Program("squares", Z(i) = X(i) * X(i));
  };
  const auto build = [program](const Sizes& fixed, const Sizes&) {
    Schedule s(program(fixed));
    auto [pieces, lanes] = s.split(s.axis("i"), 128);
    s.bind(pieces, block.x);
    s.bind(lanes, thread.x);
    return s;
  };
  Ladder ladder;
  ladder.name = name;
  ladder.sizes = {{"N", 65536}};
  ladder.program = program;
  ladder.rungs = {{"blocks", "", "", RungTarget::gpu, build}};
  return ladder;
}

/// B = 2 A, C = B + 1, D = C^2: a kernel each.
inline Ladder three_kernels() {
  struct Problem {
    Expr N;
    Tensor A, B, C, D;
    Axis i, j, k;
    Program program;
    explicit Problem(const Sizes& fixed)
        : N(size_of(fixed, "N")),
          A("A", f32, {N}),
          B("B", f32, {N}),
          C("C", f32, {N}),
          D("D", f32, {N}),
          i("i", N),
          j("j", N),
          k("k", N),
          program("chain", B(i) = A(i) * 2.0, C(j) = B(j) + 1.0, D(k) = C(k) * C(k)) {}
  };
  Ladder ladder;
  ladder.name = "chain";
  ladder.sizes = {{"N", 1000}};
  ladder.program = [](const Sizes& fixed) { return Problem(fixed).program; };
  ladder.rungs = {
      make_rung<Problem>("blocks", "", RungTarget::gpu, [](Schedule& s, const Problem& p) {
        for (const Axis& axis : {p.i, p.j, p.k}) s.bind(axis, block.x);
      })};
  return ladder;
}

}  // namespace hone
