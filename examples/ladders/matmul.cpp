// matmul: C = A B, row-major floats. From a triple loop on the CPU to one thread per element.

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

/// The program and the handles that schedules need.
struct Matmul {
  Expr M, N, K;
  Tensor A, B, C;
  Axis i, j;
  ReduceAxis k;
  Program program;
  Sizes expected;

  Matmul(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        K(size_or_param(fixed, "K")),
        A("A", f32, {M, K}),
        B("B", f32, {K, N}),
        C("C", f32, {M, N}),
        i("i", M),
        j("j", N),
        k("k", K),
        program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))),
        expected(expected) {}
};

constexpr int64_t max_threads = 1024;

void host(Schedule& s, const Matmul&) { s.may_alias(); }

void host_restrict(Schedule&, const Matmul&) {}

void host_register(Schedule& s, const Matmul& p) { s.cache_registers(p.C, p.j); }

void rows_to_blocks(Schedule& s, const Matmul& p) {
  s.bind(p.i, block.x);
  if (p.expected.at("N") <= max_threads) {
    s.bind(p.j, thread.x);
    return;
  }
  // A row with more columns than a block has threads takes several blocks.
  auto [jo, ji] = s.split(p.j, max_threads);
  s.bind(jo, block.y);
  s.bind(ji, thread.x);
}

/// One thread per element of C, in square blocks; neighbouring threads take neighbouring columns.
/// Returns the axis of the innermost threads.
Axis square_blocks(Schedule& s, const Matmul& p, int64_t tile) {
  auto [by, bx, ty, tx] = s.tile({p.i, p.j}, {tile, tile});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  return tx;
}

void global_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  square_blocks(s, p, 32);
}

void register_accumulate(Schedule& s, const Matmul& p) {
  s.may_alias();
  const Axis tx = square_blocks(s, p, 32);
  s.cache_registers(p.C, tx);
}

void restrict_pointers(Schedule& s, const Matmul& p) { square_blocks(s, p, 32); }

using Idea = void (*)(Schedule&, const Matmul&);

Rung rung(const char* name, const char* title, const char* idea, Idea schedule,
          RungTarget target = RungTarget::gpu) {
  const auto build = [schedule](const Sizes& fixed, const Sizes& expected) {
    const Matmul problem(fixed, expected);
    Schedule s(problem.program);
    schedule(s, problem);
    return s;
  };
  return {name, title, idea, target, build};
}

}  // namespace

Ladder matmul_ladder() {
  Ladder ladder;
  ladder.name = "matmul";
  ladder.title = "C = A B in single precision, row-major";
  ladder.sizes = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
  ladder.program = [](const Sizes& fixed) { return Matmul(fixed, {}).program; };
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * sizes.at("M") * sizes.at("N") * sizes.at("K");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 4.0 * (m * k + k * n + m * n);
  };
  ladder.rungs = {
      rung("host", "triple loop on the CPU",
           "The definition as it stands. C is accumulated in memory: as far as the compiler knows, "
           "a "
           "store to C may change A or B, so every step of k stores and loads.",
           host, RungTarget::host),
      rung(
          "host-restrict", "the same with restrict pointers",
          "The pointers promise not to overlap, and the compiler may keep the sum in a register by "
          "itself.",
          host_restrict, RungTarget::host),
      rung("host-register", "the sum in a local variable",
           "One accumulator, one store per element: nothing is left for the compiler to prove.",
           host_register, RungTarget::host),
      rung("bind", "rows to blocks, columns to threads",
           "The two spatial loops become the grid and the block. Each thread computes one element; "
           "a "
           "row must fit in a block, or takes several.",
           rows_to_blocks),
      rung("global-accumulate", "a two-dimensional grid, sums in global memory",
           "Blocks of 32 x 32 threads cover C, and a guard cuts off what lies beyond the edges. "
           "Each "
           "step of k loads and stores an element of C in global memory.",
           global_accumulate),
      rung(
          "register-accumulate", "the sum in a register",
          "The element of C that a thread computes lives in a register while k runs, and is stored "
          "once.",
          register_accumulate),
      rung("restrict", "restrict pointers alone",
           "The schedule of global-accumulate, with pointers that promise not to overlap: the "
           "compiler finds the register by itself.",
           restrict_pointers),
  };
  return ladder;
}

}  // namespace hone
