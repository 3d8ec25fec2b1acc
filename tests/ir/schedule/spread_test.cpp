// Loops over lanes, and over their values, as instructions have spread their results.
#include <gtest/gtest.h>

#include <set>

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/traverse/rewriter.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace spread_test {

Rewriting spreads(std::initializer_list<llvm::StringRef> names, const std::string& word) {
  const std::vector<llvm::StringRef> axes(names);
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 4> named;
    for (llvm::StringRef name : axes) named.push_back(axis(f, name));
    return spread(f, named, word).function;
  };
}

TEST(Spread, DealsSumsOutAsAnMmaHasThem) {
  expect_rewrite(R"(func f(A: f32[16, 8], C: f32[16, 8]) {
  for i in 0..16 {
    for j in 0..8 {
      C[i, j] = A[i, j]
    }
  }
})",
                 spreads({"i", "j"}, "mma_m16n8k16_bf16"),
                 R"(func f(A: f32[16, 8], C: f32[16, 8]) {
  for i_half in 0..2 {
    for lane_i in 0..8 @lane(4) {
      for lane_j in 0..4 @lane {
        for element in 0..2 {
          C[i_half*8 + lane_i, lane_j*2 + element] = A[i_half*8 + lane_i, lane_j*2 + element]
        }
      }
    }
  }
})");
}

/// Names keep what tells the nests of a product from one another.
TEST(Spread, NamesLoopsAfterTheirNest) {
  expect_rewrite(R"(func f(A: f32[16, 8], B: f32[16, 8], C: f32[16, 8]) {
  for row.init in 0..16 { for column.init in 0..8 { B[row.init, column.init] = 0.0 } }
  for row.post in 0..16 { for column.post in 0..8 {
    C[row.post, column.post] = B[row.post, column.post] } } })",
                 [](const Function& f) {
                   constexpr const char* mma = "mma_m16n8k8_tf32";
                   return spreads({"row.post", "column.post"},
                                  mma)(spreads({"row.init", "column.init"}, mma)(f));
                 },
                 R"(func f(A: f32[16, 8], B: f32[16, 8], C: f32[16, 8]) {
  for row_half.init in 0..2 {
    for lane_row.init in 0..8 @lane(4) {
      for lane_column.init in 0..4 @lane {
        for element.init in 0..2 {
          B[row_half.init*8 + lane_row.init, lane_column.init*2 + element.init] = 0.0
        }
      }
    }
  }
  for row_half in 0..2 {
    for lane_row in 0..8 @lane(4) {
      for lane_column in 0..4 @lane {
        for element in 0..2 {
          C[row_half*8 + lane_row, lane_column*2 + element] = B[row_half*8 + lane_row, lane_column*2 + element]
        }
      }
    }
  }
})");
}

/// Loops that are unrolled stay so, but for those over lanes.
TEST(Spread, PutsWarpsOutsideOfColumns) {
  expect_rewrite(R"(func f(C: f32[80, 64]) {
  for i in 0..80 @unroll {
    for j in 0..64 {
      C[i, j] = 0.0
    }
  }
})",
                 spreads({"i", "j"}, "wgmma_m80n64k64_kn_bf16"), R"(func f(C: f32[80, 64]) {
  for warp_j in 0..4 @warp {
    for octet in 0..10 @unroll {
      for lane_i in 0..4 @lane {
        for element in 0..2 @unroll {
          for j_half in 0..2 {
            for lane_j in 0..8 @lane(4) {
              C[octet*8 + lane_i*2 + element, warp_j*16 + j_half*8 + lane_j] = 0.0
            }
          }
        }
      }
    }
  }
})");
}

/// Rows of four pixels: half a warp's lanes have two of them.
TEST(Spread, CutsDigitsWhereIndicesTakeRowsApart) {
  expect_rewrite(R"(func f(C: f32[4, 4, 8]) {
  for i in 0..16 {
    for j in 0..8 {
      C[i / 4, i % 4, j] = 0.0
    }
  }
})",
                 spreads({"i", "j"}, "mma_m16n8k16_bf16"), R"(func f(C: f32[4, 4, 8]) {
  for i_half in 0..2 {
    for lane_i in 0..2 @lane(16) {
      for lane_i_2 in 0..4 @lane(4) {
        for lane_j in 0..4 @lane {
          for element in 0..2 {
            C[i_half*2 + lane_i, lane_i_2, lane_j*2 + element] = 0.0
          }
        }
      }
    }
  }
})");
}

/// The same where each dimension has a loop of its own.
TEST(Spread, TakesSeveralLoopsForADimension) {
  expect_rewrite(R"(func f(C: f32[4, 4, 8]) {
  for y in 0..4 {
    for x in 0..4 {
      for j in 0..8 {
        C[y, x, j] = 0.0
      }
    }
  }
})",
                 spreads({"y", "x", "j"}, "mma_m16n8k16_bf16"), R"(func f(C: f32[4, 4, 8]) {
  for y_half in 0..2 {
    for lane_y in 0..2 @lane(16) {
      for lane_x in 0..4 @lane(4) {
        for lane_j in 0..4 @lane {
          for element in 0..2 {
            C[y_half*2 + lane_y, lane_x, lane_j*2 + element] = 0.0
          }
        }
      }
    }
  }
})");
}

/// Loops over sums that stand in one another, over a tensor of their extents.
std::string loops_over(const std::vector<std::string>& names, const std::vector<int64_t>& extents) {
  std::string text = fmt::format("func f(C: f32[{}]) {{\n", fmt::join(extents, ", "));
  for (size_t n = 0; n < names.size(); ++n)
    text += fmt::format("for {} in 0..{} {{\n", names[n], extents[n]);
  text += fmt::format("C[{}] = 0.0\n", fmt::join(names, ", "));
  return text + std::string(names.size() + 1, '}');
}

/// "half 2, lane_i 8": the loops with their extents.
std::string loops_and_extents(const Function& function) {
  std::vector<std::string> words;
  for (const For* loop : loops_of(function.body))
    words.push_back(fmt::format("{} {}", loop->axis->name, *as_int(loop->extent)));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// An axis that has a part of the rows goes over no neighbours, though its own numbers do.
TEST(Spread, NamesLoopsByTheirStrideInTheInstruction) {
  const Function rows = parse_function(loops_over({"n", "i", "j"}, {2, 8, 8}));
  EXPECT_EQ(loops_and_extents(spreads({"n", "i", "j"}, "mma_m16n8k16_bf16")(rows)),
            "n_half 2, lane_i 8, lane_j 4, element 2");
  const Function columns = parse_function(loops_over({"i", "m", "n", "j"}, {64, 4, 2, 8}));
  EXPECT_EQ(loops_and_extents(spreads({"i", "m", "n", "j"}, "wgmma_m64n64k64_kn_bf16")(columns)),
            "warp_i 4, i_half 2, lane_i 8, m_part 4, n_half 2, lane_j 4, element 2");
}

TEST(Spread, TakesLoopsOfOneIterationAnywhere) {
  for (const std::vector<int64_t>& extents :
       {std::vector<int64_t>{1, 16, 8}, {16, 1, 8}, {16, 8, 1}}) {
    const Function before = parse_function(loops_over({"x", "y", "z"}, extents));
    const Function after = spreads({"x", "y", "z"}, "mma_m16n8k16_bf16")(before);
    const std::string row = extents[0] == 1 ? "y" : "x", column = extents[2] == 1 ? "y" : "z";
    EXPECT_EQ(loops_and_extents(after),
              fmt::format("{0}_half 2, lane_{0} 8, lane_{1} 4, element 2", row, column));
  }
}

using Element = std::pair<int64_t, int64_t>;

/// The elements that the loops of the function give a lane.
std::set<Element> elements_of_lane(const Function& function, int64_t lane) {
  std::vector<llvm::SmallVector<Expr, 4>> places;
  for (const MemoryAccess& access : collect_accesses(function.body))
    places.push_back(access.indices);
  for (const For* loop : loops_of(function.body)) {
    const Binding& binding = loop->binding;
    const int64_t extent = *as_int(loop->extent);
    std::vector<llvm::SmallVector<Expr, 4>> next;
    for (const auto& place : places)
      for (int64_t value = 0; value < extent; ++value) {
        if (binding.is_parallel() && lane / binding.digit.stride % extent != value) continue;
        next.push_back(place);
        for (Expr& index : next.back()) index = substitute(index, loop->axis.get(), value);
      }
    places = std::move(next);
  }
  std::set<Element> elements;
  for (const auto& place : places)
    elements.insert({*as_int(simplify(place[0])), *as_int(simplify(place[1]))});
  return elements;
}

std::set<Element> elements_of_lane(const FragmentSpread& spread, int64_t lane) {
  std::set<Element> elements;
  for (int value = 0; value < spread.values(); ++value) {
    const auto element = spread.element(static_cast<int>(lane), value);
    elements.insert({element[0], element[1]});
  }
  return elements;
}

/// The number of the operand that is a result in registers: the first one, but stmatrix stores its
/// second one from there.
size_t operand_with_result(const Opcode& opcode) {
  return llvm::StringRef(opcode.word()).startswith("stmatrix") ? 1 : 0;
}

/// The extents of that operand in the meaning of the instruction.
std::vector<int64_t> extents_of_result(const Opcode& opcode) {
  const Function meaning = parse_function(opcode.rules.meaning);
  std::vector<int64_t> extents;
  for (const Expr& extent : meaning.arguments[operand_with_result(opcode)]->shape)
    extents.push_back(*as_int(extent));
  return extents;
}

TEST(Spread, GivesEachLaneTheElementsOfEachInstruction) {
  std::set<std::string> compared, families;
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes) {
      if (opcode->rules.spreads.empty() || opcode->rules.threads == 1) continue;
      SCOPED_TRACE(opcode->word());
      const std::vector<int64_t> extents = extents_of_result(*opcode);
      if (extents[0] * extents[1] > 64 * 32) continue;  // the same with more columns
      const Function after =
          spreads({"i", "j"}, opcode->word())(parse_function(loops_over({"i", "j"}, extents)));
      const FragmentSpread& result = opcode->rules.spreads[operand_with_result(*opcode)];
      for (const int64_t lane : {0, 1, 6, 13, 31, opcode->rules.threads - 3})
        EXPECT_EQ(elements_of_lane(after, lane), elements_of_lane(result, lane)) << lane;
      compared.insert(opcode->word());
      families.insert(opcode->word().substr(0, opcode->word().find('_')));
    }
  EXPECT_GT(compared.size(), 70U);
  EXPECT_EQ(families, (std::set<std::string>{"ldmatrix", "mma", "stmatrix", "wgmma"}));
}

constexpr const char* sums = R"(func f(A: f32[16, 8, 4], C: f32[16, 8]) {
  for i in 0..16 {
    for j in 0..8 {
      reduce k in 0..4 {
        C[i, j] += A[i, j, k]
      }
    }
  }
})";

TEST(SpreadRefusals, OfANameThatNoInstructionHas) {
  expect_refusal(sums, spreads({"i", "j"}, "stmatrix"),
                 R"(error: spread: no instruction has the name 'stmatrix'
note: there are stmatrix_x4_f16, stmatrix_x2_f16, stmatrix_x1_f16, stmatrix_x4_bf16, stmatrix_x2_bf16, stmatrix_x1_bf16 and 12 others)");
}

TEST(SpreadRefusals, OfAnInstructionOfOneThread) {
  expect_refusal(
      sums, spreads({"i", "j"}, "dp4a_s8"),
      "error: spread: dp4a_s8 spreads nothing over lanes: each thread computes it by itself");
}

/// Instructions that each thread computes by itself are left out.
TEST(SpreadRefusals, OfANameThatIsLikeNone) {
  expect_refusal(sums, spreads({"i", "j"}, "mma16"),
                 R"(error: spread: no instruction has the name 'mma16'
note: there are ldmatrix_x4_f16, mma_m16n8k8_f16, wgmma_m64n16k64_f16 and others like these)");
}

TEST(SpreadRefusals, OfNoAxes) {
  expect_refusal(sums, spreads({}, "mma_m16n8k16_bf16"),
                 R"(error: spread: no axes are given
note: mma_m16n8k16_bf16 spreads 16 x 8 elements: one axis for each dimension, in this order)");
}

TEST(SpreadRefusals, OfOtherExtents) {
  expect_refusal(
      sums, spreads({"i", "j"}, "stmatrix_x4_bf16"),
      R"(error: spread: stmatrix_x4_bf16 spreads 16 x 16 elements, and the loops have 16 x 8
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..4 {
note: one axis for each dimension, in this order; split or tile makes loops of these extents)");
}

TEST(SpreadRefusals, OfTooFewAxes) {
  expect_refusal(sums, spreads({"i"}, "mma_m16n8k16_bf16"),
                 R"(error: spread: mma_m16n8k16_bf16 spreads 16 x 8 elements, and the loops have 16
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..4 {
note: one axis for each dimension, in this order; split or tile makes loops of these extents)");
}

/// Dimensions that cut a digit of the lanes.
TEST(SpreadRefusals, OfLoopsThatCutDigits) {
  expect_refusal(
      R"(func f(C: f32[3, 6, 8]) {
  for y in 0..3 { for x in 0..6 { for j in 0..8 { C[y, x, j] = 0.0 } } } })",
      spreads({"y", "x", "j"}, "mma_m16n8k16_bf16"),
      R"(error: spread: mma_m16n8k16_bf16 spreads 16 x 8 elements, and the loops have 3 x 6 x 8
  for y in 0..3 {                    <-- here
    for x in 0..6 {
      for j in 0..8 {
note: one axis for each dimension, in this order; split or tile makes loops of these extents)");
}

TEST(SpreadRefusals, OfAReductionAxis) {
  expect_refusal(
      sums, spreads({"i", "k"}, "mma_m16n8k16_bf16"),
      R"(error: spread: k is a reduction axis, and lanes share the elements of spatial axes
  for i in 0..16 {
    for j in 0..8 {
      reduce k in 0..4 {             <-- here
        C[i, j] += A[i, j, k])");
}

TEST(SpreadRefusals, OfLoopsInAnotherOrder) {
  expect_refusal(sums, spreads({"j", "i"}, "mma_m16n8k16_bf16"),
                 R"(error: spread: i does not stand inside j
  for i in 0..16 {                   <-- here
    for j in 0..8 {
      reduce k in 0..4 {)");
}

TEST(SpreadRefusals, OfLoopsInALoopOverLanes) {
  expect_refusal(R"(func f(C: f32[4, 16, 8]) {
  for n in 0..4 @lane {
    for i in 0..16 {
      for j in 0..8 {
        C[n, i, j] = 0.0
      }
    }
  }
})",
                 spreads({"i", "j"}, "mma_m16n8k16_bf16"),
                 R"(error: spread: n is bound to lane already, and lane_j is in the same nest
  for n in 0..4 @lane {              <-- here
    for i_half in 0..2 {
      for lane_i in 0..8 {
note: bind all axes of a unit in one step: s.bind({y, x}, lane))");
}

TEST(SpreadRefusals, OfIterationsThatShareAnElement) {
  expect_refusal(
      R"(func f(C: f32[16]) {
  for i in 0..16 {
    for j in 0..8 {
      C[i] = 0.0
    }
  }
})",
      spreads({"i", "j"}, "mma_m16n8k16_bf16"),
      R"(error: spread: two iterations of lane_j may write one element: C[i_half*8 + lane_i]
  for i_half in 0..2 {
    for lane_i in 0..8 {
      for lane_j in 0..4 {
        for element in 0..2 {
          C[i_half*8 + lane_i] = 0.0  <-- here
note: iterations that run at the same time must not share what they write)");
}

}  // namespace spread_test
}  // namespace hone
