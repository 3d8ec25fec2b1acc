// Lesson 4: coalescing.
//
// The 32 threads of a warp access memory together, in one request. Memory moves in sectors of 32
// bytes, eight floats. Neighbouring threads that read neighbouring floats need 4 sectors for 32
// floats; threads that read one float each from rows that lie far apart need 32. The second way
// moves eight times the bytes. The lesson binds one loop nest both ways, and counts.

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

const Sizes sizes = {{"M", 128}, {"N", 96}};

/// The CUDA text without the calls that head it.
std::string kernel_text(const Schedule& s) {
  const std::string cuda = emit_cuda(lower(s).kernels[0]);
  return cuda.substr(cuda.find("extern"));
}

void go_along_rows(const Program& twice, const Axis& i, const Axis& j);
void fuse_the_rest();

int main() {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), B("B", f32, {M, N});
  Axis i("i", M), j("j", N);
  Program twice("twice", B(i, j) = A(i, j) * 2.0f);

  // Threads along i: the lanes of a warp are on 32 rows. Their addresses lie N floats apart, as the
  // product with N in the text says, and each float comes from a sector of its own.
  Schedule down(twice);
  {
    auto [by, ty] = down.split(i, 32);
    down.bind(by, block.y);
    down.bind(ty, thread.x);
    down.reorder({by, ty, j});
  }
  fmt::print("{}", kernel_text(down));
  //| extern "C" __global__ void
  //| twice(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  //|   const int i = blockIdx.y * 32 + threadIdx.x;
  //|   if (i < M) {
  //|     for (int j = 0; j < N; ++j) {
  //|       B[i * N + j] = A[i * N + j] * 2.0f;
  //|     }
  //|   }
  //| }
  try_out(twice, down, sizes);
  //| M=128 N=96: right results, no findings
  //|   global load   A             384 requests, 32 sectors each
  //|   global store  B             384 requests, 32 sectors each

  go_along_rows(twice, i, j);
  fuse_the_rest();
}

void go_along_rows(const Program& twice, const Axis& i, const Axis& j) {
  // Threads along j: the lanes are on one row, side by side. The same statement, the same 384
  // requests, an eighth of the sectors.
  Schedule along(twice);
  {
    auto [bx, tx] = along.split(j, 32);
    along.bind(i, block.y);
    along.bind(bx, block.x);
    along.bind(tx, thread.x);
  }
  fmt::print("{}", kernel_text(along));
  //| extern "C" __global__ void
  //| twice(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  //|   const int i = blockIdx.y;
  //|   const int j = blockIdx.x * blockDim.x + threadIdx.x;
  //|   if (j < N) {
  //|     B[i * N + j] = A[i * N + j] * 2.0f;
  //|   }
  //| }
  try_out(twice, along, sizes);
  //| M=128 N=96: right results, no findings
  //|   global load   A             384 requests, 4 sectors each
  //|   global store  B             384 requests, 4 sectors each

  // The rule: bind to thread.x the axis that is the last index of what is accessed. Here it is read
  // off; `hone explain` says it of any rung, and names the access.
}

void fuse_the_rest() {
  // A picture has its three colours side by side, so the last index runs to 3 only. Threads along x
  // are three floats apart: of each sector they take a third, and ask for it three times.
  Param H("H"), W("W");
  Tensor picture("picture", f32, {H, W, 3}), darker("darker", f32, {H, W, 3});
  Axis y("y", H), x("x", W), c("c", 3);
  Program darken("darken", darker(y, x, c) = picture(y, x, c) * 0.5f);
  Schedule by_pixel(darken);
  {
    auto [bx, tx] = by_pixel.split(x, 32);
    by_pixel.bind(y, block.y);
    by_pixel.bind(bx, block.x);
    by_pixel.bind(tx, thread.x);
  }
  try_out(darken, by_pixel, {{"H", 8}, {"W", 64}});
  //| H=8 W=64: right results, no findings
  //|   global load   picture        48 requests, 12 sectors each
  //|   global store  darker         48 requests, 12 sectors each

  // `fuse` makes one loop of two nested ones. Threads along pixels and colours are side by side.
  Schedule by_colour(darken);
  const Axis xc = by_colour.fuse(x, c);
  auto [bx, tx] = by_colour.split(xc, 32);
  by_colour.bind(y, block.y);
  by_colour.bind(bx, block.x);
  by_colour.bind(tx, thread.x);
  fmt::print("{}\n", by_colour);
  //| func darken[H, W](picture: f32[H, W, 3], darker: f32[H, W, 3]) {
  //|   for y in 0..H @block.y {
  //|     for x_c.0 in 0..(W*3 + 31) / 32 @block.x {
  //|       for x_c.1 in 0..32 @thread.x {
  //|         if (x_c.0*32 + x_c.1 < W*3) {
  //|           darker[y, (x_c.0*32 + x_c.1) / 3, (x_c.0*32 + x_c.1) % 3] = picture[y, (x_c.0*32 + x_c.1) / 3, (x_c.0*32 + x_c.1) % 3] * 0.5
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  try_out(darken, by_colour, {{"H", 8}, {"W", 64}});
  //| H=8 W=64: right results, no findings
  //|   global load   picture        48 requests, 4 sectors each
  //|   global store  darker         48 requests, 4 sectors each
}

// Exercises:
//   hone exercise 4.1    a coalesced kernel
//   hone exercise 4.2    coalesced complex numbers
