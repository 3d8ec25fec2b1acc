// The counts of count mode for kernels that are small enough to be counted by hand.
#include <gtest/gtest.h>

#include <set>

#include "llvm/Support/JSON.h"
#include "tests/support/ir/golden.h"
#include "tests/support/runtime/counted.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {

void PrintTo(const MemoryCounts& counts, std::ostream* out) {
  *out << counts.requests << " requests, " << counts.bytes << " bytes, " << counts.sectors
       << " sectors, " << counts.wavefronts << " wavefronts, ideally " << counts.ideal_wavefronts;
}

namespace sim_count_test {

/// The counts of the access of that text.
MemoryCounts of_access(const CountReport& report, const std::string& text) {
  for (const AccessReport& access : report.accesses)
    if (access.text == text) return access.counts;
  ADD_FAILURE() << "no access " << text;
  return {};
}

MemoryCounts load(const std::string& place, const CountShape& shape = {}) {
  return of_access(count_body("C[t] = " + place, shape), place);
}

/// Without lines and bytes of data, which have tests of their own.
MemoryCounts main_counts(MemoryCounts counts) {
  counts.lines = counts.data_bytes = 0;
  return counts;
}

MemoryCounts global(int64_t requests, int64_t bytes, int64_t sectors) {
  return {requests, bytes, sectors, 0, 0};
}

MemoryCounts shared(int64_t requests, int64_t bytes, int64_t wavefronts, int64_t ideal) {
  return {requests, bytes, 0, wavefronts, ideal};
}

// ---- Global memory ------------------------------------------------------------------------------

TEST(CountGlobal, CountsLines) {
  EXPECT_EQ(load("A[t]").lines, 1);
  EXPECT_EQ(load("A[t + 1]").lines, 2);
  EXPECT_EQ(load("A[t*2]").lines, 2);
  EXPECT_EQ(load("A[t*4]").lines, 4);
  EXPECT_EQ(load("A[t*32]").lines, 32);
  EXPECT_EQ(load("A[7]").lines, 1);
}

TEST(CountGlobal, CountsBytesOfLanesThatAskForTheSameOnce) {
  EXPECT_EQ(load("A[t]").data_bytes, 128);
  EXPECT_EQ(load("A[t*32]").data_bytes, 128);
  EXPECT_EQ(load("A[7]").data_bytes, 4);
  EXPECT_EQ(load("A[t / 4]").data_bytes, 32);
  EXPECT_EQ(load("A[t % 3]").data_bytes, 12);
}

TEST(CountGlobal, ReadsOfOneWarp) {
  EXPECT_EQ(main_counts(load("A[t]")), global(1, 128, 4));
  EXPECT_EQ(main_counts(load("A[t*2]")), global(1, 128, 8));
  EXPECT_EQ(main_counts(load("A[t*32]")), global(1, 128, 32));
  EXPECT_EQ(main_counts(load("A[7]")), global(1, 128, 1));
  EXPECT_EQ(main_counts(load("A[t + 1]")), global(1, 128, 5));
  EXPECT_EQ(main_counts(load("A[t + 8]")), global(1, 128, 4));
  EXPECT_EQ(main_counts(load("A[31 - t]")), global(1, 128, 4));
}

TEST(CountGlobal, WritesOfOneWarp) {
  EXPECT_EQ(main_counts(of_access(count_body("C[t] = A[t]"), "C[t]")), global(1, 128, 4));
  EXPECT_EQ(main_counts(of_access(count_body("C[t*2 + 1] = A[t]"), "C[t*2 + 1]")),
            global(1, 128, 8));
}

TEST(CountGlobal, ElementsOfOtherTypes) {
  EXPECT_EQ(main_counts(load("A[t]", {.type = "f64"})), global(1, 256, 8));
  EXPECT_EQ(main_counts(load("A[t + 1]", {.type = "f64"})), global(1, 256, 9));
  EXPECT_EQ(main_counts(load("A[t]", {.type = "f16"})), global(1, 64, 2));
  EXPECT_EQ(main_counts(load("A[t + 1]", {.type = "bf16"})), global(1, 64, 3));
  EXPECT_EQ(main_counts(load("A[t]", {.type = "i8"})), global(1, 32, 1));
  EXPECT_EQ(main_counts(load("A[t + 31]", {.type = "u8"})), global(1, 32, 2));
}

TEST(CountGlobal, Vectors) {
  const CountReport by_4 = count_body("copy C[t*4 .. +4] <- A[t*4 .. +4] @vector(4)");
  EXPECT_EQ(main_counts(of_access(by_4, "A[t*4 .. +4]")), global(1, 512, 16));
  EXPECT_EQ(main_counts(of_access(by_4, "C[t*4 .. +4]")), global(1, 512, 16));
  const CountReport by_2 = count_body("copy C[t*2 .. +2] <- A[t*2 .. +2] @vector(2)");
  EXPECT_EQ(main_counts(of_access(by_2, "A[t*2 .. +2]")), global(1, 256, 8));
  const CountReport halves =
      count_body("copy C[t*8 .. +8] <- A[t*8 .. +8] @vector(8)", {.type = "f16"});
  EXPECT_EQ(main_counts(of_access(halves, "A[t*8 .. +8]")), global(1, 512, 16));
  EXPECT_EQ(by_4.accesses[0].width, 4);
}

TEST(CountGlobal, ALoopThatChangesTheAlignment) {
  const CountReport report = count_body("for n in 0..8 { C[t] = A[t + n] }");
  EXPECT_EQ(main_counts(of_access(report, "A[t + n]")), global(8, 1024, 4 + 7 * 5));
  EXPECT_EQ(main_counts(of_access(report, "C[t]")), global(8, 1024, 32));
  EXPECT_EQ(
      main_counts(of_access(count_body("for n in 0..16 { C[t] = A[n*8 + t] }"), "A[n*8 + t]")),
      global(16, 2048, 64));
}

TEST(CountGlobal, ALoopThatChangesTheDistanceOfLanes) {
  const CountReport report = count_body("for n in 0..4 { C[t] = A[t*n] }");
  EXPECT_EQ(main_counts(of_access(report, "A[t*n]")), global(4, 512, 1 + 4 + 8 + 12));
}

TEST(CountGlobal, ReadsAndWritesOfAnUpdate) {
  const CountReport report = count_body("C[t] += A[t]");
  ASSERT_EQ(report.accesses.size(), 3u);
  EXPECT_EQ(main_counts(report.total(AccessClass::global_load)), global(2, 256, 8));
  EXPECT_EQ(main_counts(report.total(AccessClass::global_store)), global(1, 128, 4));
  EXPECT_EQ(main_counts(report.global()), global(3, 384, 12));
}

TEST(CountGlobal, EqualReadsOfAStatementOnce) {
  EXPECT_EQ(main_counts(count_body("C[t] = A[t]*A[t] + A[t + 1]").total(AccessClass::global_load)),
            global(2, 256, 9));
  EXPECT_EQ(main_counts(count_body("C[t] += C[t]*A[t]").total(AccessClass::global_load)),
            global(2, 256, 8));
  EXPECT_EQ(main_counts(count_body("C[t] = A[t] C[t + 32] = A[t]").total(AccessClass::global_load)),
            global(2, 256, 8));
}

TEST(CountGlobal, ReadsThatNotAllLanesNeed) {
  const CountReport report = count_body("C[t] = select(t < 8, A[t], 0.0)");
  EXPECT_EQ(main_counts(of_access(report, "A[t]")), global(1, 32, 1));
  EXPECT_EQ(count_body("C[t] = select(t < 8, A[t], 0.0) + A[t]").global().requests, 3);
}

// ---- Which lanes --------------------------------------------------------------------------------

TEST(CountLanes, ThatAreActive) {
  EXPECT_EQ(main_counts(of_access(count_body("if (t < 5) { C[t] = A[t] }"), "A[t]")),
            global(1, 20, 1));
  EXPECT_EQ(main_counts(of_access(count_body("if (t % 2 == 0) { C[t] = A[t] }"), "A[t]")),
            global(1, 64, 4));
  EXPECT_EQ(main_counts(of_access(count_body("if (t < 0) { C[t] = A[t] }"), "A[t]")),
            global(0, 0, 0));
}

TEST(CountLanes, OfWarpsWithoutAnActiveLaneMakeNoRequest) {
  const CountShape shape = {.block = "128, 1, 1"};
  EXPECT_EQ(main_counts(of_access(count_body("if (t < 40) { C[t] = A[t] }", shape), "A[t]")),
            global(2, 160, 5));
  EXPECT_EQ(main_counts(of_access(count_body("if (t % 32 == 3) { C[t] = A[t] }", shape), "A[t]")),
            global(4, 16, 4));
}

TEST(CountLanes, UnderAMaskThatChanges) {
  EXPECT_EQ(
      main_counts(of_access(count_body("for n in 0..4 { if (t < n*8) { C[t] = A[t] } }"), "A[t]")),
      global(3, (8 + 16 + 24) * 4, 1 + 2 + 3));
}

TEST(CountLanes, OfBlocksThatAreNoWholeWarps) {
  EXPECT_EQ(main_counts(load("A[t]", {.block = "48, 1, 1"})), global(2, 192, 6));
  EXPECT_EQ(main_counts(load("A[t]", {.block = "1, 1, 1"})), global(1, 4, 1));
  EXPECT_EQ(main_counts(load("A[t*8]", {.block = "33, 1, 1"})), global(2, 132, 33));
}

/// A warp is four rows of eight threads; every second row starts in the middle of a sector.
TEST(CountLanes, OfTwoDimensionalBlocks) {
  const CountReport report = count_body("C[t] = A[thread.y*100 + t]", {.block = "8, 8, 1"});
  EXPECT_EQ(main_counts(of_access(report, "A[thread.y*100 + t]")), global(2, 256, 12));
}

/// Rows of 20 threads: the first warp ends in the second row.
TEST(CountLanes, OfRowsThatAreNoWholeWarps) {
  const CountReport report = count_body("C[t] = A[thread.y*64 + t]", {.block = "20, 2, 1"});
  EXPECT_EQ(main_counts(of_access(report, "A[thread.y*64 + t]")), global(2, 160, (3 + 2) + 2));
}

// ---- Shared memory ------------------------------------------------------------------------------

std::string transpose_by_way_of(const std::string& tile) {
  return "alloc s: " + tile + " @shared for n in 0..32 { s[n, t] = A[n*32 + t] } barrier " +
         "for m in 0..32 { C[m*32 + t] = s[t, m] }";
}

TEST(CountShared, ATransposeWithConflicts) {
  const CountReport report = count_body(transpose_by_way_of("f32[32, 32]"));
  EXPECT_EQ(main_counts(of_access(report, "s[n, t]")), shared(32, 4096, 32, 32));
  EXPECT_EQ(main_counts(of_access(report, "s[t, m]")), shared(32, 4096, 1024, 32));
  EXPECT_EQ(report.shared().bank_conflicts(), 992);
  EXPECT_EQ(report.barriers, 1);
}

TEST(CountShared, APaddedTransposeWithoutConflicts) {
  const CountReport report = count_body(transpose_by_way_of("f32[32, 33]"));
  EXPECT_EQ(main_counts(of_access(report, "s[t, m]")), shared(32, 4096, 32, 32));
  EXPECT_EQ(report.shared().bank_conflicts(), 0);
}

MemoryCounts shared_load(const std::string& tile, const std::string& place,
                         const CountShape& shape = {}) {
  return main_counts(of_access(
      count_body("alloc s: " + shape.type + "[" + tile + "] @shared C[t] = " + place, shape),
      place));
}

TEST(CountShared, ConflictsOfStrides) {
  EXPECT_EQ(shared_load("32", "s[t]"), shared(1, 128, 1, 1));
  EXPECT_EQ(shared_load("64", "s[t*2]"), shared(1, 128, 2, 1));
  EXPECT_EQ(shared_load("256", "s[t*8]"), shared(1, 128, 8, 1));
  EXPECT_EQ(shared_load("256", "s[t*7]"), shared(1, 128, 1, 1));
  EXPECT_EQ(shared_load("32", "s[5]"), shared(1, 128, 1, 1));
}

TEST(CountShared, ElementsOfOtherTypes) {
  EXPECT_EQ(shared_load("64", "s[t]", {.type = "f16"}), shared(1, 64, 1, 1));
  EXPECT_EQ(shared_load("128", "s[t*4]", {.type = "f16"}), shared(1, 64, 2, 1));
  EXPECT_EQ(shared_load("1024", "s[t*16]", {.type = "i8"}), shared(1, 32, 4, 1));
  EXPECT_EQ(shared_load("32", "s[t]", {.type = "f64"}), shared(1, 256, 2, 2));
  EXPECT_EQ(shared_load("64", "s[t*2]", {.type = "f64"}), shared(1, 256, 4, 2));
}

/// The lanes 2m are in banks m; the lanes 2m + 1 in banks m + 16, or m + 17 where the row starts in
/// the middle of a word: then that of the last lane is bank 0 again.
TEST(CountShared, NarrowElementsByTheirPlaceInAWord) {
  const CountReport report = count_body(
      "alloc s: f16[1040] @shared for n in 0..2 { C[t] = s[t*33 + n] }", {.type = "f16"});
  EXPECT_EQ(main_counts(of_access(report, "s[t*33 + n]")), shared(2, 128, 1 + 2, 2));
}

TEST(CountShared, Vectors) {
  const auto vector_load = [](int width, const std::string& start) {
    const std::string count = std::to_string(width), place = "s[" + start + " .. +" + count + "]";
    return main_counts(
        of_access(count_body("alloc s: f32[1024] @shared copy C[t*" + count + " .. +" + count +
                             "] <- " + place + " @vector(" + count + ")"),
                  place));
  };
  EXPECT_EQ(vector_load(4, "t*4"), shared(1, 512, 4, 4));
  EXPECT_EQ(vector_load(4, "t*8"), shared(1, 512, 8, 4));
  EXPECT_EQ(vector_load(4, "8"), shared(1, 512, 2, 2));
  EXPECT_EQ(vector_load(2, "t*2"), shared(1, 256, 2, 2));
}

// ---- Launches -----------------------------------------------------------------------------------

TEST(CountLaunch, IsTheSameOnAnyNumberOfThreads) {
  const std::string body = "if (block.x % 3 != t % 5) { C[block.x*32 + t] = A[t*(block.x + 1)] }";
  const CountShape shape = {.grid = "40, 1, 1"};
  const CountReport one = count_body(body, shape, {.threads = 1});
  EXPECT_GT(one.global().sectors, 40);
  for (const int threads : {2, 3, 7})
    EXPECT_EQ(to_json(count_body(body, shape, {.threads = threads})), to_json(one));
}

TEST(CountLaunch, ScalesUpFromSomeBlocks) {
  const std::string body = "if (block.x < 50) { C[t] = A[t] * 2.0 } barrier";
  const CountShape shape = {.grid = "100, 1, 1"};
  const CountReport all = count_body(body, shape);
  const CountReport some = count_body(body, shape, {.most_blocks = 10});
  EXPECT_FALSE(all.is_sampled());
  EXPECT_TRUE(some.is_sampled());
  EXPECT_EQ(some.counted_blocks, 10);
  EXPECT_EQ(some.totals, all.totals);
  EXPECT_EQ(main_counts(some.total(AccessClass::global_load)), global(50, 50 * 128, 200));
  EXPECT_EQ(some.flops, 50 * 32);
  EXPECT_EQ(some.barriers, 100);
  EXPECT_FALSE(count_body(body, shape, {.most_blocks = 100}).is_sampled());
  EXPECT_EQ(to_string(some).substr(0, 79),
            "k: grid (100, 1, 1), block (32, 1, 1); scaled up from 10 of 100 blocks\n\n       ");
}

TEST(CountLaunch, RefusesANegativeNumberOfBlocks) {
  EXPECT_EQ(message_of<RuntimeError>([] { count_body("C[t] = A[t]", {}, {.most_blocks = -1}); }),
            "k: cannot count -1 blocks; 0 counts all");
}

TEST(CountLaunch, OfNoBlocksIsZero) {
  const CountReport report = count_body("C[t] = A[t]", {.grid = "0, 1, 1"});
  EXPECT_EQ(report.global(), MemoryCounts{});
  EXPECT_EQ(report.global_intensity(), 0);
  EXPECT_EQ(report.barriers_per_block(), 0);
}

TEST(CountLaunch, ThrowsWhatARunThrows) {
  EXPECT_EQ(message_of<SimError>([] { count_body("C[t] = A[t + 4090]"); }),
            "A[t + 4090]: element 4096 is outside 0..4096, block (0, 0, 0), thread (6, 0, 0), in: "
            "C[t] = A[t + 4090]");
}

// ---- Text ---------------------------------------------------------------------------------------

TEST(CountText, IsATableOfStatementsAndOneOfCounters) {
  const CountReport report =
      count_body("alloc s: f32[64] @shared s[t*2] = A[t] barrier if (t < 7) { C[t] = s[t*2]*2.5 }");
  expect_golden("tests/runtime/golden/count_report.txt", to_string(report) + "\n");
}

TEST(CountText, IsAtMost110ColumnsWide) {
  std::string index = "t";
  for (int n = 0; n < 30; ++n) index += " + block.x*" + std::to_string(n + 1);
  const std::string text = to_string(count_body("C[" + index + "] = A[" + index + "]"));
  llvm::SmallVector<llvm::StringRef, 64> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (const llvm::StringRef line : lines) EXPECT_LE(line.size(), 110u) << line.str();
}

TEST(CountText, AsJsonHasEveryCounterWithItsMetric) {
  const CountReport report = count_body("C[t] = A[t*2]");
  const llvm::json::Value json = to_json(report);
  const llvm::json::Object& object = *json.getAsObject();
  std::map<std::string, double> values;
  std::set<std::string> metrics;
  for (const llvm::json::Value& counter : *object.getArray("counters")) {
    values[counter.getAsObject()->getString("name")->str()] =
        *counter.getAsObject()->getNumber("value");
    if (const auto metric = counter.getAsObject()->getString("metric")) {
      EXPECT_TRUE(metrics.insert(metric->str()).second) << metric->str();
    }
  }
  EXPECT_EQ(values.size(), counters().size());
  EXPECT_EQ(values.at("global_sectors_per_load"), 8);
  EXPECT_EQ(values.at("global_load_efficiency"), 50);
  EXPECT_EQ(object.getArray("accesses")->size(), 2u);
  EXPECT_EQ(*object.getBoolean("is_sampled"), false);
}

}  // namespace sim_count_test
}  // namespace hone
