// Lesson 11: halos and compute_at.
//
// A stencil reads the neighbours of an element, so the tile of a block needs a margin: its halo. A
// blur in two steps, along rows and then along columns, needs it twice. The lesson stages a tile
// with its halo, and then moves the first step to where the second needs it. Each placement trades
// memory traffic for work that several blocks repeat; the counters say how much.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

const Sizes sizes = {{"H", 64}, {"W", 64}};

/// The picture has a margin of one on each side, so that every element has all neighbours.
struct Blur {
  Param H{"H"}, W{"W"};
  Tensor in{"in", f32, {H + 2, W + 2}}, rows{"rows", f32, {H + 2, W}}, out{"out", f32, {H, W}};
  Axis v{"v", H + 2}, u{"u", W}, y{"y", H}, x{"x", W};
  Program program{"blur", rows(v, u) = in(v, u) + in(v, u + 1) + in(v, u + 2),
                  out(y, x) = (rows(y, x) + rows(y + 1, x) + rows(y + 2, x)) / 9.0f};
};

/// Blocks of 8 x 32 threads compute `out`, an element each; returns the axis of threads along x.
Axis threads_of(Schedule& s, const Tensor& out, const Axis& y, const Axis& x) {
  auto [by, bx, ty, tx] = s.tile({s.axis(out, y), s.axis(out, x)}, {8, 32});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  return tx;
}

/// Per element of the result: global loads, global stores, and arithmetic.
void print_costs(const char* name, const Program& program, const Schedule& s) {
  if (!measure(program, s, {{"H", 9}, {"W", 33}}).is_right()) std::exit(EXIT_FAILURE);
  const Measured measured = measure(program, s, sizes);
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
  const auto results = static_cast<double>(measured.results);
  double loads = 0, stores = 0, flops = 0;
  for (const CountReport& kernel : measured.kernels) {
    loads += static_cast<double>(kernel.total(AccessClass::global_load).bytes) / 4;
    stores += static_cast<double>(kernel.total(AccessClass::global_store).bytes) / 4;
    flops += static_cast<double>(kernel.flops);
  }
  fmt::print("{:<8} kernels: {}, per result {:.2f} loads, {:.2f} stores, {:.2f} operations\n", name,
             measured.kernels.size(), loads / results, stores / results, flops / results);
}

void show_inlined(const Blur& p);
void show_staged(const Blur& p, Schedule staged, const Axis& tx);
void show_placed(const Blur& p);

int main() {
  const Blur p;

  // Two nests are two kernels, and `rows` travels through global memory between them.
  Schedule apart(p.program);
  threads_of(apart, p.rows, p.v, p.u);
  threads_of(apart, p.out, p.y, p.x);
  print_costs("apart", p.program, apart);
  //| apart    kernels: 2, per result 6.09 loads, 2.03 stores, 5.06 operations

  show_inlined(p);
  show_placed(p);
}

void show_inlined(const Blur& p) {
  // In one kernel, without `rows`: its definition stands where its elements were read.
  Schedule inlined(p.program);
  inlined.inline_tensor(p.rows);
  const Axis tx = threads_of(inlined, p.out, p.y, p.x);
  fmt::print("{}\n", inlined);
  //| func blur[H, W](in: f32[H + 2, W + 2], out: f32[H, W]) {
  //|   for y.0 in 0..(H + 7) / 8 @block.y {
  //|     for x.0 in 0..(W + 31) / 32 @block.x {
  //|       for y.1 in 0..8 @thread.y {
  //|         for x.1 in 0..32 @thread.x {
  //|           if (y.0*8 + y.1 < H) {
  //|             if (x.0*32 + x.1 < W) {
  //|               out[y.0*8 + y.1, x.0*32 + x.1] = (in[y.0*8 + y.1, x.0*32 + x.1] + in[y.0*8 + y.1, x.0*32 + x.1 + 1] + in[y.0*8 + y.1, x.0*32 + x.1 + 2] + (in[y.0*8 + y.1 + 1, x.0*32 + x.1] + in[y.0*8 + y.1 + 1, x.0*32 + x.1 + 1] + in[y.0*8 + y.1 + 1, x.0*32 + x.1 + 2]) + (in[y.0*8 + y.1 + 2, x.0*32 + x.1] + in[y.0*8 + y.1 + 2, x.0*32 + x.1 + 1] + in[y.0*8 + y.1 + 2, x.0*32 + x.1 + 2])) / 9.0
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  print_costs("inlined", p.program, inlined);
  //| inlined  kernels: 1, per result 9.00 loads, 1.00 stores, 9.00 operations

  show_staged(p, inlined, tx);
}

void show_staged(const Blur& p, Schedule staged, const Axis& tx) {
  // The 8 x 32 threads of a block read 10 x 34 elements of `in`, nine times most of them. The tile
  // is what an iteration of tx touches over all threads of the block: the halo comes by itself.
  staged.cache_shared(p.in, tx);
  fmt::print("{}\n", staged);
  //| func blur[H, W](in: f32[H + 2, W + 2], out: f32[H, W]) {
  //|   for y.0 in 0..(H + 7) / 8 @block.y {
  //|     for x.0 in 0..(W + 31) / 32 @block.x {
  //|       for y.1 in 0..8 @thread.y {
  //|         for x.1 in 0..32 @thread.x {
  //|           alloc in.shared: f32[10, 34] @shared
  //|           copy in.shared[0 .. +10, 0 .. +34] <- in[y.0*8 .. +10, x.0*32 .. +34]
  //|           if (y.0*8 + y.1 < H) {
  //|             if (x.0*32 + x.1 < W) {
  //|               out[y.0*8 + y.1, x.0*32 + x.1] = (in.shared[y.1, x.1] + in.shared[y.1, x.1 + 1] + in.shared[y.1, x.1 + 2] + (in.shared[y.1 + 1, x.1] + in.shared[y.1 + 1, x.1 + 1] + in.shared[y.1 + 1, x.1 + 2]) + (in.shared[y.1 + 2, x.1] + in.shared[y.1 + 2, x.1 + 1] + in.shared[y.1 + 2, x.1 + 2])) / 9.0
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  print_costs("staged", p.program, staged);
  //| staged   kernels: 1, per result 1.33 loads, 1.00 stores, 9.00 operations
}

void show_placed(const Blur& p) {
  // Or a block computes the 10 x 32 elements of `rows` that it reads, once, into shared memory. The
  // two outer rows are computed by the blocks above and below as well: a quarter more of the
  // first step than without blocks, and yet fewer operations than the inlined kernel has.
  Schedule placed(p.program);
  auto [by, bx, ty, t] = placed.tile({placed.axis(p.out, p.y), placed.axis(p.out, p.x)}, {8, 32});
  placed.bind(by, block.y);
  placed.bind(bx, block.x);
  placed.compute_at(p.rows, bx, {.scope = Scope::shared});
  auto [turn, row] = placed.split(placed.axis(p.rows, p.v), 8);
  placed.bind(row, thread.y);
  placed.bind(placed.axis(p.rows, p.u), thread.x);
  placed.bind(ty, thread.y);
  placed.bind(t, thread.x);
  fmt::print("{}\n", placed);
  //| func blur[H, W](in: f32[H + 2, W + 2], out: f32[H, W]) {
  //|   for y.0 in 0..(H + 7) / 8 @block.y {
  //|     for x.0 in 0..(W + 31) / 32 @block.x {
  //|       alloc rows: f32[10, 32] @shared
  //|       for v.0 in 0..2 {
  //|         for v.1 in 0..8 @thread.y {
  //|           if (v.0*8 + v.1 < 10) {
  //|             for u in 0..32 @thread.x {
  //|               if (y.0*8 + v.0*8 + v.1 < H + 2) {
  //|                 if (x.0*32 + u < W) {
  //|                   rows[v.0*8 + v.1, u] = in[y.0*8 + v.0*8 + v.1, x.0*32 + u] + in[y.0*8 + v.0*8 + v.1, x.0*32 + u + 1] + in[y.0*8 + v.0*8 + v.1, x.0*32 + u + 2]
  //|                 }
  //|               }
  //|             }
  //|           }
  //|         }
  //|       }
  //|       for y.1 in 0..8 @thread.y {
  //|         for x.1 in 0..32 @thread.x {
  //|           if (y.0*8 + y.1 < H) {
  //|             if (x.0*32 + x.1 < W) {
  //|               out[y.0*8 + y.1, x.0*32 + x.1] = (rows[y.1, x.1] + rows[y.1 + 1, x.1] + rows[y.1 + 2, x.1]) / 9.0
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  print_costs("placed", p.program, placed);
  //| placed   kernels: 1, per result 3.75 loads, 1.00 stores, 5.50 operations
}

// Exercises:
//   hone exercise 11.1    a tile with its halo
//   hone exercise 11.2    two steps in one kernel
