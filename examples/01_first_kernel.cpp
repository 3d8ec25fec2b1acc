// Lesson 1: a first kernel.
//
// A program says what is computed; a schedule says how. This lesson adds two vectors: it states the
// sum, binds its one loop to the threads of a GPU, and runs the kernel. Without a GPU it runs on
// the simulated device, which has the same semantics.
//
// Lines marked with a bar are what the lesson prints; a test compares them.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"
#include "runtime/compile.h"

using namespace hone;

void show_text(const Kernel& kernel);
void run(const Kernel& kernel);
void try_sizes(const Program& add, const Schedule& s);

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

  const Kernel kernel = compile(s);
  show_text(kernel);
  run(kernel);
  try_sizes(add, s);
}

void show_text(const Kernel& kernel) {
  // The kernel's text is CUDA that a person could have written, headed by where it came from.
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
}

void run(const Kernel& kernel) {
  // Sizes are read off the arrays, which live where the kernel runs.
  const Device device = kernel.device();
  const std::vector<float> values = {1, 2, 3, 4, 5};
  Array<float> a(values, {5}, device), c({5}, device);
  kernel(a, a, c);
  const std::vector<float> sums = c.to_vector();
  for (float value : sums) fmt::print("{} ", value);
  fmt::print("\n");
  //| 2 4 6 8 10

  // A lesson checks itself, here against a plain loop.
  for (size_t k = 0; k < values.size(); ++k)
    if (sums[k] != values[k] + values[k]) std::exit(EXIT_FAILURE);
}

void try_sizes(const Program& add, const Schedule& s) {
  // The lessons try a schedule out in another way too: on the simulated device, by the rules of a
  // GPU, on random inputs, against the program without a schedule. Wrong results and broken rules
  // end the lesson. Sizes around a multiple of the 256 threads are those that guards are for.
  for (const int64_t size : {1, 255, 256, 257}) try_out(add, s, {{"n", size}});
  //| n=1: right results, no findings
  //|   global load   A               1 requests, 1 sector each
  //|   global load   B               1 requests, 1 sector each
  //|   global store  C               1 requests, 1 sector each
  //| n=255: right results, no findings
  //|   global load   A               8 requests, 4 sectors each
  //|   global load   B               8 requests, 4 sectors each
  //|   global store  C               8 requests, 4 sectors each
  //| n=256: right results, no findings
  //|   global load   A               8 requests, 4 sectors each
  //|   global load   B               8 requests, 4 sectors each
  //|   global store  C               8 requests, 4 sectors each
  //| n=257: right results, no findings
  //|   global load   A               9 requests, 3.667 sectors each
  //|   global load   B               9 requests, 3.667 sectors each
  //|   global store  C               9 requests, 3.667 sectors each

  // The device counts. A warp is 32 threads that run together; a request is one access of a warp,
  // and a sector is 32 bytes of memory, the least that moves. At n=256 there are 8 warps, and 32
  // floats of 4 bytes are 4 sectors: nothing moves in vain. At n=257 a ninth warp has one thread
  // that works. Lesson 4 is about these numbers.
}

// Exercises:
//   hone exercise 1.1    a kernel with blocks of 128 threads
//   hone exercise 1.2    a kernel over the rows and columns of a picture
