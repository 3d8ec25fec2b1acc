// Lesson 3: reading the dumps.
//
// A program exists in three forms, and each prints. Loop IR is what a schedule rewrites; its
// meaning is sequential. Kernel IR is the program of one thread. CUDA is its text. The hone command
// prints them for any rung (`hone show matmul/bind --emit=loops`), and HONE_DUMP=ir,cuda makes any
// program print them while it compiles.

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

void show_kernel(const Module& module);
void show_cuda(const Module& module);
void show_counts(const Measured& measured);

int main() {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {M});
  Axis i("i", M);
  ReduceAxis j("j", N);
  Program row_sum("row_sum", S(i) = sum(j, A(i, j)));
  Schedule s(row_sum);
  auto [b, t] = s.split(i, 64);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.cache_registers(S, t);
  s.unroll(j, 4);

  // Loop IR: `for` runs a spatial axis, `reduce` a reduction axis; '@' says where iterations run; a
  // tensor is indexed by its dimensions, whatever its layout.
  fmt::print("{}\n", s);
  //| func row_sum[M, N](A: f32[M, N], S: f32[M]) {
  //|   for i.0 in 0..(M + 63) / 64 @block.x {
  //|     for i.1 in 0..64 @thread.x {
  //|       if (i.0*64 + i.1 < M) {
  //|         alloc S.reg: f32[] @registers
  //|         S.reg[] = 0.0
  //|         reduce j in 0..N @unroll(4) {
  //|           S.reg[] += A[i.0*64 + i.1, j]
  //|         }
  //|         S[i.0*64 + i.1] = S.reg[]
  //|       }
  //|     }
  //|   }
  //| }

  const Module module = lower(s);
  show_kernel(module);
  show_cuda(module);
  show_counts(measure(row_sum, s, {{"M", 65}, {"N", 33}}));
}

void show_kernel(const Module& module) {
  // Kernel IR: the loops over blocks and threads are gone, their axes have values, and an element
  // of global memory is one offset. The axis i, which the split had taken apart, has its name back.
  fmt::print("{}\n", to_string(module.kernels[0]));
  //| kernel row_sum[M, N](A: f32[M, N], S: f32[M]) grid((M + 63) / 64, 1, 1) block(64, 1, 1) @index32 {
  //|   let i = block.x*64 + thread.x
  //|   if (i < M) {
  //|     alloc S.reg: f32[] @registers
  //|     S.reg[] = 0.0
  //|     reduce j in 0..N @unroll(4) {
  //|       S.reg[] += A[i*N + j]
  //|     }
  //|     S[i] = S.reg[]
  //|   }
  //| }
}

void show_cuda(const Module& module) {
  // CUDA: a statement a line, and nothing decided any more.
  fmt::print("{}", emit_cuda(module.kernels[0]));
  //| // S(i) = sum(j, A(i, j))
  //| // auto [i_0, i_1] = s.split(i, 64);
  //| // s.bind(i_0, block.x);
  //| // s.bind(i_1, thread.x);
  //| // s.cache_registers(S, i_1);
  //| // s.unroll(j, 4);
  //| //
  //| // launch: grid ((M + 63) / 64, 1, 1), block (64, 1, 1), 0 bytes of shared memory
  //|
  //| extern "C" __global__ void
  //| row_sum(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  //|   const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //|   if (i < M) {
  //|     float S_reg = 0.0f;
  //|     #pragma unroll 4
  //|     for (int j = 0; j < N; ++j) {
  //|       S_reg += A[i * N + j];
  //|     }
  //|     S[i] = S_reg;
  //|   }
  //| }
}

void show_counts(const Measured& measured) {
  // A fourth dump has numbers: what the kernel asked of a GPU in a run on the simulated device, at
  // sizes that a tile does not divide. Accesses stand in the order of the statements that make
  // them. Lanes of a warp read from rows that lie N floats apart, each from a sector of its own:
  // that is what lesson 4 mends.
  fmt::print("{}", to_string(measured, {{"M", 65}, {"N", 33}}));
  //| M=65 N=33: right results, no findings
  //|   global load   A              99 requests, 21.67 sectors each
  //|   global store  S               3 requests, 3 sectors each
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
}

// Exercises:
//   hone exercise 3.1    the schedule of a loop nest
//   hone exercise 3.2    a kernel with a wrong guard
