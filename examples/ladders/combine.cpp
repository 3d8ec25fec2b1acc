// combine: D = C / (A*A + B*B + 1), element by element. No reuse: what counts is which thread
// touches which address.

#include "examples/ladders/ladders.h"

namespace hone {
namespace {

struct Elementwise {
  Expr n, W;
  Tensor A, B, C, D;
  Axis i;
  Program program;

  Sizes expected;

  Elementwise(const Sizes& fixed, const Sizes& expected)
      : n(size_or_param(fixed, "n")),
        W(size_or_param(fixed, "W")),
        A("A", f32, {n}),
        B("B", f32, {n}),
        C("C", f32, {n}),
        D("D", f32, {n}),
        i("i", n),
        program("combine", D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)),
        expected(expected) {}
};

constexpr int64_t threads = 256;

void host(Schedule&, const Elementwise&) {}

void host_unrolled(Schedule& s, const Elementwise& p) {
  auto [turn, element] = s.split(p.i, 8, {.tail = Tail::peel, .names = {"i", "element"}});
  s.unroll(element);
}

void host_parallel(Schedule& s, const Elementwise& p) {
  auto [piece, part] = s.split(p.i, 65536, {.tail = Tail::peel, .names = {"chunk"}});
  auto [turn, element] = s.split(part, 8, {.names = {"i", "element"}});
  s.unroll(element);
  s.bind(piece, parallel);
}

void block_major(Schedule& s, const Elementwise& p) {
  auto [b, t] = s.split(p.i, threads, {.names = {"chunk", "element"}});
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

void thread_major(Schedule& s, const Elementwise& p) {
  auto [t, b] = s.split_into(p.i, threads, {.names = {"piece", "element"}});
  s.reorder({b, t});
  s.bind(b, block.x);
  s.bind(t, thread.x);
}

void image_2d(Schedule& s, const Elementwise& p) {
  auto [row, column] = s.split(p.i, p.W, {.names = {"row", "column"}});
  auto [by, bx, ty, tx] =
      s.tile({row, column}, {2, 128}, {.names = {"block_row", "block_column", "row", "column"}});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
}

/// Threads take vectors of four elements; a length that has others takes them one by one.
void vectorized(Schedule& s, const Elementwise& p) {
  const bool has_vectors = p.expected.at("n") % 4 == 0;
  if (has_vectors) s.assume(p.n % 4 == 0);
  auto [vector, element] = s.split(p.i, 4, {.names = {"vector", "element"}});
  auto [b, t] = s.split(vector, threads, {.names = {"chunk", "vector"}});
  s.bind(b, block.x);
  s.bind(t, thread.x);
  if (has_vectors)
    s.vectorize(element);
  else
    s.unroll(element);
}

Elementwise combine(const Sizes& fixed, const Sizes& expected) { return {fixed, expected}; }

}  // namespace

Ladder combine_ladder() {
  Ladder ladder;
  ladder.name = "combine";
  ladder.title = "D = C / (A*A + B*B + 1), element by element";
  ladder.sizes = {{"n", 64 * 1024 * 1024}, {"W", 8192}};
  ladder.program = [](const Sizes& fixed) { return Elementwise(fixed, {}).program; };
  ladder.flops = [](const Sizes& sizes) { return 5.0 * sizes.at("n"); };
  ladder.bytes = [](const Sizes& sizes) { return 16.0 * sizes.at("n"); };
  const RungMaker rung(combine);
  ladder.rungs = {
      rung("host", "one loop on the CPU", "The definition as it stands.", host,
           {.target = RungTarget::host}),
      rung("host-unrolled", "eight elements a turn",
           {"Each element costs a turn of the loop, which counts, compares and jumps. How can "
            "eight elements share one?",
            "The body stands there eight times: a turn of the loop counts, compares and jumps once "
            "for eight elements. What is left over has a separate loop."},
           host_unrolled, {.builds_on = "host", .target = RungTarget::host}),
      rung("host-parallel", "pieces on all cores",
           {"One core works. Which elements could others compute?",
            "No element depends on another: pieces of 65536 elements go to the cores of the CPU. "
            "One core computes the rest."},
           host_parallel, {.builds_on = "host-unrolled", .target = RungTarget::host}),
      rung("block-major", "i = block * threads + thread",
           {"A GPU has thousands of threads. Which element should each of them take?",
            "Neighbouring threads touch neighbouring elements: a warp reads 128 bytes in one "
            "piece."},
           block_major, {.builds_on = "host"}),
      rung("thread-major", "i = thread * blocks + block",
           {"What if neighbouring threads take elements that lie far apart?",
            "Neighbouring threads touch elements that lie a grid apart: each of a warp's 32 loads "
            "is a separate sector, of which it uses an eighth."},
           thread_major, {.builds_on = "block-major"}),
      rung("image-2d", "rows and columns on a two-dimensional grid",
           {"Does a two-dimensional grid change what a warp reads?",
            "No: the array is an image of width W, and blocks have two rows of 128 threads. A warp "
            "still reads neighbouring elements of one row, and a block 512 bytes of it, as with "
            "block-major. Blocks of 8 x 32 threads ask for as many sectors, but for 128 bytes of a "
            "row."},
           image_2d, {.builds_on = "block-major"}),
      rung("vectorized", "four floats a thread",
           {"Each access of a thread moves four bytes. What if it moved sixteen?",
            "A thread takes four neighbouring elements: three loads and a store of 16 bytes "
            "instead of sixteen accesses of four."},
           vectorized, {.builds_on = "block-major"}),
  };
  return ladder;
}

}  // namespace hone
