// rowsum and matvec: each row of a matrix becomes one number. Every element of the matrix is used
// once: what counts is that neighbouring threads read neighbours, and how many bytes are on their
// way.

#include <algorithm>

#include "examples/ladders/ladders.h"
#include "examples/ladders/threads.h"

namespace hone {
namespace {

/// The rungs take from a problem its axes, the matrix, and the vector that they compute.
struct RowReduction {
  Expr M, N;
  Axis i;
  ReduceAxis k;
  Sizes expected;

  RowReduction(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        i("i", M),
        k("k", N),
        expected(expected) {}
};

struct RowSum : RowReduction {
  Tensor matrix, result;
  Program program;

  RowSum(const Sizes& fixed, const Sizes& expected)
      : RowReduction(fixed, expected),
        matrix("X", f32, {M, N}),
        result("S", f32, {M}),
        program("rowsum", result(i) = sum(k, matrix(i, k))) {}
};

struct Matvec : RowReduction {
  Tensor matrix, x, result;
  Program program;

  Matvec(const Sizes& fixed, const Sizes& expected)
      : RowReduction(fixed, expected),
        matrix("A", f32, {M, N}),
        x("x", f32, {N}),
        result("y", f32, {M}),
        program("matvec", result(i) = sum(k, matrix(i, k) * x(k))) {}
};

constexpr Combine by_shuffles = {Combine::shuffle};
constexpr Combine by_warps = {Combine::two_level};

template <class Rows>
void per_thread(Schedule& s, const Rows& p) {
  auto [b, t] = s.split(p.i, 128, {.names = {"block_row", "row"}});
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.cache_registers(p.result, t);
}

/// Eight rows a block.
template <class Rows>
void warp_per_row(Schedule& s, const Rows& p) {
  auto [b, warp] = s.split(p.i, 8, {.names = {"block_row", "row"}});
  s.bind(b, block.x);
  s.bind(warp, thread.y);
  combine_threads(s, p.k, 32, by_shuffles);
  s.cache_registers(p.result, warp);
}

template <class Rows>
void block_per_row(Schedule& s, const Rows& p) {
  s.bind(p.i, block.x);
  combine_threads(s, p.k, 256, by_warps);
}

/// A thread has `items` vectors of a row on their way at a time; a row that has other elements
/// comes one by one.
template <class Rows>
void vectors_in_flight(Schedule& s, const Rows& p, int64_t threads, int64_t items) {
  const bool has_vectors = p.expected.at("N") % 4 == 0;
  if (has_vectors) s.assume(p.N % 4 == 0);
  auto [turn, part] = s.split(p.k, threads * items * 4, {.names = {"step"}});
  auto [item, rest] = s.split(part, threads * 4, {.names = {"item"}});
  auto [t, element] = s.split(rest, 4, {.names = {"vector", "element"}});
  s.reorder({t, turn, item, element});
  s.bind(p.i, block.x);
  s.bind(t, thread.x, by_warps);
  s.cache_registers(p.matrix, item, {.vectorize = has_vectors ? 4 : 0});
  s.unroll(item);
}

template <class Rows>
void vectorized(Schedule& s, const Rows& p) {
  const int64_t N = p.expected.at("N");
  const int64_t threads = N <= 1024 ? 32 : N <= 8192 ? 256 : 1024;
  vectors_in_flight(s, p, threads,
                    std::clamp<int64_t>((N + threads * 4 - 1) / (threads * 4), 1, 8));
}

template <class Rows>
void vectorized_by_choice(Schedule& s, const Rows& p, tune::Choices& choices) {
  const int64_t threads = choices.choice("threads", {32, 64, 128, 256, 512, 1024});
  vectors_in_flight(s, p, threads, choices.choice("items", {1, 2, 4, 8}));
}

template <class Rows>
Ladder row_ladder(const char* name, const char* title) {
  Ladder ladder;
  ladder.name = name;
  ladder.title = title;
  ladder.sizes = {{"M", 16384}, {"N", 8192}};
  ladder.program = [](const Sizes& fixed) { return Rows(fixed, {}).program; };
  ladder.bytes = [](const Sizes& sizes) { return 4.0 * sizes.at("M") * sizes.at("N"); };
  const RungMaker<Rows> rung(
      [](const Sizes& fixed, const Sizes& expected) { return Rows(fixed, expected); });
  ladder.rungs = {
      rung("per-thread", "a thread per row",
           "Each thread walks along its row: the lanes of a warp read elements that lie a row "
           "apart, and each takes 32 bytes to use four of them.",
           per_thread<Rows>),
      rung("warp-per-row", "a warp per row, eight rows a block",
           {"Each lane moves 32 bytes to use four of them. Which lanes should share a row?",
            "The lanes take neighbouring elements, and add up what they have by shuffles. No "
            "thread waits for another warp."},
           warp_per_row<Rows>, {.builds_on = "per-thread"}),
      rung("shuffle", "a block per row",
           {"A row is the work of one warp. What changes if a whole block has it?",
            "256 threads have a row: warps add up by shuffles, and then the first one adds up what "
            "the warps have left in shared memory."},
           block_per_row<Rows>, {.builds_on = "warp-per-row"}),
      rung.tunable(rung("vectorized", "vectors of four, several in flight",
                        {"A thread has few loads in flight. How can it ask for more at once?",
                         "All loads of a batch are in flight before the first is used, sixteen "
                         "bytes each; a short row has a single warp."},
                        vectorized<Rows>, {.builds_on = "shuffle"}),
                   vectorized_by_choice<Rows>),
  };
  return ladder;
}

}  // namespace

Ladder rowsum_ladder() { return row_ladder<RowSum>("rowsum", "the sum of each row of a matrix"); }

Ladder matvec_ladder() {
  return row_ladder<Matvec>("matvec", "the product of a matrix and a vector");
}

}  // namespace hone
