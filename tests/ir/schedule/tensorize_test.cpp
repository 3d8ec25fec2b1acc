// Nests that an instruction of a warp computes.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace tensorize_test {

Rewriting computes_by(const std::string& word) {
  return [=](const Function& f) { return tensorize(f, axis(f, "i"), word).function; };
}

/// A row of the table of instructions.
struct Row {
  const char* word;
  int k;
  const char *operand, *result;
};

constexpr Row rows[] = {
    {"mma_m16n8k8_f16", 8, "f16", "f32"},       {"mma_m16n8k16_f16", 16, "f16", "f32"},
    {"mma_m16n8k8_bf16", 8, "bf16", "f32"},     {"mma_m16n8k16_bf16", 16, "bf16", "f32"},
    {"mma_m16n8k16_s8", 16, "i8", "i32"},       {"mma_m16n8k32_s8", 32, "i8", "i32"},
    {"mma_m16n8k4_tf32", 4, "tf32", "f32"},     {"mma_m16n8k8_tf32", 8, "tf32", "f32"},
    {"mma_m16n8k32_e4m3", 32, "f8e4m3", "f32"}, {"mma_m16n8k32_e5m2", 32, "f8e5m2", "f32"},
};

/// The product that the instruction of a row computes; `binding` is that of its outer loop.
std::string product_of(const Row& row, const std::string& binding) {
  return fmt::format(R"(func f(A: {1}[16, {0}], B: {1}[{0}, 8], C: {2}[16, 8]) {{
  for i in 0..16{3} {{
    for j in 0..8 {{
      reduce k in 0..{0} {{
        C[i, j] += {2}(A[i, k]) * {2}(B[k, j])
      }}
    }}
  }}
}})",
                     row.k, row.operand, row.result, binding);
}

TEST(Tensorize, BindsANestToEachInstructionOfTheTable) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.word);
    expect_rewrite(product_of(row, ""), computes_by(row.word),
                   product_of(row, fmt::format(" @{}", row.word)));
  }
}

std::string rows_of_warps(const std::string& binding) {
  return fmt::format(R"(func f(A: bf16[32, 16], B: bf16[16, 8], C: f32[32, 8]) {{
  for i.0 in 0..2 @warp {{
    for i.1 in 0..16{} {{
      for j in 0..8 {{
        reduce k in 0..16 {{
          C[i.0*16 + i.1, j] += f32(A[i.0*16 + i.1, k]) * f32(B[k, j])
        }}
      }}
    }}
  }}
}})",
                     binding);
}

TEST(Tensorize, BindsTheLoopToTheInstruction) {
  expect_rewrite(
      rows_of_warps(""),
      [](const Function& f) { return tensorize(f, axis(f, "i.1"), "mma_m16n8k16_bf16").function; },
      rows_of_warps(" @mma_m16n8k16_bf16"));
}

/// What unrolls the loops has no meaning in an instruction.
TEST(Tensorize, TakesLoopsThatAreUnrolledInFull) {
  expect_rewrite(R"(func f(A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8]) {
    for i in 0..16 @unroll { for j in 0..8 @unroll { reduce k in 0..16 @unroll {
      C[i, j] += f32(A[i, k]) * f32(B[k, j]) } } } })",
                 computes_by("mma_m16n8k16_bf16"),
                 R"(func f(A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8]) {
    for i in 0..16 @mma_m16n8k16_bf16 { for j in 0..8 @unroll { reduce k in 0..16 @unroll {
      C[i, j] += f32(A[i, k]) * f32(B[k, j]) } } } })");
}

TEST(Tensorize, TakesFactorsInAnyOrder) {
  Row row = rows[3];
  const auto turned = [&](const std::string& binding) {
    std::string text = product_of(row, binding);
    const std::string factors = "f32(A[i, k]) * f32(B[k, j])";
    return text.replace(text.find(factors), factors.size(), "f32(B[k, j]) * f32(A[i, k])");
  };
  expect_rewrite(turned(""), computes_by(row.word), turned(" @mma_m16n8k16_bf16"));
}

/// The nest is a part of larger tensors, with dimensions before those of the instruction.
std::string tiles_of(const std::string& binding) {
  return fmt::format(R"(func f(A: bf16[2, 32, 32], B: bf16[32, 16], C: f32[2, 2, 32, 16]) {{
  for n in 0..2 @block.x {{
    for row in 0..2 @warp {{
      for column in 0..2 {{
        reduce step in 0..2 {{
          for i in 0..16{} {{
            for j in 0..8 {{
              reduce k in 0..16 {{
                C[n, row, row*16 + i, column*8 + j] += f32(A[n, row*16 + i, step*16 + k]) * f32(B[step*16 + k, column*8 + j])
              }}
            }}
          }}
        }}
      }}
    }}
  }}
}})",
                     binding);
}

TEST(Tensorize, TakesTilesOfLargerTensors) {
  expect_rewrite(tiles_of(""), computes_by("mma_m16n8k16_bf16"), tiles_of(" @mma_m16n8k16_bf16"));
}

/// Conditions go away where tiles take the place of the tensors, or lowering refuses them.
TEST(Tensorize, LeavesConditionsToLaterSteps) {
  const auto text = [](const char* binding) {
    return fmt::format(R"(func f[M, K](A: bf16[M, K], B: bf16[16, 8], C: f32[M, 8]) {{
  for m in 0..(M + 15) / 16 {{
    for i in 0..16{} {{
      for j in 0..8 {{
        reduce k in 0..16 {{
          if (m*16 + i < M) {{
            C[m*16 + i, j] += f32(select(k < K, A[m*16 + i, k], 0.0)) * f32(B[k, j])
          }}
        }}
      }}
    }}
  }}
}})",
                       binding);
  };
  expect_rewrite(text(""), computes_by("mma_m16n8k16_bf16"), text(" @mma_m16n8k16_bf16"));
}

/// The lanes have the elements of a tile among them: it needs no loop over lanes.
TEST(Tensorize, LeavesTilesAroundTheNestToItsLanes) {
  const auto stages = [](const Function& f) {
    return in_registers(in_registers(in_shared(f, "A", "s"), "A.shared", "t"), "B", "t");
  };
  expect_rewrite(R"(func f(A: bf16[16, 32], B: bf16[32, 8], C: f32[16, 8]) {
  for s in 0..1 {
    reduce t in 0..2 {
      for i in 0..16 @mma_m16n8k16_bf16 {
        for j in 0..8 {
          reduce k in 0..16 {
            C[i, j] += f32(A[i, t*16 + k]) * f32(B[t*16 + k, j])
          }
        }
      }
    }
  }
})",
                 stages, R"(func f(A: bf16[16, 32], B: bf16[32, 8], C: f32[16, 8]) {
  for s in 0..1 {
    alloc A.shared: bf16[16, 32] @shared
    copy A.shared[0 .. +16, 0 .. +32] <- A[0 .. +16, 0 .. +32]
    reduce t in 0..2 {
      alloc A.reg: bf16[16, 16] @registers
      copy A.reg[0 .. +16, 0 .. +16] <- A.shared[0 .. +16, t*16 .. +16]
      alloc B.reg: bf16[16, 8] @registers
      copy B.reg[0 .. +16, 0 .. +8] <- B[t*16 .. +16, 0 .. +8]
      for i in 0..16 @mma_m16n8k16_bf16 {
        for j in 0..8 {
          reduce k in 0..16 {
            C[i, j] += f32(A.reg[i, k]) * f32(B.reg[k, j])
          }
        }
      }
    }
  }
})");
}

TEST(Tensorize, LetsAxesOfTheNestBeRenamed) {
  expect_rewrite(
      product_of(rows[3], " @mma_m16n8k16_bf16"),
      [](const Function& f) { return rename(f, axis(f, "j"), "column").function; },
      R"(func f(A: bf16[16, 16], B: bf16[16, 8], C: f32[16, 8]) {
  for i in 0..16 @mma_m16n8k16_bf16 {
    for column in 0..8 {
      reduce k in 0..16 {
        C[i, column] += f32(A[i, k]) * f32(B[k, column])
      }
    }
  }
})");
}

/// The number of a matrix may be an element of a table.
TEST(Tensorize, TakesAMatrixThatATableNames) {
  const char* text = R"(func f(A: f16[4, 16, 16], G: i32[4], B: f16[16, 16, 8], C: f32[4, 16, 8]) {{
  for t in 0..4 {{
    for i in 0..16{} {{
      for j in 0..8 {{
        reduce k in 0..16 {{
          C[t, i, j] += f32(A[t, i, k]) * f32(B[index(G[t]), k, j])
        }}
      }}
    }}
  }}
}})";
  const std::string before = fmt::format(fmt::runtime(text), "");
  const std::string after = fmt::format(fmt::runtime(text), " @mma_m16n8k16_f16");
  expect_rewrite(before, computes_by("mma_m16n8k16_f16"), after);
  expect_same_values(parse_function(before), parse_function(after));
}

}  // namespace tensorize_test
}  // namespace hone
