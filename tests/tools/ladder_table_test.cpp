#include "command.h"
#include "llvm/Support/JSON.h"
#include "runtime/error.h"

namespace hone {
namespace ladder_table_test {

using testing::HasSubstr;

/// The rows that a command line prints as JSON.
llvm::json::Array rows_of(std::vector<std::string> words) {
  const CommandResult result = hone(std::move(words));
  EXPECT_EQ(result.complained, "");
  auto value = llvm::json::parse(result.printed);
  EXPECT_TRUE(bool(value)) << result.printed << llvm::toString(value.takeError());
  return value ? *value->getAsArray() : llvm::json::Array();
}

const llvm::json::Object& row(const llvm::json::Array& rows, size_t number) {
  return *rows[number].getAsObject();
}

TEST(LadderTable, HasSpeedUpsAndSharesOfPeak) {
  const CommandResult result = hone({"ladder", "axpy", "--device=host"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.printed, HasSubstr("  GFLOP/s      GB/s    first   before    peak\n"));
}

/// A thousand elements are 125 sectors; rungs of the host have a time.
TEST(LadderTable, HasCountersOnTheSimulatedDevice) {
  const CommandResult result = hone({"ladder", "axpy", "--device=sim"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.printed,
              testing::ContainsRegex(
                  "check            time  load sectors  store sectors  shared wavefronts"
                  "     excessive\n"
                  "serial  host    N=1000  exact   +[0-9.]+ ms             -              -"
                  "                  -             -\n"
                  "blocks  sim     N=1000  exact               -           250            125"
                  "                  0             0\n"));
  const auto rows = rows_of({"ladder", "axpy", "--device=sim", "--json"});
  EXPECT_EQ(row(rows, 0).getObject("counters"), nullptr);
  EXPECT_EQ(*row(rows, 1).getObject("counters")->getNumber("global_load_sectors"), 250);
}

TEST(LadderTable, TimesWhatTimesSaySomethingOf) {
  const auto rows = rows_of({"ladder", "axpy", "--device=sim", "--json"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(*row(rows, 0).getString("rung"), llvm::StringRef("serial"));
  EXPECT_GT(*row(rows, 0).getNumber("milliseconds"), 0);
  EXPECT_NEAR(*row(rows, 0).getNumber("gflops") * *row(rows, 0).getNumber("milliseconds") * 1e6,
              2000, 1e-6);
  EXPECT_FALSE(row(rows, 0).getNumber("speedup_over_first"));
  EXPECT_EQ(*row(rows, 1).getString("device"), llvm::StringRef("sim"));
  EXPECT_FALSE(row(rows, 1).getNumber("milliseconds"));
  EXPECT_FALSE(row(rows, 1).getNumber("share_of_peak"));
}

/// Three rungs of the host, whose times are what they are.
Ladder hosts() {
  Ladder ladder = small_axpy();
  ladder.rungs = {ladder.rungs[0], ladder.rungs[0], ladder.rungs[0]};
  ladder.rungs[1].name = "second";
  ladder.rungs[2].name = "third";
  return ladder;
}

TEST(LadderTable, ComparesWithTheFirstRungAndTheOneBefore) {
  auto value = llvm::json::parse(hone_on({hosts()}, {"ladder", "axpy", "--json"}).printed);
  ASSERT_TRUE(bool(value));
  const llvm::json::Array& rows = *value->getAsArray();
  const auto time = [&](size_t number) { return *row(rows, number).getNumber("milliseconds"); };
  EXPECT_DOUBLE_EQ(*row(rows, 2).getNumber("speedup_over_first"), time(0) / time(2));
  EXPECT_DOUBLE_EQ(*row(rows, 2).getNumber("speedup_over_before"), time(1) / time(2));
}

TEST(LadderTable, MakesTheSizesConstants) {
  Ladder ladder = small_axpy();
  ladder.rungs[0].build = [](const Sizes& fixed, const Sizes&) {
    const Axpy p(fixed);
    if (!as_int(p.N)) throw RuntimeError("N is a param");
    return Schedule(p.program);
  };
  const auto printed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"ladder", "axpy", "--rungs=serial"});
    return hone_on({ladder}, words).printed;
  };
  EXPECT_THAT(printed({"--constant"}), HasSubstr("\nserial  host    N=1000  exact "));
  EXPECT_THAT(printed({}), HasSubstr("\nserial  host    N=1000  ERROR "));
}

TEST(LadderTable, TakesRungsAndSizes) {
  const auto rows =
      rows_of({"ladder", "axpy", "--device=sim", "--rungs=blocks", "--sizes=32,100", "--json"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(*row(rows, 0).getString("rung"), llvm::StringRef("blocks"));
  EXPECT_EQ(*row(rows, 0).getObject("sizes")->getInteger("N"), 32);
  EXPECT_EQ(*row(rows, 1).getObject("sizes")->getInteger("N"), 100);
  const auto mixed = rows_of({"ladder", "matmul", "--device=sim", "--rungs=register,threads",
                              "--sizes=8", "-DK=3", "--json"});
  ASSERT_EQ(mixed.size(), 2u);
  EXPECT_EQ(*row(mixed, 0).getString("rung"), llvm::StringRef("threads"));
  EXPECT_EQ(*row(mixed, 0).getObject("sizes")->getInteger("M"), 8);
  EXPECT_EQ(*row(mixed, 0).getObject("sizes")->getInteger("K"), 3);
}

TEST(LadderTable, RefusesWhatIsNoRungAndNoSize) {
  expect_usage_error({"ladder", "axpy", "--rungs=serial,block"},
                     "there is no rung 'block' in axpy; did you mean 'blocks'?");
  for (const char* sizes : {"", "0", "8,x", "8,,9"})
    EXPECT_THAT(hone({"ladder", "axpy", std::string("--sizes=") + sizes}).complained,
                HasSubstr("error: --sizes takes numbers from 1 on, as in 256,512,1024, got '"));
  EXPECT_THAT(hone({"ladder", "axpy", "--gpu=H101", "--device=sim"}).complained,
              HasSubstr("error: no GPU H101 is known; there are T4, "));
}

}  // namespace ladder_table_test
}  // namespace hone
