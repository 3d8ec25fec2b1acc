// Lesson 10: reductions, from the naive tree to shuffles.
//
// Lesson 2 was refused a reduction axis on threads: all of them would update one element. Threads
// can share a sum if they put together what they have, and `bind` takes a way to do so. The
// program's additions are then in another order, which changes the rounding of floats; asking for
// it is how a user agrees. The lesson sums the rows of a matrix, a block per row.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

const Sizes sizes = {{"M", 4}, {"N", 1000}};

/// Row sums by blocks of 256 threads. A thread adds up each 256th element of a row; then the block
/// combines the 256 sums.
Schedule by_blocks(const Program& row_sums, const Combine& combine) {
  Schedule s(row_sums);
  s.bind(s.axis("i"), block.x);
  auto [turn, t] = s.split(s.axis("k"), 256);
  s.reorder({t, turn});
  s.bind(t, thread.x, combine);
  return s;
}

/// The costs of the combination: warps that diverge wait for their own lanes.
void print_costs(const char* name, const Measured& measured) {
  const CountReport& kernel = measured.kernels[0];
  const MemoryCounts shared = kernel.shared();
  fmt::print(
      "{:<20} branches that diverge {:>3}, shared wavefronts {:>3} ({:>3} by conflicts), "
      "barriers per block {}, shuffles {:>3}\n",
      name, kernel.branch_total.divergent, shared.wavefronts, shared.bank_conflicts(),
      kernel.barriers_per_block(), kernel.shuffles.warps);
}

void check(const Measured& measured) {
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
}

void compare_ways(const Program& row_sums);
void show_warps(const Program& row_sums, const Axis& i, const ReduceAxis& k);

int main() {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {M});
  Axis i("i", M);
  ReduceAxis k("k", N);
  Program row_sums("row_sums", S(i) = sum(k, A(i, k)));

  // In the naive tree, thread t adds the sum of t + 1 where 2 divides t, then that of t + 2 where 4
  // does, and so on. Every warp stays busy to the end, with ever fewer lanes.
  const Schedule naive = by_blocks(row_sums, {Combine::interleaved_modulo});
  fmt::print("{}\n", naive);
  //| func row_sums[M, N](A: f32[M, N], S: f32[M]) {
  //|   for i in 0..M @block.x {
  //|     S[i] = 0.0
  //|     reduce k.1 in 0..256 @thread.x combine(interleaved_modulo) {
  //|       reduce k.0 in 0..(N + 255) / 256 {
  //|         if (k.0*256 + k.1 < N) {
  //|           S[i] += A[i, k.0*256 + k.1]
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  try_out(row_sums, naive, sizes);
  //| M=4 N=1000: right results, no findings
  //|   global load   A             128 requests, 3.906 sectors each
  //|   shared store  S.tree        220 requests, 1 wavefront each
  //|   shared load   S.tree        380 requests, 1 wavefront each
  //|   global store  S               4 requests, 1 sector each

  compare_ways(row_sums);
  show_warps(row_sums, i, k);
}

void compare_ways(const Program& row_sums) {
  // Five ways, one program. The strided tree has the threads that go on side by side: whole warps
  // drop out, and the elements that lanes take lie ever further apart, in ever fewer banks. The
  // sequential one adds the upper half to the lower half: neighbours take neighbours. Its last warp
  // needs no shared memory, as lanes can read each other's registers: a shuffle. `two_level` does
  // so in all warps, and a second time with what the warps have.
  const Combine ways[] = {{Combine::interleaved_modulo},
                          {Combine::interleaved_strided},
                          {Combine::sequential},
                          {.method = Combine::sequential, .last_warp = true},
                          {Combine::two_level}};
  const char* names[] = {"interleaved_modulo", "interleaved_strided", "sequential", "its last warp",
                         "two_level"};
  for (size_t way = 0; way < 5; ++way) {
    const Measured measured = measure(row_sums, by_blocks(row_sums, ways[way]), sizes);
    check(measured);
    print_costs(names[way], measured);
  }
  //| interleaved_modulo   branches that diverge 196, shared wavefronts 600 (  0 by conflicts), barriers per block 8, shuffles   0
  //| interleaved_strided  branches that diverge  28, shared wavefronts 600 (420 by conflicts), barriers per block 8, shuffles   0
  //| sequential           branches that diverge  28, shared wavefronts 180 (  0 by conflicts), barriers per block 8, shuffles   0
  //| its last warp        branches that diverge   8, shared wavefronts 112 (  0 by conflicts), barriers per block 3, shuffles  20
  //| two_level            branches that diverge  44, shared wavefronts  36 (  0 by conflicts), barriers per block 1, shuffles 172
}

void show_warps(const Program& row_sums, const Axis& i, const ReduceAxis& k) {
  // A short row is better off with one warp: no shared memory, no barrier, and eight rows a block.
  // Rows of 1, 31 and 33 elements leave lanes without any, which the combination must stand.
  Schedule warps(row_sums);
  auto [b, warp] = warps.split(i, 8);
  auto [turn, lane] = warps.split(k, 32);
  warps.bind(b, block.x);
  warps.bind(warp, thread.y);
  warps.reorder({lane, turn});
  warps.bind(lane, thread.x, Combine::shuffle);
  fmt::print("{}\n", warps);
  //| func row_sums[M, N](A: f32[M, N], S: f32[M]) {
  //|   for i.0 in 0..(M + 7) / 8 @block.x {
  //|     for i.1 in 0..8 @thread.y {
  //|       if (i.0*8 + i.1 < M) {
  //|         S[i.0*8 + i.1] = 0.0
  //|         reduce k.1 in 0..32 @thread.x combine(shuffle) {
  //|           reduce k.0 in 0..(N + 31) / 32 {
  //|             if (k.0*32 + k.1 < N) {
  //|               S[i.0*8 + i.1] += A[i.0*8 + i.1, k.0*32 + k.1]
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  for (const int64_t length : {1, 31, 33, 1000})
    check(measure(row_sums, warps, {{"M", 4}, {"N", length}}));
  print_costs("a warp per row", try_out(row_sums, warps, sizes));
  //| M=4 N=1000: right results, no findings
  //|   global store  S               8 requests, 1 sector each
  //|   global load   A             128 requests, 3.906 sectors each
  //|   global load   S               4 requests, 1 sector each
  //| a warp per row       branches that diverge  20, shared wavefronts   0 (  0 by conflicts), barriers per block 0, shuffles  40

  // The sum of one long vector has many blocks, which combine too: by atomic additions, or in a
  // second kernel that `rfactor` makes. The ladder reduce goes that way: `hone ladder reduce`.
}

// Exercises:
//   hone exercise 10.1    a warp per row
//   hone exercise 10.2    a dot product
