#include "examples/ladders/sources.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

// Titles are those of the documents, in English. docs/sources.md says more about each.
constexpr const char* products = "\"GPU programming: matrix multiplication\"";
constexpr const char* coalescing = "\"GPU programming: global memory coalescing\"";
constexpr const char* slides = "\"GP-GPU programming: large-scale data processing\"";
constexpr const char* gemm = "\"CUDA: GEMM, part 2\"";
constexpr const char* tvm = "\"Matrix multiplication in TVM, step 1\"";
constexpr const char* harris = "\"Optimizing parallel reduction in CUDA\"";

struct Source {
  const char *ladder, *rung, *step, *document;
};

constexpr Source sources[] = {
    {"matmul", "host", "hostmult0", products},
    {"matmul", "host-restrict", "hostmult1", products},
    {"matmul", "host-register", "hostmult1_opt", products},
    {"matmul", "one-block", "the product by one block of threads", slides},
    {"matmul", "bind", "the kernel", tvm},
    {"matmul", "global-accumulate", "gpumult0", products},
    {"matmul", "register-accumulate", "gpumult1", products},
    {"matmul", "restrict", "gpumult0, with restrict pointers,", products},
    {"matmul", "thread-4x1", "1-D tiling, 11 loads in place of 17,", gemm},
    {"matmul", "thread-2x2", "2-D tiling, 9 loads,", gemm},
    {"matmul", "shared-8", "gputiled<8>", products},
    {"matmul", "shared-16", "gputiled<16>", products},
    {"matmul", "shared-32", "gputiled<32>", products},
    {"matmul", "shared-partial-sums", "the partial sums of a tile", slides},
    {"matmul", "shared-unrolled-8", "gputiled1<8>", products},
    {"matmul", "shared-unrolled-16", "gputiled1<16>", products},
    {"matmul", "shared-unrolled", "gputiled1<32>", products},
    {"matmul", "shared-unrolled-by-3", "unrolling by 3, written out,", products},
    {"matmul", "shared-conflicting", "tiles stored as As[tx][ty]", slides},
    {"matmul", "shared-transposed", "MxMonGPU", slides},
    {"matmul", "shared-unrolled-by-hand", "MxMonGPU, unrolled by hand,", slides},
    {"matmul", "thread-1d-16", "gputiled with 8 results a thread, tiles of 16,", products},
    {"matmul", "thread-1d-32", "gputiled with 8 results a thread, tiles of 32,", products},
    {"matmul", "thread-2d", "kernel 4, 2-D tiling in shared memory,", gemm},
    {"matmul", "vectorized", "kernel 5, vectorized 2-D tiling,", gemm},
    {"matmul-column-major", "host-ijk", "the column-major loop, i outermost,", slides},
    {"matmul-column-major", "host-jki", "the column-major loop, j outermost,", slides},
    {"matmul-column-major", "global", "mm_kernel, column-major,", slides},
    {"matmul-pitched", "global", "rows of cudaMallocPitch", slides},
    {"matmul-pitched-columns", "global", "columns of cudaMallocPitch", slides},
    {"matmul-double", "global-accumulate", "mm_kernel in double precision", slides},
    {"matmul-double", "shared-32", "MxMonGPU in double precision", slides},
    {"combine", "host", "the CPU loop", coalescing},
    {"combine", "host-unrolled", "the unrolled CPU loop", coalescing},
    {"combine", "block-major", "GPU_0", coalescing},
    {"combine", "thread-major", "GPU_1", coalescing},
    {"combine", "image-2d", "GPU_2", coalescing},
    {"reduce", "interleaved-modulo", "the naive mapping of threads", slides},
    {"reduce", "interleaved-strided", "reduction 2", harris},
    {"reduce", "sequential", "the divergence-free mapping", slides},
    {"reduce", "first-add", "reduction 4", harris},
    {"reduce", "last-warp", "reduction 5, by shuffles,", harris},
    {"reduce", "unrolled", "reduction 6", harris},
    {"reduce", "grid-stride", "reduction 7", harris},
};

Rung& find_rung(std::vector<Ladder>& ladders, const Source& source) {
  for (Ladder& ladder : ladders)
    for (Rung& rung : ladder.rungs)
      if (ladder.name == source.ladder && rung.name == source.rung) return rung;
  throw RuntimeError("there is no rung {}/{}", source.ladder, source.rung);
}

}  // namespace

void name_sources(std::vector<Ladder>& ladders) {
  for (const Source& source : sources)
    find_rung(ladders, source).rebuilds = fmt::format("{} of {}", source.step, source.document);
}

}  // namespace hone
