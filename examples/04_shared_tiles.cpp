// Lesson 4: shared tiles.
//
// A matrix product whose operands travel in tiles: from global memory to the shared memory of a
// block, from there to the registers of a thread, four floats at a time. The lesson stages the
// tiles, lays them out, and breaks the vectors once on purpose.

#include "codegen/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"

using namespace hone;

void show_loops(const Schedule& s);
void show_cuda(const Schedule& s);

int main() {
  Param M("M"), N("N"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(matmul);

  // Blocks take 64 x 64 elements of C, their threads 4 x 4 each, and the products come in steps of
  // 16. Within a step, k runs outside of the elements of a thread.
  auto [by, bx, rows, columns] = s.tile({i, j}, {64, 64});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {4, 4});
  auto [ko, ki] = s.split(k, 16);
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);

  // The part of C that an iteration of tx touches is one thread's, and lives in its registers.
  s.cache_registers(C, tx);

  // The parts of A and B that an iteration of ko touches, over all threads of the block, live in
  // shared memory. They move in fours of floats, which is refused unless those are proved to lie
  // side by side at a multiple of 16 bytes: callers promise it of the rows, and launches check it.
  for (const Tensor& tensor : {A, B, C}) s.assume_aligned(tensor, 16);
  const Cache A_shared =
      s.cache_shared(A, ko, {.vectorize = 4, .layout = Layout::column_major().pad(4)});
  const Cache B_shared = s.cache_shared(B, ko, {.vectorize = 4});

  // The operands of one k are four of A and four of B. Those of A lie in a column, which is why its
  // tile is stored by columns.
  s.cache_registers(A_shared, ki, {.vectorize = 4});
  s.cache_registers(B_shared, ki, {.vectorize = 4});

  // The padding spreads what a warp stores over the banks of shared memory; two elements would do
  // so better than four. But columns 66 floats apart do not all start at multiples of 16 bytes: the
  // step is refused, and the schedule stays as it was.
  try {
    s.layout(A_shared, Layout::column_major().pad(2));
  } catch (const ScheduleError& error) {
    fmt::print("{}: {}\n", error.primitive(), error.message());
  }
  //| layout: A.shared cannot move 4 elements at a time: the padding 2 makes the rows of A.shared 66 elements apart, which is not a multiple of 4

  show_loops(s);
  show_cuda(s);
}

void show_loops(const Schedule& s) {
  // A `copy` moves a rectangle; what lies outside of A or B reads as 0, so that the products need
  // no guards. `where` is what callers promise.
  fmt::print("{}\n", s);
  //| func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) where K % 4 == 0, N % 4 == 0 {
  //|   for i.0 in 0..(M + 63) / 64 @block.y {
  //|     for j.0 in 0..(N + 63) / 64 @block.x {
  //|       for i.1.0 in 0..16 @thread.y {
  //|         for j.1.0 in 0..16 @thread.x {
  //|           alloc C.reg: f32[4, 4] @registers
  //|           for i.1.1.init in 0..4 @unroll {
  //|             for j.1.1.init in 0..4 @unroll {
  //|               C.reg[i.1.1.init, j.1.1.init] = 0.0
  //|             }
  //|           }
  //|           reduce k.0 in 0..(K + 15) / 16 {
  //|             alloc A.shared: f32[64, 16] @order(1, 0) @pad(4) @shared
  //|             copy A.shared[0 .. +64, 0 .. +16] <- A[i.0*64 .. +64, k.0*16 .. +16] @vector(4)
  //|             alloc B.shared: f32[16, 64] @shared
  //|             copy B.shared[0 .. +16, 0 .. +64] <- B[k.0*16 .. +16, j.0*64 .. +64] @vector(4)
  //|             reduce k.1 in 0..16 {
  //|               alloc A.reg: f32[4] @registers
  //|               copy A.reg[0 .. +4] <- A.shared[i.1.0*4 .. +4, k.1] @vector(4)
  //|               alloc B.reg: f32[4] @registers
  //|               copy B.reg[0 .. +4] <- B.shared[k.1, j.1.0*4 .. +4] @vector(4)
  //|               for i.1.1 in 0..4 @unroll {
  //|                 for j.1.1 in 0..4 @unroll {
  //|                   C.reg[i.1.1, j.1.1] += A.reg[i.1.1] * B.reg[j.1.1]
  //|                 }
  //|               }
  //|             }
  //|           }
  //|           copy C[i.0*64 + i.1.0*4 .. +4, j.0*64 + j.1.0*4 .. +4] <- C.reg[0 .. +4, 0 .. +4]
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
}

void show_cuda(const Schedule& s) {
  // The copies are spread over the threads, and barriers stand where tiles change hands. The calls
  // that head the text are left out here.
  const std::string cuda = emit_cuda(lower(s).kernels[0]);
  fmt::print("{}", cuda.substr(cuda.find("extern")));
}
//| extern "C" __global__ void __launch_bounds__(256)
//| matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
//|   __shared__ __align__(16) float A_shared[16][68];
//|   __shared__ __align__(16) float B_shared[16][64];
//|   const int i_0 = blockIdx.y;
//|   const int j_0 = blockIdx.x;
//|   const int i_1_0 = threadIdx.y;
//|   const int j_1_0 = threadIdx.x;
//|   const int A_shared_i = j_1_0 / 4;
//|   const int A_shared_k = j_1_0 % 4;
//|   __align__(16) float C_reg[4][4] = {};
//|   const int j = j_0 * 64 + j_1_0 * 4;
//|   const int i = i_0 * 64 + i_1_0 * 4;
//|   for (int k_0 = 0; k_0 < K; k_0 += 16) {
//|     __align__(16) float A_vec[4];
//|     *reinterpret_cast<float4*>(A_vec) =
//|         (i + A_shared_i < M && k_0 + A_shared_k * 4 < K) ? *reinterpret_cast<const float4*>(&A[(i + A_shared_i) * K + k_0 + A_shared_k * 4]) : float4{};
//|     #pragma unroll
//|     for (int A_shared_v = 0; A_shared_v < 4; ++A_shared_v) {
//|       A_shared[A_shared_k * 4 + A_shared_v][i_1_0 * 4 + A_shared_i] = A_vec[A_shared_v];
//|     }
//|     __align__(16) float B_vec[4];
//|     *reinterpret_cast<float4*>(B_vec) =
//|         (k_0 + i_1_0 < K && j < N) ? *reinterpret_cast<const float4*>(&B[(k_0 + i_1_0) * N + j]) : float4{};
//|     *reinterpret_cast<float4*>(&B_shared[i_1_0][j_1_0 * 4]) =
//|         *reinterpret_cast<const float4*>(B_vec);
//|     __syncthreads();
//|     for (int k_1 = 0; k_1 < 16; ++k_1) {
//|       __align__(16) float A_reg[4];
//|       *reinterpret_cast<float4*>(A_reg) =
//|           *reinterpret_cast<const float4*>(&A_shared[k_1][i_1_0 * 4]);
//|       __align__(16) float B_reg[4];
//|       *reinterpret_cast<float4*>(B_reg) =
//|           *reinterpret_cast<const float4*>(&B_shared[k_1][j_1_0 * 4]);
//|       #pragma unroll
//|       for (int i_1_1 = 0; i_1_1 < 4; ++i_1_1) {
//|         #pragma unroll
//|         for (int j_1_1 = 0; j_1_1 < 4; ++j_1_1) {
//|           C_reg[i_1_1][j_1_1] += A_reg[i_1_1] * B_reg[j_1_1];
//|         }
//|       }
//|     }
//|     __syncthreads();
//|   }
//|   if (j < N) {
//|     #pragma unroll
//|     for (int C_at = 0; C_at < 4; ++C_at) {
//|       if (i + C_at < M) {
//|         *reinterpret_cast<float4*>(&C[(i + C_at) * N + j]) =
//|             *reinterpret_cast<const float4*>(&C_reg[C_at][0]);
//|       }
//|     }
//|   }
//| }
