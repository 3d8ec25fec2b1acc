// Drawings of fragments: which lane has which element.
#include <gmock/gmock.h>

#include "tests/support/runtime/warp_product.h"
#include "tools/draw/draw.h"

namespace hone {
namespace draw_spread_test {

const WarpProduct product({"mma_m16n8k16_bf16", 16, bf16, f32});

Recording recording() { return {product.tiled().schedule, {{"M", 64}, {"N", 32}, {"K", 32}}}; }

TEST(SpreadFigures, AreOfTheMatricesInRegisters) {
  std::vector<std::string> subjects;
  for (const Figure& figure : spread_figures(recording())) subjects.push_back(figure.subject);
  EXPECT_THAT(subjects, testing::ElementsAre("mma_m16n8k16_bf16, C", "mma_m16n8k16_bf16, A",
                                             "mma_m16n8k16_bf16, B"));
  for (const char* word : {"ldmatrix_x4_bf16", "wgmma_m64n16k64_bf16"})
    EXPECT_EQ(spread_figures(*find_opcode_with_lanes(word)).size(), 1U) << word;
}

TEST(SpreadFigures, NameLanesAndValues) {
  const Figure right = spread_figures(recording()).back();
  EXPECT_EQ(to_text(right),
            R"(mma_m16n8k16_bf16: which lane of a warp has which element of B, 16 x 8

      0    1    2    3    4    5    6    7
 0  0.0  4.0  8.0 12.0 16.0 20.0 24.0 28.0
 1  0.1  4.1  8.1 12.1 16.1 20.1 24.1 28.1
 2  1.0  5.0  9.0 13.0 17.0 21.0 25.0 29.0
 3  1.1  5.1  9.1 13.1 17.1 21.1 25.1 29.1
 4  2.0  6.0 10.0 14.0 18.0 22.0 26.0 30.0
 5  2.1  6.1 10.1 14.1 18.1 22.1 26.1 30.1
 6  3.0  7.0 11.0 15.0 19.0 23.0 27.0 31.0
 7  3.1  7.1 11.1 15.1 19.1 23.1 27.1 31.1
 8  0.2  4.2  8.2 12.2 16.2 20.2 24.2 28.2
 9  0.3  4.3  8.3 12.3 16.3 20.3 24.3 28.3
10  1.2  5.2  9.2 13.2 17.2 21.2 25.2 29.2
11  1.3  5.3  9.3 13.3 17.3 21.3 25.3 29.3
12  2.2  6.2 10.2 14.2 18.2 22.2 26.2 30.2
13  2.3  6.3 10.3 14.3 18.3 22.3 26.3 30.3
14  3.2  7.2 11.2 15.2 19.2 23.2 27.2 31.2
15  3.3  7.3 11.3 15.3 19.3 23.3 27.3 31.3

Rows and columns are those of B, of bf16. A cell is the lane of a warp that has the element in its
registers, and the number of the value among the 4 that it has; a colour is a lane.
)");
  EXPECT_EQ(right.facts.at("lanes"), 32);
  EXPECT_EQ(right.facts.at("values_per_lane"), 4);
  EXPECT_EQ(right.panels[0].at(2, 1).tip, "B[2, 1]: value 0 of lane 5");
}

/// On the simulated device, threads store the sums that they have, and no others.
TEST(SpreadFigures, AgreeWithTheThreadsOfARun) {
  const Recording run = recording();
  const FigurePanel sums = spread_figures(run).front().panels[0];
  for (const Figure& figure : threads_figures(run)) {
    if (figure.subject != "C") continue;
    const FigurePanel& threads = figure.panels[0];
    ASSERT_EQ(threads.rows, 64);
    for (int64_t row = 0; row < threads.rows; ++row)
      for (int64_t column = 0; column < threads.columns; ++column)
        EXPECT_EQ(threads.at(row, column).value,
                  row / 32 * 32 + sums.at(row % sums.rows, column % sums.columns).value)
            << row << ", " << column;
    return;
  }
  FAIL() << "nobody writes C";
}

/// Of four warps one below the other.
TEST(SpreadFigures, ShowTheStartOfLargeMatrices) {
  const Figure sums = spread_figures(*find_opcode_with_lanes("wgmma_m64n256k64_bf16")).front();
  EXPECT_EQ(sums.panels[0].note, "the first 16 x 16 of 64 x 256 elements");
  EXPECT_EQ(sums.facts.at("lanes"), 128);
  EXPECT_EQ(sums.facts.at("values_per_lane"), 128);
}

}  // namespace draw_spread_test
}  // namespace hone
