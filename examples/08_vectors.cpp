// Lesson 8: vectors.
//
// A thread can move 16 bytes in one instruction: four floats side by side, at an address that is a
// multiple of 16. A quarter of the instructions moves the same sectors. Hone takes the word
// `vectorize` as a promise: the vector is in the kernel, or the step is refused with the fact that
// lacks.

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

void show_vectors(const Program& twice, const Schedule& s);
void show_tiles();

int main() {
  Param n("n");
  Tensor A("A", f32, {n}), B("B", f32, {n});
  Axis i("i", n);
  Program twice("twice", B(i) = A(i) * 2.0f);

  Schedule s(twice);
  auto [rest, v] = s.split(i, 4);
  auto [b, t] = s.split(rest, 64);
  s.bind(b, block.x);
  s.bind(t, thread.x);

  // n may be 5: then the last four elements are not all there, and the guard is not the same for
  // them.
  try {
    s.vectorize(v, Location());
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.message());
  }
  //| A[i.0.0*256 + i.0.1*4 + i.1] would be predicated: i.0.0*256 + i.0.1*4 + i.1 < n is not the same in all 4 iterations of i.1

  // Before: the lanes of a request take every fourth float, from 16 sectors; three more requests
  // touch the same sectors again.
  try_out(twice, s, {{"n", 512}});
  //| n=512: right results, no findings
  //|   global load   A              16 requests, 16 sectors each
  //|   global store  B              16 requests, 16 sectors each

  // Callers promise a multiple of four; launches check it.
  s.assume(n % 4 == 0);
  s.vectorize(v);
  show_vectors(twice, s);
  show_tiles();
}

void show_vectors(const Program& twice, const Schedule& s) {
  const std::string cuda = emit_cuda(lower(s).kernels[0]);
  fmt::print("{}", cuda.substr(cuda.find("extern")));
  //| extern "C" __global__ void __launch_bounds__(64)
  //| twice(const float* __restrict__ A, float* __restrict__ B, int n) {
  //|   const int i = blockIdx.x * 256 + threadIdx.x * 4;
  //|   if (i < n) {
  //|     __align__(16) float A_vec[4];
  //|     *reinterpret_cast<float4*>(A_vec) = *reinterpret_cast<const float4*>(&A[i]);
  //|     __align__(16) float B_vec[4];
  //|     #pragma unroll
  //|     for (int i_1 = 0; i_1 < 4; ++i_1) {
  //|       B_vec[i_1] = A_vec[i_1] * 2.0f;
  //|     }
  //|     *reinterpret_cast<float4*>(&B[i]) = *reinterpret_cast<const float4*>(B_vec);
  //|   }
  //| }
  for (const int64_t size : {4, 512}) try_out(twice, s, {{"n", size}});
  //| n=4: right results, no findings
  //|   global load   A               1 requests, 1 sector each
  //|   global store  B               1 requests, 1 sector each
  //| n=512: right results, no findings
  //|   global load   A               4 requests, 16 sectors each
  //|   global store  B               4 requests, 16 sectors each
}

void show_tiles() {
  // Copies take vectors too. In the product of lesson 7, the operands move in fours all the way:
  // from global memory to the tiles, and from the tiles to registers. The four floats of A lie in a
  // column, so its tile is stored by columns; 4 floats of padding spread the stores over the banks.
  Param M("M"), N("N"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(matmul);
  auto [by, bx, rows, columns] = s.tile({i, j}, {64, 64});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {4, 4});
  auto [ko, ki] = s.split(k, 16);
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(C, tx);

  // Rows of A, B and C start at multiples of 16 bytes: that is what callers promise here.
  for (const Tensor& tensor : {A, B, C}) s.assume_aligned(tensor, 16);
  const Cache A_shared =
      s.cache_shared(A, ko, {.vectorize = 4, .layout = Layout::column_major().pad(4)});
  const Cache B_shared = s.cache_shared(B, ko, {.vectorize = 4});
  s.cache_registers(A_shared, ki, {.vectorize = 4});
  s.cache_registers(B_shared, ki, {.vectorize = 4});

  // Columns 66 floats apart do not all start at multiples of 16 bytes: the step is refused, and the
  // schedule stays as it was.
  try {
    s.layout(A_shared, Layout::column_major().pad(2));
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.message());
  }
  //| A.shared cannot move 4 elements at a time: the padding 2 makes the rows of A.shared 66 elements apart, which is not a multiple of 4

  // In lesson 7 the tiles were read by 6144 requests in 12288 wavefronts; now 1536 requests take
  // 4608. C goes out in vectors by itself: its four floats lie side by side in registers too.
  try_out(matmul, s, {{"M", 72}, {"N", 64}, {"K", 40}});
  //| K=40 M=72 N=64: right results, no findings
  //|   global load   A              27 requests, 13.33 sectors each
  //|   shared store  A.shared      192 requests, 2 wavefronts each, 1 wavefront without bank conflicts
  //|   global load   B              40 requests, 16 sectors each
  //|   shared store  B.shared       48 requests, 4 wavefronts each
  //|   shared load   A.shared      768 requests, 2 wavefronts each
  //|   shared load   B.shared      768 requests, 4 wavefronts each
  //|   global store  C              36 requests, 16 sectors each
}

// Exercises:
//   hone exercise 8.1    a sum by vectors
//   hone exercise 8.2    tiles that are filled by vectors
