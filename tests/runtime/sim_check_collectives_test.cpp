// Check mode on what lanes and blocks do together: atomic updates, shuffles, arrivals. Each kernel
// has one thing wrong, or nothing.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/runtime/reductions.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_check_collectives_test {

struct Shape {
  int blocks = 1, threads = 64;
  bool output_is_set = true;
  int32_t counter = 0;  ///< its value before the launch
};

/// A kernel with t and b, A to read and C to write, of 1024 elements each, parts that nothing has
/// written, and a counter.
CheckReport report_on(const std::string& body, const Shape& shape = {},
                      const CheckOptions& options = {}) {
  const KernelFunction parsed = parse_kernel(fmt::format(
      "kernel checked(A: f32[1024], C: f32[1024], P: f32[1024], n: i32[1]) grid({}, 1, 1) "
      "block({}, 1, 1) @index32 {{ let t = thread.x let b = block.x {} }}",
      shape.blocks, shape.threads, body));
  Buffer a = counting(f32, {1024}), c(f32, {1024}), p(f32, {1024}), n(i32, {1});
  n.set(0, shape.counter);
  return check(parsed, {},
               {{"A", a.bytes.data(), 1024, false},
                {"C", c.bytes.data(), 1024, !shape.output_is_set},
                {"P", p.bytes.data(), 1024, true},
                {"n", n.bytes.data(), 1, false}},
               options);
}

std::string found(const std::string& body, const Shape& shape = {},
                  const CheckOptions& options = {}) {
  std::string text;
  for (const Finding& finding : report_on(body, shape, options).findings)
    text += (text.empty() ? "" : "\n") + to_string(finding);
  return text;
}

std::string kinds(const std::string& body, const Shape& shape = {}) {
  std::string text;
  for (const Finding& finding : report_on(body, shape).findings)
    text += (text.empty() ? "" : ", ") + std::string(to_string(finding.kind));
  return text;
}

const std::string tile = "alloc S: f32[64] @shared ";
const std::string value = "alloc R: f32[] @registers R[] = A[t] ";

// ---- Atomic updates -----------------------------------------------------------------------------

TEST(CheckAtomics, DoNotRaceWithOneAnother) {
  EXPECT_EQ(found("atomic C[0] += A[t]"), "");
  EXPECT_EQ(found("atomic C[t / 32] max= A[t]", {8, 64}), "");
  EXPECT_EQ(found(tile + "S[t] = 0.0 barrier atomic S[t / 2] += A[t] barrier C[t] = S[t]"), "");
}

TEST(CheckAtomics, RaceWithPlainWrites) {
  EXPECT_EQ(found(tile + "if (t == 5) { S[0] = 0.0 } atomic S[0] += 1.0"),
            "race on S[0]: no barrier between two threads of a block\n"
            "  block (0, 0, 0), thread (5, 0, 0) writes S[0]\n"
            "    in: S[0] = 0.0\n"
            "  block (0, 0, 0), thread (0, 0, 0) updates S[0]\n"
            "    in: atomic S[0] += 1.0\n"
            "  and 62 more like it");
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 atomic S[63 - t] += A[t]"), "race");
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier atomic S[0] += A[t] S[t] = 1.0"), "race");
  EXPECT_EQ(
      kinds("if (b == 0) { if (t == 0) { C[0] = 0.0 } } barrier atomic C[0] += A[t]", {2, 64}),
      "race");
}

TEST(CheckAtomics, RaceWithReads) {
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier atomic S[0] += A[t] C[t] = S[0] + 1.0"), "race");
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier C[t] = S[0] + 1.0 atomic S[0] += A[t]"), "race");
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier if (t == 0) { atomic S[0] += A[t] C[t] = S[0] }"), "");
  EXPECT_EQ(found("if (b == 0) { atomic C[0] += A[t] } if (b == 1) { C[t + 64] = C[0] }", {2, 64}),
            "race on C[0]: nothing orders the blocks of a launch\n"
            "  block (0, 0, 0), thread (0, 0, 0) updates C[0]\n"
            "    in: atomic C[0] += A[t]\n"
            "  block (1, 0, 0), thread (0, 0, 0) reads C[0]\n"
            "    in: C[t + 64] = C[0]");
  EXPECT_EQ(kinds("atomic C[b] += A[t] barrier if (t == 0) { C[b + 8] = C[b] }", {2, 64}), "");
}

/// A lane that has both updated and read an element.
TEST(CheckAtomics, RaceWithAReadOfALaneThatUpdatesToo) {
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier if (t == 1) { atomic S[0] += 1.0 C[0] = S[0] } "
                         "if (t == 2) { atomic S[0] += 1.0 }"),
            "race");
}

TEST(CheckAtomics, ReadWhatTheyUpdate) {
  EXPECT_EQ(found("atomic C[0] += A[t]", {1, 64, false}),
            "uninitialised read on C[0]: nothing was written there before\n"
            "  block (0, 0, 0), thread (0, 0, 0) updates C[0]\n"
            "    in: atomic C[0] += A[t]");
  EXPECT_EQ(kinds(tile + "atomic S[0] += A[t]"), "uninitialised read");
  EXPECT_EQ(kinds("alloc R: f32[] @registers atomic C[0] += R[]"), "uninitialised read");
}

// ---- Shuffles -----------------------------------------------------------------------------------

TEST(CheckShuffles, OfAllLanesAreInOrder) {
  EXPECT_EQ(found(value + "for k in 0..5 { R[] += shuffle_down(R[], 16 >> k, 32) } "
                          "if (t % 32 == 0) { C[t] = R[] }"),
            "");
  EXPECT_EQ(found(value + "for k in 0..5 { R[] += shuffle_exchange(R[], 16 >> k, 32) } C[t] = R[]"),
            "");
  EXPECT_EQ(found(value + "if (t < 8) { R[] += shuffle_exchange(R[], 4, 8) C[t] = R[] }"), "");
}

TEST(CheckShuffles, WithoutSomeOfTheirLanes) {
  EXPECT_EQ(found(value + "if (t < 20) { R[] = shuffle_exchange(R[], 1, 32) C[t] = R[] }"),
            "divergent shuffle: 20 lanes of a warp come to a shuffle of the first 32\n"
            "  in: R[] = shuffle_exchange(R[], 1, 32)");
  EXPECT_EQ(kinds(value + "R[] = shuffle_exchange(R[], 1, 32)", {1, 48}), "divergent shuffle");
}

TEST(CheckShuffles, WithLanesThatTheyDoNotName) {
  EXPECT_EQ(kinds(value + "R[] = shuffle_exchange(R[], 1, 16) if (t % 32 < 16) { C[t] = R[] }"),
            "divergent shuffle");
  EXPECT_EQ(kinds(value + "R[] = shuffle_exchange(R[], 1, 31 + t % 2) C[t] = 0.0"),
            "divergent shuffle");
}

TEST(CheckShuffles, GiveNothingToALaneWithoutAPartner) {
  const std::string down = value + "R[] = shuffle_down(R[], 8, 32) ";
  EXPECT_EQ(found(down + "if (t % 32 < 24) { C[t] = R[] }"), "");
  EXPECT_EQ(found(down + "C[t] = R[] * 2.0"),
            "uninitialised read on R[]: nothing was written there before\n"
            "  block (0, 0, 0), thread (24, 0, 0) reads R[]\n"
            "    in: C[t] = R[] * 2.0");
  EXPECT_EQ(kinds(down + "C[t] = R[]"), "uninitialised read");
}

TEST(CheckShuffles, PassOnWhatIsNotSet) {
  EXPECT_EQ(kinds("alloc R: f32[] @registers if (t % 32 != 5) { R[] = A[t] } "
                  "R[] = shuffle_exchange(R[], 1, 32) if (t % 32 != 4) { C[t] = R[] }"),
            "");
  EXPECT_EQ(kinds("alloc R: f32[] @registers if (t % 32 != 5) { R[] = A[t] } "
                  "R[] = shuffle_exchange(R[], 1, 32) if (t % 32 != 5) { C[t] = R[] }"),
            "uninitialised read");
}

/// The sum of a tree whose last level is missing: lane 0 has no garbage, lane 1 has.
TEST(CheckShuffles, LeaveASumInTheFirstLane) {
  const std::string tree = value + "for k in 0..4 { R[] += shuffle_down(R[], 16 >> k, 32) } ";
  EXPECT_EQ(found(tree + "if (t % 32 < 2) { C[t] = R[] }"), "");
  EXPECT_EQ(kinds(tree + "if (t % 32 < 3) { C[t] = R[] }"), "uninitialised read");
}

TEST(CheckShuffles, OfASumOfSeveralElements) {
  EXPECT_EQ(kinds(tile + "if (t != 9) { S[t] = A[t] } barrier alloc R: f32[] @registers "
                         "R[] = shuffle_exchange(A[t] + S[t], 1, 32) * A[t + 64] "
                         "if (t != 8) { C[t] = R[] }"),
            "");
  EXPECT_EQ(kinds(tile + "if (t != 9) { S[t] = A[t] } barrier alloc R: f32[] @registers "
                         "R[] = S[t] * shuffle_exchange(A[t], 1, 32) if (t != 8) { C[t] = R[] }"),
            "uninitialised read");
}

/// The values are those from before, also where the result takes their place.
TEST(Shuffles, ReadBeforeTheyWrite) {
  const auto values = [](const char* shuffle) {
    return sim_values(fmt::format("kernel f(A: f32[8], C: f32[8]) grid(1, 1, 1) block(8, 1, 1) "
                                  "@index32 {{ alloc R: f32[] @registers R[] = A[thread.x] "
                                  "R[] = {} C[thread.x] = R[] }}",
                                  shuffle),
                      {}, {{"A", counting(f32, {8})}, {"C", Buffer(f32, {8})}});
  };
  EXPECT_EQ(values("shuffle_exchange(R[], 1, 8)"), (Values{2, 1, 4, 3, 6, 5, 8, 7}));
  EXPECT_EQ(values("shuffle_exchange(R[], 7, 8)"), (Values{8, 7, 6, 5, 4, 3, 2, 1}));
}

// ---- Arrivals -----------------------------------------------------------------------------------

const std::string flag = "alloc last: bool[] @shared ";
const std::string part = "if (t == 0) { P[b] = A[b] } ";
const std::string arrival = "if (t == 0) { arrive last[] at n[0] of 8 after P } barrier ";
const std::string total = "if (last[]) { if (t == 0) { for k in 0..8 { C[0] += P[k] } } }";

TEST(CheckArrivals, OrderWhatBlocksDidBefore) {
  EXPECT_EQ(found(flag + part + arrival + total, {8, 64}), "");
  EXPECT_EQ(found(flag + "if (t < 8) { P[b*8 + t] = A[t] } barrier " + arrival +
                      "if (last[]) { C[t] = P[t] + 1.0 }",
                  {8, 64}),
            "");
  EXPECT_EQ(found(flag + "atomic C[0] += A[t] barrier " + arrival +
                      "if (last[]) { if (t == 0) { C[1] = C[0] C[0] = 0.0 } }",
                  {8, 64}),
            "");
}

TEST(CheckArrivals, AreMissed) {
  EXPECT_EQ(found(part + "barrier if (b == 7) { if (t == 0) { for k in 0..8 { C[0] += P[k] } } }",
                  {8, 64}),
            "race on P[0]: nothing orders the blocks of a launch\n"
            "  block (0, 0, 0), thread (0, 0, 0) writes P[b]\n"
            "    in: P[b] = A[b]\n"
            "  block (7, 0, 0), thread (0, 0, 0) reads P[k]\n"
            "    in: C[0] += P[k]\n"
            "  and 6 more like it\n"
            "uninitialised read on P[0]: nothing was written there before\n"
            "  block (7, 0, 0), thread (0, 0, 0) reads P[k]\n"
            "    in: C[0] += P[k]\n"
            "  and 6 more like it");
}

TEST(CheckArrivals, DoNotOrderWhatComesAfter) {
  EXPECT_EQ(found(flag + arrival + part + total, {8, 64}),
            "race on P[0]: nothing orders the blocks of a launch\n"
            "  block (0, 0, 0), thread (0, 0, 0) writes P[b]\n"
            "    in: P[b] = A[b]\n"
            "  block (7, 0, 0), thread (0, 0, 0) reads P[k]\n"
            "    in: C[0] += P[k]\n"
            "  and 6 more like it\n"
            "uninitialised read on P[0]: nothing was written there before\n"
            "  block (7, 0, 0), thread (0, 0, 0) reads P[k]\n"
            "    in: C[0] += P[k]\n"
            "  and 6 more like it");
}

/// Threads that write have to wait for the one that arrives, and those that read too.
TEST(CheckArrivals, OrderOtherThreadsByBarriers) {
  EXPECT_EQ(kinds(flag + "if (t == 1) { P[b] = A[b] } barrier " + arrival + total, {8, 64}), "");
  EXPECT_EQ(kinds(flag + "if (t == 1) { P[b] = A[b] } " + arrival + total, {8, 64}),
            "race, uninitialised read");
  EXPECT_EQ(kinds(flag + part +
                      "if (t == 0) { arrive last[] at n[0] of 8 after P } "
                      "if (b == 7) { C[t] = P[0] }",
                  {8, 64}),
            "race, uninitialised read");
}

TEST(CheckArrivals, OrderOnlyTheLastBlock) {
  EXPECT_EQ(kinds(flag + part + arrival + "if (b == 3) { C[t] = P[2] + P[4] }", {8, 64}),
            "race, uninitialised read, uninitialised read, race");
}

TEST(CheckArrivals, LeaveTheCounterAtZero) {
  EXPECT_EQ(found(flag + part + "if (t == 0) { arrive last[] at n[0] of 9 after P }", {8, 64}),
            "missing arrival on n[0]: the counter is 8 in the end, and is to be 0\n"
            "  in: arrive last[] at n[0] of 9 after P");
  EXPECT_EQ(kinds(flag + part + arrival, {8, 64, true, 3}), "missing arrival");
}

TEST(CheckArrivals, AreByOneThread) {
  EXPECT_EQ(found(flag + "arrive last[] at n[0] of 8 after P", {8, 64}),
            "invalid operation on n[0]: 64 threads of a block arrive, and one is to count it in\n"
            "  block (0, 0, 0), thread (0, 0, 0) updates n[0]\n"
            "    in: arrive last[] at n[0] of 8 after P\n"
            "  and 7 more like it\n"
            "same-value race on last[]: no barrier between two threads of a block\n"
            "  block (0, 0, 0), thread (0, 0, 0) writes last[]\n"
            "    in: arrive last[] at n[0] of 8 after P\n"
            "  block (0, 0, 0), thread (1, 0, 0) writes last[]\n"
            "    in: arrive last[] at n[0] of 8 after P\n"
            "  and 503 more like it");
}

TEST(CheckArrivals, RaceWithPlainAccessesToTheCounter) {
  EXPECT_EQ(kinds(flag + part + arrival + "if (b == 2) { n[0] = 0i32 }", {8, 64}),
            "race, same-value race, missing arrival");
}

TEST(CheckArrivals, AreTheSameOnManyHostThreads) {
  const std::string body = flag + arrival + part + total;
  EXPECT_EQ(found(body, {8, 64}, {.threads = 1}), found(body, {8, 64}, {.threads = 4}));
}

/// Whatever lowering makes has no findings.
TEST(CheckReductions, OfEveryKindAreClean) {
  for (const int64_t threads : {1, 31, 48, 96})
    for (const CombineLevels& within : all_thread_combines(threads))
      for (const auto across : {Combine::none, Combine::atomic, Combine::last_block}) {
        if (across == Combine::last_block && within.is_atomic()) continue;
        const VectorReduction reduction{
            .threads = threads, .within = within, .blocks = 5, .across = {across}};
        const Schedule schedule = reduction.schedule();
        std::mt19937 random(3);
        for (const int64_t length : {0, 1, 257}) {
          Buffers buffers = exact_inputs(reduction.operation, length, random);
          llvm::StringSet<> unwritten;
          unwritten.insert("S");
          const auto findings = check_kernels(lower(schedule), {{"N", length}}, unwritten, buffers);
          EXPECT_TRUE(findings.empty()) << reduction.describe() << " of " << length << "\n"
                                        << texts_of(findings);
        }
      }
}

}  // namespace sim_check_collectives_test
}  // namespace hone
