// Lesson 14: pipelines and roles.
//
// A block that fills a tile, waits, computes and waits again does one thing at a time: while copies
// are on their way, nobody computes. This lesson has the copies of later rows made meanwhile. First
// the threads start them ahead of time, in a ring of tiles; then warps of their own do nothing
// else. At last a wait is taken out of the kernel, and the check tells what comes of it.

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"
#include "tools/draw/draw.h"

using namespace hone;

const Sizes sizes = {{"M", 2}, {"K", 8}};

/// Products of rows of 64 numbers with their mirror images, added up.
struct Mirrored {
  Param M = Param("M"), K = Param("K");
  Tensor A = Tensor("A", f32, {M, K, 64}), S = Tensor("S", f32, {M, 64});
  Axis i = Axis("i", M), t = Axis("t", 64);
  ReduceAxis k = ReduceAxis("k", K);
  Program program = Program("mirrored", S(i, t) = sum(k, A(i, k, t) * A(i, k, 63 - t)));
};

struct Tiled {
  Schedule s;
  Cache tile;
};

/// A block for each i. Thread t reads what thread 63 - t has copied: the row is in a tile.
Tiled tiled(const Mirrored& p) {
  Schedule s(p.program);
  s.bind(p.i, block.x);
  s.bind(p.t, thread.x);
  s.cache_registers(p.S, p.t);
  const Cache tile = s.cache_shared(p.A, p.k);
  return {s, tile};
}

/// The kernel, and the barriers that a block meets. Its results have to be right.
void show(const Mirrored& p, const Schedule& s) {
  const Measured measured = measure(p.program, s, sizes);
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
  fmt::print("{}\nbarriers per block: {}\n", to_string(measured.module.kernels[0]),
             measured.kernels[0].barriers_per_block());
}

/// The slots of the ring over time, as `hone draw` has them.
void draw(const Schedule& s) {
  Figure figure = pipeline_figures(Recording(s, sizes)).at(0);
  figure.caption.clear();
  fmt::print("{}", to_text(figure));
}

void show_a_ring(const Mirrored& p);
void show_roles(const Mirrored& p);
void show_turns(const Schedule& s);
void show_missing_waits(const Mirrored& p, const Schedule& s);
void check_without(const Mirrored& p, const Schedule& s, const std::string& wait);

int main() {
  // One tile. Behind the first barrier it is full, and behind the second one it may be filled
  // again. In between no copy is on its way: each row costs the time of a load from global memory,
  // a few hundred cycles, and then that of a few additions.
  const Mirrored p;
  show(p, tiled(p).s);
  //| kernel mirrored[M, K](A: f32[M, K, 64], S: f32[M, 64]) grid(M, 1, 1) block(64, 1, 1) @index32 {
  //|   alloc A.shared: f32[64] @shared(0)
  //|   let i = block.x
  //|   let t = thread.x
  //|   alloc S.reg: f32[] @registers
  //|   S.reg[] = 0.0
  //|   reduce k in 0..K {
  //|     A.shared[t] = A[i*K*64 + k*64 + t]
  //|     barrier
  //|     S.reg[] += A.shared[t] * A.shared[63 - t]
  //|     barrier
  //|   }
  //|   S[i*64 + t] = S.reg[]
  //| }
  //| barriers per block: 16

  show_a_ring(p);
  show_roles(p);
}

// `copy_async` has copies made by `cp.async`: a thread that has started one goes on. `pipeline`
// makes a ring of three tiles of the one, and starts the copies two rows ahead: those of rows 0 and
// 1 before the loop, which is the prologue, and in turn k those of row k + 2.
//
// A thread cuts its copies into groups, by commit_group. wait_group 1 leaves one group on its way,
// the latest, and waits for all before it. A group is committed in the last turns as well, with
// nothing in it, so that the count stays right. The barrier has two reasons: the others' copies of
// row k are there, too, and all have read row k - 1, whose slot is filled next.
void show_a_ring(const Mirrored& p) {
  auto [s, tile] = tiled(p);
  s.copy_async(tile);
  s.pipeline(p.k, 3);
  show(p, s);
  //| kernel mirrored[M, K](A: f32[M, K, 64], S: f32[M, 64]) grid(M, 1, 1) block(64, 1, 1) @index32 {
  //|   alloc A.shared: f32[3, 64] @shared(0)
  //|   let i = block.x
  //|   let t = thread.x
  //|   alloc S.reg: f32[] @registers
  //|   S.reg[] = 0.0
  //|   for k.ahead in 0..2 @unroll {
  //|     if (k.ahead < K) {
  //|       copy_async A.shared[k.ahead, t] <- A[i*K*64 + k.ahead*64 + t] of 1
  //|     }
  //|     commit_group
  //|   }
  //|   reduce k in 0..K {
  //|     wait_group 1
  //|     barrier
  //|     if (k + 2 < K) {
  //|       copy_async A.shared[(k + 2) % 3, t] <- A[i*K*64 + k*64 + t + 128] of 1
  //|     }
  //|     commit_group
  //|     S.reg[] += A.shared[k % 3, t] * A.shared[k % 3, 63 - t]
  //|   }
  //|   S[i*64 + t] = S.reg[]
  //| }
  //| barriers per block: 8

  // A column is what is done from one wait to the next. +3 starts the copies of row 3, ~3 has them
  // on their way, r3 reads the row. From the first wait on, those of two rows are on their way.
  draw(s);
  //| the ring A.shared: 3 slots, up to 2 on their way
  //|
  //| who does what, step by step
  //|                       0   1   2   3   4   5   6   7   8
  //| threads: wait_group   .   1   1   1   1   1   1   1   1
  //|    threads: barrier   .   x   x   x   x   x   x   x   x
  //|       threads: fill 0-1   2   3   4   5   6   7   .   .
  //| copies on their way   2   2   2   2   2   2   2   1   .
  //|       threads: read   .   0   1   2   3   4   5   6   7
  //|
  //| the slots of A.shared
  //|                       0   1   2   3   4   5   6   7   8
  //|              slot 0  +0  r0  +3  ~3  r3  +6  ~6  r6   .
  //|              slot 1  +1  ~1  r1  +4  ~4  r4  +7  ~7  r7
  //|              slot 2   .  +2  ~2  r2  +5  ~5  r5   .   .
  //|
}

// The barrier still holds each warp until the slowest one has come. `specialize` gives the copies
// to a warp of its own, the producer, which goes on filling slots until none is empty. The others
// are consumers. They wait for each other a slot at a time, by mbarriers: two for each slot.
//
// k.full[s] counts 32 arrivals, those of the producer's threads, which come when the copies that a
// thread has started are there. k.empty[s] counts 64, those of the consumers, which come when a
// thread has read the slot. With the last arrival the phase ends, and the next one counts as many.
// A wait names the parity of a phase, k / 3 % 2, as k / 3 numbers the rounds of the ring. Producers
// wait for the other parity: all slots are empty at first, without an arrival.
void show_roles(const Mirrored& p) {
  auto [s, tile] = tiled(p);
  s.copy_async(tile);
  s.specialize(p.k, 3, {.producer_warps = 1});
  show(p, s);
  //| kernel mirrored[M, K](A: f32[M, K, 64], S: f32[M, 64]) grid(M, 1, 1) block(96, 1, 1) @index32 {
  //|   alloc k.full: i64[3] @shared(768)
  //|   alloc k.empty: i64[3] @shared(792)
  //|   alloc A.shared: f32[3, 64] @shared(0)
  //|   let i = block.x
  //|   if (thread.x == 0) {
  //|     for slot in 0..3 {
  //|       init_mbarrier k.full[slot] of 32
  //|       init_mbarrier k.empty[slot] of 64
  //|     }
  //|   }
  //|   barrier
  //|   if (64 <= thread.x) {
  //|     reduce k.ahead in 0..K {
  //|       wait_mbarrier k.empty[k.ahead % 3] parity (k.ahead / 3 + 1) % 2
  //|       let A.shared.tx = thread.x - 64
  //|       if (A.shared.tx < 16) {
  //|         copy_async A.shared[k.ahead % 3, A.shared.tx*4] <- A[i*K*64 + k.ahead*64 + A.shared.tx*4] of 4
  //|       }
  //|       arrive_mbarrier k.full[k.ahead % 3] after_copies
  //|     }
  //|   }
  //|   if (thread.x < 64) {
  //|     let t = thread.x
  //|     alloc S.reg: f32[] @registers
  //|     S.reg[] = 0.0
  //|     reduce k in 0..K {
  //|       wait_mbarrier k.full[k % 3] parity k / 3 % 2
  //|       S.reg[] += A.shared[k % 3, t] * A.shared[k % 3, 63 - t]
  //|       arrive_mbarrier k.empty[k % 3]
  //|     }
  //|     S[i*64 + t] = S.reg[]
  //|   }
  //| }
  //| barriers per block: 1

  show_turns(s);
  show_missing_waits(p, s);
}

void show_turns(const Schedule& s) {
  // 0/1 is a wait for slot 0, parity 1, and three dots are a step of waiting. Consumers wait for
  // the first copies alone.
  draw(s);
  //| the ring A.shared: 3 slots, up to 2 on their way
  //|
  //| who does what, step by step
  //|                           0   1   2   3   4   5   6   7   8   9
  //|      producers: barrier   x   .   .   .   .   .   .   .   .   .
  //| producers: wait k.empty 0/1 1/1 2/1 0/0 1/0 2/0 0/1 1/1   .   .
  //|         producers: fill   0   1   2   3   4   5   6   7   .   .
  //|     copies on their way   1   2   2   2   2   2   2   2   1   .
  //|      consumers: barrier   x   .   .   .   .   .   .   .   .   .
  //|  consumers: wait k.full ... ... 0/0 1/0 2/0 0/1 1/1 2/1 0/0 1/0
  //|         consumers: read   .   .   0   1   2   3   4   5   6   7
  //|
  //| the slots of A.shared
  //|                           0   1   2   3   4   5   6   7   8   9
  //|                  slot 0  +0  ~0  r0  +3  ~3  r3  +6  ~6  r6   .
  //|                  slot 1   .  +1  ~1  r1  +4  ~4  r4  +7  ~7  r7
  //|                  slot 2   .   .  +2  ~2  r2  +5  ~5  r5   .   .
  //|
}

void show_missing_waits(const Mirrored& p, const Schedule& s) {
  // Without the wait for full slots, consumers read what is still on its way. Without that for
  // empty slots, the producer runs away: phase 1 of a slot has ended before consumers look for the
  // end of phase 0. The phase at hand is the third one, of the same parity, and its arrivals never
  // come. On a GPU results are wrong, or the kernel hangs. `hone check RUNG --kernel=my.kernel`
  // checks the text of a rung that was changed.
  check_without(p, s, "wait_mbarrier k.full");
  //| race on A.shared[0, 0]: no barrier between two threads of a block
  //|   block (0, 0, 0), thread (64, 0, 0) writes A.shared[k.ahead % 3, A.shared.tx*4 .. +4]
  //|     in: copy_async A.shared[k.ahead % 3, A.shared.tx*4] <- A[i*K*64 + k.ahead*64 + A.shared.tx*4] of 4
  //|   block (0, 0, 0), thread (0, 0, 0) reads A.shared[k % 3, t]
  //|     in: S.reg[] += A.shared[k % 3, t] * A.shared[k % 3, 63 - t]
  //|   and 1023 more like it
  check_without(p, s, "wait_mbarrier k.empty");
  //| deadlock: nobody in block (0, 0, 0) can go on: warps 0, 1 wait at `wait_mbarrier k.full[k % 3] parity k / 3 % 2` for parity 0 of k.full[2], where 0 of 32 arrivals have come to phase 2; warp 2 has ended
  //|   in: wait_mbarrier k.full[k % 3] parity k / 3 % 2
  //|   and 1 more like it
}

void check_without(const Mirrored& p, const Schedule& s, const std::string& wait) {
  Module module = lower(s);
  std::string text = to_string(module.kernels[0]);
  const size_t at = text.find(wait);
  text.erase(at, text.find('\n', at) - at);
  module.kernels[0] = parse_kernel(text);
  const Measured measured = measure(p.program, module, sizes);
  if (measured.findings.empty()) std::exit(EXIT_FAILURE);
  fmt::print("{}\n", to_string(measured.findings.front()));
}

// Exercises:
//   hone exercise 14.1    copies that have time
//   hone exercise 14.2    two warps of producers
