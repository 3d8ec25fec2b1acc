// Lesson 5: shared tiles, and a race.
//
// The threads of a block have a small memory in common: shared memory. It is far nearer than global
// memory, and the way in which threads hand values to each other. This lesson stages the operands
// of a matrix product there, so that a block fetches each element once instead of 16 times. Then it
// takes a barrier out of the kernel on purpose, and lets the check find the race.

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

void show_tiles(const Program& matmul, const Schedule& s);
void show_race(const Program& matmul, const Schedule& s);
void check_without_a_barrier(const Program& matmul, Module module, std::string text);

// 40 is no multiple of the tiles of 16.
const Sizes sizes = {{"M", 64}, {"N", 40}, {"K", 40}};

int main() {
  Param M("M"), N("N"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));

  // A block computes 16 x 16 elements of C, a thread one of them, in a register. `tile` is two
  // splits and a reorder.
  Schedule s(matmul);
  auto [by, bx, ty, tx] = s.tile({i, j}, {16, 16});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(C, tx);
  try_out(matmul, s, sizes);
  //| K=40 M=64 N=40: right results, no findings
  //|   global load   A            3840 requests, 2 sectors each
  //|   global load   B            3840 requests, 1.667 sectors each
  //|   global store  C              96 requests, 3.333 sectors each

  // 16 threads of the block read the same element of A, and 16 the same one of B. The products are
  // taken in steps of 16, and what one step touches of A and B, over all threads of the block, is
  // copied to shared memory first. The threads share the copying.
  auto [ko, ki] = s.split(k, 16);
  s.cache_shared(A, ko);
  s.cache_shared(B, ko);
  show_tiles(matmul, s);
  show_race(matmul, s);
}

void show_tiles(const Program& matmul, const Schedule& s) {
  fmt::print("{}\n", s);
  //| func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  //|   for i.0 in 0..(M + 15) / 16 @block.y {
  //|     for j.0 in 0..(N + 15) / 16 @block.x {
  //|       for i.1 in 0..16 @thread.y {
  //|         for j.1 in 0..16 @thread.x {
  //|           alloc C.reg: f32[] @registers
  //|           C.reg[] = 0.0
  //|           reduce k.0 in 0..(K + 15) / 16 {
  //|             alloc A.shared: f32[16, 16] @shared
  //|             copy A.shared[0 .. +16, 0 .. +16] <- A[i.0*16 .. +16, k.0*16 .. +16]
  //|             alloc B.shared: f32[16, 16] @shared
  //|             copy B.shared[0 .. +16, 0 .. +16] <- B[k.0*16 .. +16, j.0*16 .. +16]
  //|             reduce k.1 in 0..16 {
  //|               C.reg[] += A.shared[i.1, k.1] * B.shared[k.1, j.1]
  //|             }
  //|           }
  //|           if (i.0*16 + i.1 < M) {
  //|             if (j.0*16 + j.1 < N) {
  //|               C[i.0*16 + i.1, j.0*16 + j.1] = C.reg[]
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }

  // Of a `copy` what lies outside of A reads as 0, so that the products need no guard. The requests
  // for A and B fall to a fifteenth; shared memory answers the rest. A wavefront is one pass of
  // shared memory: lesson 6.
  try_out(matmul, s, sizes);
  //| K=40 M=64 N=40: right results, no findings
  //|   global load   A             288 requests, 3.333 sectors each
  //|   shared store  A.shared      288 requests, 1 wavefront each
  //|   global load   B             240 requests, 3.333 sectors each
  //|   shared store  B.shared      288 requests, 1 wavefront each
  //|   shared load   A.shared     4608 requests, 1 wavefront each
  //|   shared load   B.shared     4608 requests, 1 wavefront each
  //|   global store  C              96 requests, 3.333 sectors each
}

void show_race(const Program& matmul, const Schedule& s) {
  // Lowering put two barriers in: one between the copy and the products that read it, and one
  // between the products and the next copy, which would overwrite what is still read.
  const Module module = lower(s);
  const std::string text = to_string(module.kernels[0]);
  fmt::print("{}\n", text);
  //| kernel matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) grid((N + 15) / 16, (M + 15) / 16, 1) block(16, 16, 1) @index32 {
  //|   alloc A.shared: f32[16, 16] @shared(0)
  //|   alloc B.shared: f32[16, 16] @shared(1024)
  //|   let i.0 = block.y
  //|   let j.0 = block.x
  //|   let i.1 = thread.y
  //|   let j.1 = thread.x
  //|   alloc C.reg: f32[] @registers
  //|   C.reg[] = 0.0
  //|   let i = i.0*16 + i.1
  //|   let j = j.0*16 + j.1
  //|   reduce k.0 in 0..(K + 15) / 16 {
  //|     A.shared[i.1, j.1] = select(i < M && k.0*16 + j.1 < K, A[i*K + k.0*16 + j.1], 0.0)
  //|     B.shared[i.1, j.1] = select(k.0*16 + i.1 < K && j < N, B[(k.0*16 + i.1)*N + j], 0.0)
  //|     barrier
  //|     reduce k.1 in 0..16 {
  //|       C.reg[] += A.shared[i.1, k.1] * B.shared[k.1, j.1]
  //|     }
  //|     barrier
  //|   }
  //|   if (i < M) {
  //|     if (j < N) {
  //|       C[i*N + j] = C.reg[]
  //|     }
  //|   }
  //| }

  check_without_a_barrier(matmul, module, text);
}

void check_without_a_barrier(const Program& matmul, Module module, std::string text) {
  // The schedule cannot leave one out, but a person who edits the kernel can. The second barrier
  // goes, and the text is parsed again.
  const std::string barrier = "    barrier\n";
  text.erase(text.rfind(barrier), barrier.size());
  module.kernels[0] = parse_kernel(text);
  const Measured measured = measure(matmul, module, sizes);

  // On a GPU the result would be wrong now and then. The check says which threads race for which
  // element. `hone check LADDER/RUNG` does so for a rung, with the lines of the CUDA text.
  fmt::print("{}\n", to_string(measured.findings.front()));
  //| race on A.shared[0, 0]: no barrier between two threads of a block
  //|   block (0, 0, 0), thread (15, 0, 0) reads A.shared[i.1, k.1]
  //|     in: C.reg[] += A.shared[i.1, k.1] * B.shared[k.1, j.1]
  //|   block (0, 0, 0), thread (0, 0, 0) writes A.shared[i.1, j.1]
  //|     in: A.shared[i.1, j.1] = select(i < M && k.0*16 + j.1 < K, A[i*K + k.0*16 + j.1], 0.0)
  //|   and 6143 more like it
  if (measured.findings.front().kind != FindingKind::race) std::exit(EXIT_FAILURE);
}

// Exercises:
//   hone exercise 5.1    tiles for a product with a transpose
//   hone exercise 5.2    a kernel with a race
