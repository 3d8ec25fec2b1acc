// `hone explain` of rungs of the host: what they load, and how far apart in memory.

#include "command.h"
#include "llvm/Support/JSON.h"

namespace hone {
namespace explain_host_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// C = A B in loops of the host, of which one walks along rows of B and one along its columns.
Ladder host_products() {
  Ladder ladder = small_matmul();
  ladder.sizes = {{"M", 64}, {"N", 64}, {"K", 64}};
  const auto down = [](Schedule& s, const SmallMatmul& p) { s.reorder({p.i, p.j, p.k}); };
  const auto along = [](Schedule& s, const SmallMatmul& p) { s.reorder({p.i, p.k, p.j}); };
  const auto on_cores = [](Schedule& s, const SmallMatmul& p) {
    s.reorder({p.i, p.k, p.j});
    s.bind(p.i, parallel);
  };
  const auto unrolled = [](Schedule& s, const SmallMatmul& p) {
    s.reorder({p.i, p.k, p.j});
    auto [pieces, copies] = s.split(p.j, 8);
    s.unroll(copies);
  };
  ladder.rungs = {make_rung<SmallMatmul>("down", "", RungTarget::host, down),
                  make_rung<SmallMatmul>("along", "", RungTarget::host, along),
                  make_rung<SmallMatmul>("cores", "", RungTarget::host, on_cores),
                  make_rung<SmallMatmul>("unrolled", "", RungTarget::host, unrolled),
                  small_matmul().rungs.back()};
  for (size_t number = 1; number < 4; ++number)
    ladder.rungs[number].builds_on = ladder.rungs[number - 1].name;
  ladder.rungs.back().builds_on = "";
  return ladder;
}

CommandResult explained(std::vector<std::string> rungs) {
  rungs.insert(rungs.begin(), "explain");
  return hone_on({host_products()}, std::move(rungs));
}

TEST(ExplainHost, ComparesStepsOfTheInnermostLoops) {
  const CommandResult result = explained({"matmul/along"});
  EXPECT_EQ(result.complained, "");
  // 64 times 1 + 1/16 of a line, and 1/16 where C is set; 64 times 3/16, and the same.
  EXPECT_THAT(
      result.printed,
      StartsWith("matmul/along against matmul/down, K=64 M=64 N=64\n\n"
                 "1. lines of 64 bytes that innermost loops come to fall 5.64x: 68.06 -> 12.06 per "
                 "result, because the loop j reads B 4 bytes apart, and the loop k read it 4*N "
                 "bytes apart\n2. the loops are i, k, j instead of i, j, k\n"));
  EXPECT_THAT(result.printed,
              HasSubstr("    B[k*N + j] is read 4*N bytes apart in the loop k, a line of 64 bytes "
                        "each time\n"));
  EXPECT_THAT(result.printed, HasSubstr("    A[i*K + k] is read in place in the loop j\n"));
  EXPECT_THAT(result.printed, Not(HasSubstr("roofline")));
}

TEST(ExplainHost, SaysWhatIsOnAllCoresAndWhatIsUnrolled) {
  EXPECT_THAT(explained({"matmul/cores"}).printed,
              HasSubstr("\n\n1. the loop i is on all cores\n\n"));
  EXPECT_THAT(
      explained({"matmul/unrolled"}).printed,
      HasSubstr("\n\n1. the loop i is no longer on all cores\n2. the loop j.1 is unrolled\n"));
  EXPECT_THAT(explained({"matmul/unrolled", "matmul/unrolled"}).printed,
              HasSubstr("\n\nnothing that counts is different\n\n"));
}

/// Eight copies side by side are one piece of a line.
TEST(ExplainHost, CountsLinesOfUnrolledLoopsOnce) {
  const std::string text = explained({"matmul/along", "matmul/unrolled"}).printed;
  EXPECT_THAT(text, Not(HasSubstr("lines of 64 bytes that")));
  EXPECT_THAT(text, HasSubstr(" is read 4 bytes apart in the loop j.1, 16 times in a line of 64 "
                              "bytes\n"));
}

TEST(ExplainHost, SaysWhatARungDoesBesideOneOfAGpu) {
  const CommandResult result = explained({"matmul/down", "matmul/register"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              HasSubstr("\n\nmatmul/down, on the host: 2*K operations, 3*K loads and K + 1 stores "
                        "per result, as written\nmatmul/register, on a GPU: 2*K global loads, "));
  EXPECT_THAT(explained({"matmul/register", "matmul/down"}).printed,
              HasSubstr("\nmatmul/down, on the host: 2*K operations"));
  EXPECT_THAT(explained({"matmul/down"}).printed,
              StartsWith("matmul/down, K=64 M=64 N=64\n\n1. 2*K operations, 3*K loads and K + 1 "
                         "stores per result, as written\n"));
}

/// The loops of a sum are told even if each runs once.
TEST(ExplainHost, TellsTheLoopsOfTheSumAtTheSmallestSizes) {
  EXPECT_THAT(explained({"matmul/down", "matmul/along", "-DM=1", "-DN=1", "-DK=1"}).printed,
              HasSubstr("the loops are i, k, j instead of i, j, k\n"));
}

TEST(ExplainHost, HasRungsOfTheHostInALadder) {
  const std::string text = explained({"matmul"}).printed;
  EXPECT_THAT(text, HasSubstr("\ndown, on the host, K=64 M=64 N=64\n  2*K operations, "));
  EXPECT_THAT(text, HasSubstr("\nalong against down, on the host, K=64 M=64 N=64\n  lines of 64 "));
  EXPECT_THAT(text, HasSubstr("\nregister\n  "));
  auto value = llvm::json::parse(explained({"matmul", "--json"}).printed);
  ASSERT_TRUE(bool(value));
  ASSERT_EQ(value->getAsArray()->size(), 5u);
  const llvm::json::Object& along = *(*value->getAsArray())[1].getAsObject();
  EXPECT_EQ(*along.getString("rung"), llvm::StringRef("matmul/along"));
  EXPECT_EQ(along.get("roofline")->kind(), llvm::json::Value::Null);
  EXPECT_EQ(along.getArray("findings")->size(), 2u);
  EXPECT_EQ(*along.getObject("against")->getString("rung"), llvm::StringRef("matmul/down"));
}

}  // namespace explain_host_test
}  // namespace hone
