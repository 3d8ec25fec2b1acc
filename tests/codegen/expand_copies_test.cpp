// Copies of registers and of global memory, as loops over their region.
#include <gtest/gtest.h>

#include "codegen/pass/passes.h"
#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace expand_copies_test {

/// A tile of 4 x 8 from registers to C, whose layout and whose loops are given.
std::string tile_to(const std::string& layout, const std::string& copy) {
  return fmt::format(R"(func f(A: f32[4, 8], C: f32[8, 8]{}) {{
  for i in 0..2 @block.x {{
    alloc C.reg: f32[4, 8] @registers
    for r in 0..4 {{
      for c in 0..8 {{
        C.reg[r, c] = A[r, c]
      }}
    }}
    {}
  }}
}})",
                     layout, copy);
}

Function expanded(const Function& function) {
  KernelFunction kernel = unlowered(to_string(function));
  expand_copies(kernel);
  Function result = function;
  result.body = simplify(kernel.body);
  return result;
}

void expect_loops(const std::string& layout, const std::string& loops) {
  expect_rewrite(tile_to(layout, "copy C[i*4 .. +4, 0 .. +8] <- C.reg[0 .. +4, 0 .. +8]"), expanded,
                 tile_to(layout, loops));
}

TEST(ExpandCopies, GoAlongTheRowsOfARowMajorMatrix) {
  expect_loops("", R"(for C.at in 0..4 @unroll {
      for C.at_2 in 0..8 @unroll {
        C[i*4 + C.at, C.at_2] = C.reg[C.at, C.at_2]
      }
    })");
}

TEST(ExpandCopies, GoDownTheColumnsOfAColumnMajorMatrix) {
  expect_loops(" @order(1, 0)", R"(for C.at in 0..8 @unroll {
      for C.at_2 in 0..4 @unroll {
        C[i*4 + C.at_2, C.at] = C.reg[C.at_2, C.at]
      }
    })");
}

/// Vectors lie along the rows of the matrix, whatever the order of the tile that they go to.
TEST(ExpandCopies, MoveVectorsAlongTheRowsOfTheMatrix) {
  const auto text = [](const char* order, const char* copy) {
    return fmt::format(R"(func f(A: f32[2, 8], C: f32[2, 8]) {{
  alloc T: f32[2, 8]{} @shared
  {}
  for i in 0..2 {{
    for j in 0..8 {{
      C[i, j] = T[i, j]
    }}
  }}
}})",
                       order, copy);
  };
  for (const char* order : {"", " @order(1, 0)"})
    expect_rewrite(text(order, "copy T[0 .. +2, 0 .. +8] <- A[0 .. +2, 0 .. +8] @vector(4)"),
                   expanded, text(order, R"(for T.at in 0..2 {
    for T.at_2 in 0..2 {
      for T.v in 0..4 @vectorize {
        T[T.at, T.at_2*4 + T.v] = A[T.at, T.at_2*4 + T.v]
      }
    }
  })"));
}

}  // namespace expand_copies_test
}  // namespace hone
