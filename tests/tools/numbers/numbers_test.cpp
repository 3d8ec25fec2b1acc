// The orders of sums, and the verdicts on bits.
#include "llvm/Support/JSON.h"
#include "tests/tools/numbers/sum_ladders.h"

namespace hone {
namespace numbers_test {

using testing::HasSubstr;

std::string numbers(std::vector<std::string> words) {
  words.insert(words.begin(), "numbers");
  const CommandResult result = hone_on({sums_ladder(), small_matmul(), small_axpy()}, words);
  return result.printed + result.complained;
}

TEST(Numbers, OfASumInTheOrderOfTheProgram) {
  EXPECT_EQ(numbers({"sums/pieces"}), R"(sums/pieces
  S += X, in f32
    l.1: 8 terms in order
    l.0: (N + 7) / 8 terms in order
    k: M terms in order
from run to run: the same bits
at other sizes: the orders depend on N, M
next to the program without a schedule: the same bits at all 5 sizes
)");
}

TEST(Numbers, NameTheStepThatTurnsTheLoopsRound) {
  EXPECT_EQ(numbers({"sums/columns"}), R"(sums/columns
  S += X, in f32
    k: M terms in order
    l: N terms in order
from run to run: the same bits
at other sizes: the orders depend on M, N
next to the program without a schedule: other bits in all elements, at 5 of 5 sizes, since step 1: s.reorder({l, k});
)");
}

TEST(Numbers, TellLoopsThatRunBackwardsInTurns) {
  Ladder ladder = small_matmul();
  ladder.rungs = {
      make_rung<SmallMatmul>("turns", "", RungTarget::gpu,
                             [](Schedule& s, const SmallMatmul& p) { s.serpentine(p.j, {p.k}); })};
  const std::string text = hone_on({ladder}, {"numbers", "matmul/turns"}).printed;
  EXPECT_THAT(text, HasSubstr("    k: K terms in the order of k.turn\n"));
  EXPECT_THAT(text, HasSubstr(", since step 1: s.serpentine(j, {k});\n"));
}

TEST(Numbers, TellPartsThatAreAddedAtOnce) {
  const std::string text = numbers({"sums/tree"});
  EXPECT_THAT(text, HasSubstr("    l.1: 32 parts at once, by sequential\n"
                              "from run to run: the same bits\n"));
  EXPECT_THAT(text, HasSubstr(", since step 2: s.reorder({l_1, k, l_0});\n"));
}

TEST(Numbers, TellPartsThatAreAddedAsTheyCome) {
  const std::string text = numbers({"sums/atomic", "-DM=9", "-DN=3"});
  EXPECT_THAT(text, HasSubstr("  k.0: (M + 3) / 4 parts at once, added in the order in which they "
                              "come\n"
                              "from run to run: may differ; parts are added as they come, since "
                              "step 2: s.bind(k_0, block.x, Combine::atomic);\n"));
}

TEST(Numbers, DoNotDependOnSizesThatNoSumRunsThrough) {
  EXPECT_EQ(numbers({"matmul/register"}), R"(matmul/register
  C.reg += A * B, in f32, products not rounded
    k: K terms in order
from run to run: the same bits
at other sizes: the same bits whatever M or N is; the orders depend on K
next to the program without a schedule: the same bits at all 5 sizes
)");
}

TEST(Numbers, CompareRungs) {
  EXPECT_THAT(numbers({"matmul/register", "matmul/threads"}),
              HasSubstr("next to matmul/threads: the same bits at all 5 sizes\n"));
  EXPECT_THAT(numbers({"sums/columns", "sums/pieces", "-DM=12", "-DN=40"}),
              HasSubstr("next to sums/pieces: other bits in all elements at M=12 N=40\n"));
}

TEST(Numbers, OfARungWithoutSums) {
  EXPECT_EQ(numbers({"axpy/blocks"}), R"(axpy/blocks
  no sums: each element is computed by itself
from run to run: the same bits
at other sizes: the same bits
next to the program without a schedule: the same bits at all 5 sizes
)");
}

TEST(Numbers, AsJson) {
  auto value = llvm::json::parse(
      hone_on({sums_ladder()}, {"numbers", "sums/atomic", "-DM=9", "-DN=3", "--json"}).printed);
  ASSERT_TRUE(static_cast<bool>(value));
  llvm::json::Object& object = *value->getAsObject();
  for (const char* const field : {"compared", "since"})  // of the order in which the blocks came
    object.erase(field);
  EXPECT_EQ(*value, *llvm::json::parse(R"({
    "rung": "sums/atomic", "next_to": "the program without a schedule",
    "orders": [{"tensor": "S", "type": "f32", "is_fused": false, "levels": [
      {"loop": "l", "count": "N", "combine": null, "instruction": null, "turn": null},
      {"loop": "k.1", "count": "4", "combine": null, "instruction": null, "turn": null},
      {"loop": "k.0", "count": "(M + 3) / 4", "combine": "atomic", "instruction": null, "turn": null}]}],
    "arrivals": ["step 2: s.bind(k_0, block.x, Combine::atomic);"],
    "depends_on": ["N", "M"], "is_chosen_by_size": false, "refused": []})"));
}

TEST(Numbers, RefuseRungsOfOtherLadders) {
  EXPECT_EQ(numbers({"axpy/blocks", "matmul/threads"}),
            "error: axpy/blocks and matmul/threads are of different ladders, whose results are not "
            "the same ones\n");
}

TEST(Numbers, RefuseKernelsThatAreGivenAsText) {
  Ladder ladder = small_axpy();
  ladder.rungs.back().kernel = hone({"show", "axpy/blocks", "--emit=kernel"}).printed;
  EXPECT_EQ(hone_on({ladder}, {"numbers", "axpy/blocks"}).complained,
            "error: axpy/blocks is given as kernels, and orders are read off the loops of a "
            "schedule\n");
}

/// Sizes that break a promise are told, where there are others.
TEST(Numbers, LeaveOutSizesThatTheRungDoesNotTake) {
  Ladder ladder = small_axpy();
  ladder.sizes = {{"N", 1024}};
  ladder.rungs = {make_rung<Axpy>("even", "", RungTarget::gpu, [](Schedule& s, const Axpy& p) {
    s.assume(p.N % 2 == 0);
    auto [b, t] = s.split(p.i, 128);
    s.bind(b, block.x);
    s.bind(t, thread.x);
  })};
  EXPECT_THAT(hone_on({ladder}, {"numbers", "axpy/even"}).printed,
              HasSubstr("the same bits at all 3 sizes; it does not run at 2 others\n"));
  EXPECT_THAT(hone_on({ladder}, {"numbers", "axpy/even", "-DN=7"}).complained,
              HasSubstr("N % 2 == 0"));
}

}  // namespace numbers_test
}  // namespace hone
