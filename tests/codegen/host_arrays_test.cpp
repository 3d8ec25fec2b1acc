// Arrays of the host's kernels.
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "gmock/gmock.h"
#include "ir/text/parser.h"

namespace hone {
namespace host_arrays_test {

TEST(HostArrays, AreAlignedWhereVectorsMayFillThem) {
  const std::string text = emit_c(lower_host(parse_function(R"(func f(A: f32[16], C: f32[16]) {
    alloc T: f32[2, 8] @shared
    for x in 0..2 { for y in 0..8 { T[x, y] = A[x*8 + y] } }
    alloc U: f32[7] @registers
    for i in 0..7 { U[i] = T[1, i] }
    for j in 0..7 { C[j] = U[j] }
  })"))
                                      .kernels.front());
  EXPECT_THAT(text, testing::HasSubstr("\n  _Alignas(64) float T[2][8];\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n  float U[7];\n"));
}

}  // namespace host_arrays_test
}  // namespace hone
