// Instructions whose rows are pixels, of tiles with several dimensions.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace tensorize_pixels_test {

/// 64 pixels by 16 channels, of tiles that lie so; `row` is where the rows of A start.
struct Tiles {
  std::string A = "8, 8, 64";
  std::string A_layout = "@swizzle(8, 8, 1)";
  std::string A_indices = "i / 8, i % 8";
  std::string C = "8, 8, 16";
  std::string C_indices = "i / 8, i % 8";
};

std::string product(const Tiles& tiles) {
  return fmt::format(R"(func f(c: f32[{3}]) {{
  alloc A: bf16[{0}] {1} @shared @align(1024)
  alloc B: bf16[16, 64] @swizzle(8, 8, 1) @shared @align(1024)
  alloc C: f32[{3}] @registers
  for i in 0..64 @wgmma_m64n16k64_bf16 {{ for j in 0..16 {{ reduce k in 0..64 {{
    C[{4}, j] += f32(A[{2}, k]) * f32(B[j, k])
  }} }} }}
}})",
                     tiles.A, tiles.A_layout, tiles.A_indices, tiles.C, tiles.C_indices);
}

TEST(TensorizedPixels, MayHaveThreeDimensions) {
  EXPECT_EQ(lowering_error(product({})), "no error");
  EXPECT_EQ(lowering_error(product({.A = "4, 4, 4, 64",
                                    .A_indices = "i / 16, i % 16 / 4, i % 4",
                                    .C = "4, 4, 4, 16",
                                    .C_indices = "i / 16, i % 16 / 4, i % 4"})),
            "no error");
  EXPECT_EQ(lowering_error(product({.A = "3, 18, 4, 64", .A_indices = "2, i / 4 + 2, i % 4"})),
            "no error");
}

TEST(TensorizedPixelRefusals, OfRowsThatDimensionsCut) {
  const std::string note = "\ndimensions that are powers of two";
  EXPECT_EQ(lowering_error(product({.C = "6, 12, 16", .C_indices = "i / 12, i % 12"})),
            "wgmma_m64n16k64_bf16 takes digits of its elements, which the dimensions of C, "
            "[6, 12, 16], cut" +
                note);
  EXPECT_EQ(lowering_error(product({.A = "6, 12, 64", .A_indices = "i / 12, i % 12"})),
            "wgmma_m64n16k64_bf16 takes digits of its elements, which the dimensions of A, "
            "[6, 12, 64], cut" +
                note);
}

TEST(TensorizedPixelRefusals, OfOtherPlaces) {
  const std::string note = "\nLayout().swizzle_bytes lays a tile out so, and align places it";
  EXPECT_EQ(lowering_error(product({.A = "18, 4, 64", .A_indices = "i / 4 + 1, i % 4"})),
            "wgmma_m64n16k64_bf16 takes A from a multiple of 8 rows and 64 columns on" + note);
  EXPECT_EQ(lowering_error(product({.A = "3, 17, 4, 64", .A_indices = "1, i / 4, i % 4"})),
            "wgmma_m64n16k64_bf16 takes A from a multiple of 8 rows and 64 columns on" + note);
  EXPECT_EQ(lowering_error(product({.A_layout = "@swizzle(8, 4, 1)"})),
            "wgmma_m64n16k64_bf16 takes rows of 64 elements of A in a swizzle of 128 bytes" + note);
  EXPECT_EQ(lowering_error(product({.A_layout = "@order(1, 0, 2) @swizzle(8, 8, 1)"})),
            "wgmma_m64n16k64_bf16 takes rows of 64 elements of A in a swizzle of 128 bytes" + note);
}

/// The descriptor says that rows follow each other: longer ones have to be panels, of whole
/// periods.
TEST(TensorizedPixelRefusals, OfRowsThatAreLonger) {
  const std::string panels = "@order(1/64, 0, 1%64) @swizzle(8, 8, 1)";
  EXPECT_EQ(lowering_error(product({.A = "64, 128", .A_layout = panels, .A_indices = "i"})),
            "no error");
  for (const Tiles& tiles : {Tiles{.A = "16, 4, 128", .A_indices = "i / 4, i % 4"},
                             {.A = "16, 4, 128",
                             .A_layout = "@order(2/64, 0, 1, 2%64) @swizzle(8, 8, 1)",
                             .A_indices = "i / 4, i % 4"},
                             {.A = "64, 128", .A_indices = "i"},
                             {.A = "68, 128", .A_indices = "i"},
                             {.A = "68, 128", .A_layout = panels, .A_indices = "i"}})
    EXPECT_EQ(lowering_error(product(tiles)),
              "wgmma_m64n16k64_bf16 takes rows of 64 elements of A in a swizzle of 128 bytes\n"
              "Layout().swizzle_bytes lays a tile out so, and align places it");
}

}  // namespace tensorize_pixels_test
}  // namespace hone
