// Lesson 6: banks, padding, swizzle.
//
// Shared memory lies in 32 banks, four bytes wide: the float at position p is in bank p % 32. Lanes
// of a warp that ask for different words of one bank wait for each other; each round of answers is
// a wavefront. A transposition shows it at its worst: a tile that is written by rows is read by
// columns.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

const Sizes sizes = {{"M", 96}, {"N", 64}};

/// Element (0, 0), (1, 0), (2, 0)... of a tile of 32 x 32 floats, by bank.
void print_banks_of_a_column(int64_t pitch) {
  fmt::print("rows {} floats apart, the first column is in banks", pitch);
  for (int64_t row = 0; row < 6; ++row) fmt::print(" {}", row * pitch % 32);
  fmt::print(" ...\n");
}

struct Transpose {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N}}, B{"B", f32, {N, M}};
  Axis i{"i", M}, j{"j", N};
  Program program{"transpose", B(j, i) = A(i, j)};
};

void show_tile(const Transpose& p);
void show_layouts(const Transpose& p, const Schedule& tiled, const Cache& tile);

int main() {
  const Transpose p;

  // Threads along rows of B read a column of A. One side is coalesced, the other is not, whichever
  // axis goes to thread.x: the rule of lesson 4 cannot be kept for both.
  Schedule s(p.program);
  auto [bj, bi, tj, ti] = s.tile({p.j, p.i}, {32, 32});
  s.bind(bj, block.y);
  s.bind(bi, block.x);
  s.bind(tj, thread.y);
  s.bind(ti, thread.x);
  try_out(p.program, s, sizes);
  //| M=96 N=64: right results, no findings
  //|   global load   A             192 requests, 32 sectors each
  //|   global store  B             192 requests, 4 sectors each

  show_tile(p);
}

void show_tile(const Transpose& p) {
  // A block takes its 32 x 32 elements of A in the order of A, and shared memory turns them round.
  // Both sides are coalesced now. But the lanes of a warp read a column of the tile, and all 32
  // elements of it are in one bank: 32 wavefronts where one would do.
  Schedule tiled(p.program);
  auto [by, bx, columns, rows] = tiled.tile({p.j, p.i}, {32, 32});
  auto [step, ty] = tiled.split(columns, 8);
  tiled.bind(by, block.y);
  tiled.bind(bx, block.x);
  tiled.bind(ty, thread.y);
  tiled.bind(rows, thread.x);
  const Cache tile = tiled.cache_shared(p.A, bx);
  fmt::print("{}\n", tiled);
  //| func transpose[N, M](A: f32[M, N], B: f32[N, M]) {
  //|   for j.0 in 0..(N + 31) / 32 @block.y {
  //|     for i.0 in 0..(M + 31) / 32 @block.x {
  //|       alloc A.shared: f32[32, 32] @shared
  //|       copy A.shared[0 .. +32, 0 .. +32] <- A[i.0*32 .. +32, j.0*32 .. +32]
  //|       for j.1.0 in 0..4 {
  //|         for j.1.1 in 0..8 @thread.y {
  //|           for i.1 in 0..32 @thread.x {
  //|             if (j.0*32 + j.1.0*8 + j.1.1 < N) {
  //|               if (i.0*32 + i.1 < M) {
  //|                 B[j.0*32 + j.1.0*8 + j.1.1, i.0*32 + i.1] = A.shared[i.1, j.1.0*8 + j.1.1]
  //|               }
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  try_out(p.program, tiled, sizes);
  //| M=96 N=64: right results, no findings
  //|   global load   A             192 requests, 4 sectors each
  //|   shared store  A.shared      192 requests, 1 wavefront each
  //|   shared load   A.shared      192 requests, 32 wavefronts each, 1 wavefront without bank conflicts
  //|   global store  B             192 requests, 4 sectors each
  print_banks_of_a_column(32);
  //| rows 32 floats apart, the first column is in banks 0 0 0 0 0 0 ...

  show_layouts(p, tiled, tile);
}

void show_layouts(const Transpose& p, const Schedule& tiled, const Cache& tile) {
  // One unused float behind each row moves every row on by a bank. The accesses are written as
  // before; where the elements lie is the layout's business.
  print_banks_of_a_column(33);
  //| rows 33 floats apart, the first column is in banks 0 1 2 3 4 5 ...
  Schedule padded = tiled;
  padded.layout(tile, Layout().pad(1));
  try_out(p.program, padded, sizes);
  //| M=96 N=64: right results, no findings
  //|   global load   A             192 requests, 4 sectors each
  //|   shared store  A.shared      192 requests, 1 wavefront each
  //|   shared load   A.shared      192 requests, 1 wavefront each
  //|   global store  B             192 requests, 4 sectors each

  // A swizzle needs no memory: element c of row r lies where element c ^ r would, so the elements
  // of a row change places, in another way in each row. In CUDA it is one operator more.
  Schedule swizzled = tiled;
  swizzled.layout(tile, Layout().swizzle({.chunk = 1, .period = 32}));
  try_out(p.program, swizzled, sizes);
  //| M=96 N=64: right results, no findings
  //|   global load   A             192 requests, 4 sectors each
  //|   shared store  A.shared      192 requests, 1 wavefront each
  //|   shared load   A.shared      192 requests, 1 wavefront each
  //|   global store  B             192 requests, 4 sectors each

  // Vectors want their four floats to stay together: there `chunk` is 4, and padding a multiple of
  // it.
}

// Exercises:
//   hone exercise 6.1    a transposition without bank conflicts
//   hone exercise 6.2    the same without padding
