// Lesson 1: a first kernel.
//
// A program says what is computed; a schedule says how. This lesson adds two vectors: it states the
// sum, binds its one loop to the threads of a GPU, and runs the kernel. Without a GPU it runs on
// the simulated device, which has the same semantics.
//
// Lines marked with a bar are what the lesson prints; a test compares them.

#include "dsl/schedule.h"
#include "runtime/compile.h"

using namespace hone;

int main() {
  // Sizes that are known when the kernel is launched are params.
  Param n("n");
  Tensor A("A", f32, {n}), B("B", f32, {n}), C("C", f32, {n});
  Axis i("i", n);
  Program add("add", C(i) = A(i) + B(i));

  // A schedule starts as the plain loop nest, and prints at any time.
  Schedule s(add);
  fmt::print("{}\n", s);
  //| func add[n](A: f32[n], B: f32[n], C: f32[n]) {
  //|   for i in 0..n {
  //|     C[i] = A[i] + B[i]
  //|   }
  //| }

  // A block of the GPU has at most 1024 threads, so the loop becomes two: blocks, and threads of a
  // block. 256 need not divide n: a guard keeps the last block inside the arrays.
  auto [b, t] = s.split(i, 256);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  fmt::print("{}\n", s);
  //| func add[n](A: f32[n], B: f32[n], C: f32[n]) {
  //|   for i.0 in 0..(n + 255) / 256 @block.x {
  //|     for i.1 in 0..256 @thread.x {
  //|       if (i.0*256 + i.1 < n) {
  //|         C[i.0*256 + i.1] = A[i.0*256 + i.1] + B[i.0*256 + i.1]
  //|       }
  //|     }
  //|   }
  //| }

  // The kernel's text is CUDA that a person could have written, headed by where it came from.
  Kernel kernel = compile(s);
  fmt::print("{}\n", kernel.source());
  //| // C(i) = A(i) + B(i)
  //| // auto [i_0, i_1] = s.split(i, 256);
  //| // s.bind(i_0, block.x);
  //| // s.bind(i_1, thread.x);
  //| //
  //| // launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory
  //|
  //| extern "C" __global__ void
  //| add(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int n) {
  //|   const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //|   if (i < n) {
  //|     C[i] = A[i] + B[i];
  //|   }
  //| }
  //|

  // Sizes are read off the arrays, which live where the kernel runs.
  const Device device = kernel.device();
  Array<float> a({1, 2, 3, 4, 5}, {5}, device), c({5}, device);
  kernel(a, a, c);
  for (float value : c.to_vector()) fmt::print("{} ", value);
  fmt::print("\n");
  //| 2 4 6 8 10
}
