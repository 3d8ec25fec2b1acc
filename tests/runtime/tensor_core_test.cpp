// Products by the tensor cores of warps, run on the devices.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/interpreted.h"
#include "tests/support/runtime/reductions.h"
#include "tests/support/runtime/warp_product.h"

namespace hone {
namespace tensor_core_test {

using testing::HasSubstr;

constexpr MmaRow rows[] = {
    {"mma_m16n8k8_f16", 8, f16, f32},       {"mma_m16n8k16_f16", 16, f16, f32},
    {"mma_m16n8k8_bf16", 8, bf16, f32},     {"mma_m16n8k16_bf16", 16, bf16, f32},
    {"mma_m16n8k16_s8", 16, i8, i32},       {"mma_m16n8k32_s8", 32, i8, i32},
    {"mma_m16n8k4_tf32", 4, tf32, f32},     {"mma_m16n8k8_tf32", 8, tf32, f32},
    {"mma_m16n8k32_e4m3", 32, f8e4m3, f32}, {"mma_m16n8k32_e5m2", 32, f8e5m2, f32},
};
constexpr MmaRow bf16_row = rows[3];

struct Product : WarpProduct {
  using WarpProduct::WarpProduct;

  void expect_right(const Schedule& s, const Sizes& sizes) const {
    expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 3));
  }

  /// Rows are multiples of 8; there are 0 to 7 steps along k.
  void expect_right_in_vectors(const Schedule& s) const {
    for (const int64_t depth : {0, 8, 64, 200})
      expect_right(s, {{"M", 67}, {"N", 40}, {"K", depth}});
  }
};

TEST(TensorCores, ComputeWhatTheProgramSays) {
  for (const MmaRow& row : rows) {
    SCOPED_TRACE(row.word);
    const Product product(row);
    const Schedule s = product.tiled().schedule;
    for (const Sizes& sizes : std::initializer_list<Sizes>{{{"M", 1}, {"N", 1}, {"K", 0}},
                                                           {{"M", 64}, {"N", 32}, {"K", 64}},
                                                           {{"M", 67}, {"N", 37}, {"K", 77}}})
      product.expect_right(s, sizes);
  }
}

TEST(TensorCores, TakeTilesThatAreFilledAhead) {
  const Product product(bf16_row);
  Product::Tiled tiled = product.tiled();
  Schedule& registers = tiled.schedule;
  registers.pipeline(tiled.k_tile, 1);
  product.expect_right(registers, {{"M", 67}, {"N", 37}, {"K", 77}});
  Product::Tiled in_vectors = product.tiled(8);
  Schedule& rings = in_vectors.schedule;
  rings.copy_async(in_vectors.A_shared);
  rings.copy_async(in_vectors.B_shared);
  rings.pipeline(in_vectors.step, 3);
  product.expect_right_in_vectors(rings);
}

/// One thread of the block fills the tile, and all warps load from it: nothing but instructions
/// stands behind.
TEST(TensorCores, LoadMatricesThatOneThreadHasFilled) {
  const Product product(rows[1]);
  Schedule s(product.program);
  s.replay(R"(
tile_row, tile_column, i_1, j_1 = tile({i, j}, {32, 16}, {.tail = Tail::pad})
w, row_of_warp = split(i_1, 16)
rows, columns, row, column = tile({row_of_warp, j_1}, {16, 8})
step, k_1 = split(k, 16, {.tail = Tail::pad})
k_tile, k_2 = split(k_1, 16)
reorder({tile_row, tile_column, w, step, k_tile, rows, columns, row, column, k_2})
bind(w, warp)
row_0, row_1 = split(s.axis("i.1.1.1.init"), 8)
column_0, column_1 = split(s.axis("j.1.1.init"), 2)
bind({row_1, column_0}, lane)
tensorize(row, "mma_m16n8k16_f16")
cache_registers(C, w)
A_shared = cache_shared(A, step)
cache_registers(A_shared, k_tile)
tensorize(s.tensor("A.reg"), "ldmatrix_x4_f16")
B_shared = cache_shared(B, step)
cache_registers(B_shared, k_tile)
tensorize(s.tensor("B.reg"), "ldmatrix_x4_trans_f16")
copy_loops(B_shared)
)",
           "steps");
  product.expect_right(s, {{"M", 24}, {"N", 16}, {"K", 32}});
}

/// All lanes of the consumers release a slot: the nest runs on all of them.
TEST(TensorCores, TakeTilesOfProducers) {
  const Product product(bf16_row);
  for (const bool in_bulk : {false, true}) {
    auto [s, step, k_tile, A_shared, B_shared, A_fragments, B_fragments] = product.tiled(8);
    s.copy_async(A_shared);
    s.copy_async(B_shared);
    s.pipeline(k_tile, 1);
    s.specialize(step, 3, {.producer_warps = 1});
    if (in_bulk) s.copy_bulk(A_shared);
    if (in_bulk) s.copy_bulk(B_shared);
    s.prefetch(step);
    product.expect_right_in_vectors(s);
  }
}

TEST(TensorCores, AreNamedInPtx) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const MmaRow& row : rows) {
    const KernelFunction kernel = lower(Product(row).tiled().schedule.function()).kernels.front();
    const char* arch = size_of(row.operand) == 1 && row.operand != i8 ? "sm_89" : "sm_80";
    const auto compiled = compile_cached({emit_cuda(kernel), "product", arch, {}, ""});
    EXPECT_THAT(compiled->ptx, HasSubstr(fmt::format("mma.sync.aligned.m16n8k{}.row.col.", row.k)))
        << row.word;
  }
}

// ---- Places of nests ----------------------------------------------------------------------------

TEST(TensorCores, TakeOneTileAlongTheSum) {
  for (const MmaRow& row : rows) {
    SCOPED_TRACE(row.word);
    const Product product(row);
    product.expect_right(product.tiled(1, 0, 1).schedule, {{"M", 67}, {"N", 37}, {"K", 37}});
  }
}

/// Products of 16 x 8 x 16 whose tiles are allocated in the loop of `head`; `row` is the first row
/// of A and C that is theirs.
std::string products_in(const std::string& head, const std::string& row) {
  return fmt::format(R"(func f(a: bf16[64, 16], b: bf16[16, 8], c: f32[64, 8], d: f32[128]) {{
  for x in 0..1 @block.x {{
    {0}
      alloc A: bf16[16, 16] @registers
      alloc B: bf16[16, 8] @registers
      alloc C: f32[16, 8] @registers
      copy A[0 .. +16, 0 .. +16] <- a[{1} .. +16, 0 .. +16]
      copy B[0 .. +16, 0 .. +8] <- b[0 .. +16, 0 .. +8]
      copy C[0 .. +16, 0 .. +8] <- c[{1} .. +16, 0 .. +8]
      for i in 0..16 @mma_m16n8k16_bf16 {{ for j in 0..8 {{ reduce k in 0..16 {{
        C[i, j] += f32(A[i, k]) * f32(B[k, j])
      }} }} }}
      copy c[{1} .. +16, 0 .. +8] <- C[0 .. +16, 0 .. +8]
    }}
  }}
}})",
                     head, row);
}

void expect_right_text(const std::string& text) {
  const Function function = parse_function(text);
  check_function(function);
  expect_as_interpreted(function, {});
}

/// A single warp, warps, warps that stand apart, rows of the block, and more of these than needed.
TEST(TensorCores, RunInWarpsWhereverTheseStand) {
  expect_right_text(products_in("for w in 0..1 {", "w*16"));
  expect_right_text(products_in("for w in 0..4 @warp {", "w*16"));
  expect_right_text(products_in("for w in 0..2 @warp(2) {", "w*32"));
  expect_right_text(products_in("for w in 0..3 @thread.y {", "w*16"));
  const std::string wider = "for t in 0..128 @thread.x { d[t] = 1.0 } ";
  expect_right_text(products_in(wider + "for w in 0..2 @warp {", "w*16"));
  expect_right_text(products_in(wider + "for w in 0..1 {", "w*16"));
  const std::string narrower = "for t in 0..7 @thread.x { d[t] = 1.0 } ";
  expect_right_text(products_in(narrower + "for w in 0..2 @warp {", "w*16"));
}

/// Warps and lanes have their parts of one tensor of the block, or of tiles side by side.
TEST(TensorCores, TakeTilesOfTheWholeBlock) {
  for (const char* indices : {"w*16 + ", "w, "}) {
    const bool is_flat = indices[1] == '*';
    expect_right_text(fmt::format(
        R"(func f(a: bf16[{0}, 16], b: bf16[16, 8], c: f32[{0}, 8]) {{
  alloc A: bf16[{0}, 16] @registers
  alloc B: bf16[16, 8] @registers
  alloc C: f32[{0}, 8] @registers
  copy A[{1}, 0 .. +16] <- a[{1}, 0 .. +16]
  copy B[0 .. +16, 0 .. +8] <- b[0 .. +16, 0 .. +8]
  copy C[{1}, 0 .. +8] <- c[{1}, 0 .. +8]
  for w in 0..2 @warp {{
    for i in 0..16 @mma_m16n8k16_bf16 {{ for j in 0..8 {{ reduce k in 0..16 {{
      C[{2}i, j] += f32(A[{2}i, k]) * f32(B[k, j])
    }} }} }}
  }}
  copy c[{1}, 0 .. +8] <- C[{1}, 0 .. +8]
}})",
        is_flat ? "32" : "2, 16", is_flat ? "0 .. +32" : "0 .. +2, 0 .. +16", indices));
  }
}

/// The values of both lie in the same order.
TEST(TensorCores, TakeOneTileByTwoInstructions) {
  expect_right_text(R"(func f(a: bf16[16, 16], b: bf16[16, 8], c: f32[16, 8]) {
  alloc A: bf16[16, 16] @registers
  alloc B: bf16[16, 8] @registers
  alloc E: bf16[8, 8] @registers
  alloc C: f32[16, 8] @registers
  copy A[0 .. +16, 0 .. +16] <- a[0 .. +16, 0 .. +16]
  copy B[0 .. +16, 0 .. +8] <- b[0 .. +16, 0 .. +8]
  copy E[0 .. +8, 0 .. +8] <- b[8 .. +8, 0 .. +8]
  copy C[0 .. +16, 0 .. +8] <- c[0 .. +16, 0 .. +8]
  for i in 0..16 @mma_m16n8k16_bf16 { for j in 0..8 { reduce k in 0..16 {
    C[i, j] += f32(A[i, k]) * f32(B[k, j]) } } }
  for u in 0..16 @mma_m16n8k8_bf16 { for v in 0..8 { reduce w in 0..8 {
    C[u, v] += f32(A[u, w + 8]) * f32(E[w, v]) } } }
  copy c[0 .. +16, 0 .. +8] <- C[0 .. +16, 0 .. +8]
})");
}

}  // namespace tensor_core_test
}  // namespace hone
