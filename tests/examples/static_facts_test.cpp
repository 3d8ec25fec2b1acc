// The loads and stores for one element of C, rung by rung, as they are counted by hand.
#include "codegen/cost/static_facts.h"

#include <algorithm>
#include <set>

#include "codegen/lower.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace static_facts_test {

StaticFacts facts_of(const std::string& name) {
  for (const RungCase& rung_case : gpu_rungs())
    if (rung_case.name() == name)
      return static_facts(lower(rung_case.rung.build({}, rung_case.ladder.sizes)).kernels.front());
  ADD_FAILURE() << "no rung " << name;
  return {};
}

struct Expected {
  const char *rung, *threads, *results;
  const char *global_loads, *global_stores, *shared_loads, *shared_stores;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.rung; }

class CountsOfARung : public testing::TestWithParam<Expected> {};

// Tiles of T x T: each of K/T tiles takes two loads a thread, and each result 2*T operands.
// Tiles of 64 x 64, eight deep: 2 loads for 8 results, and 8*(8 + 1) operands.
// Tiles of 128 x 128, eight deep: K/8 tiles * 2 matrices * 4 elements for 64 results are K/64; K/8
// tiles * 8 steps * 2 * 8 operands for 64 results are K/4.
INSTANTIATE_TEST_SUITE_P(
    Matmul, CountsOfARung,
    testing::Values(Expected{"one-block", "1024", "M*N/1024", "2*K", "1", "0", "0"},
                    Expected{"bind", "N", "1", "3*K", "K + 1", "0", "0"},
                    Expected{"global-accumulate", "1024", "1", "3*K", "K + 1", "0", "0"},
                    Expected{"register-accumulate", "1024", "1", "2*K", "1", "0", "0"},
                    Expected{"restrict", "1024", "1", "3*K", "K + 1", "0", "0"},
                    Expected{"thread-4x1", "256", "4", "5*K/4", "1", "0", "0"},
                    Expected{"thread-2x2", "256", "4", "K", "1", "0", "0"},
                    Expected{"shared-8", "64", "1", "K/4", "1", "2*K", "K/4"},
                    Expected{"shared-16", "256", "1", "K/8", "1", "2*K", "K/8"},
                    Expected{"shared-32", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"shared-partial-sums", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"shared-unrolled-8", "64", "1", "K/4", "1", "2*K", "K/4"},
                    Expected{"shared-unrolled-16", "256", "1", "K/8", "1", "2*K", "K/8"},
                    Expected{"shared-unrolled-by-3", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"shared-conflicting", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"shared-unrolled", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"shared-transposed", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"shared-unrolled-by-hand", "1024", "1", "K/16", "1", "2*K", "K/16"},
                    Expected{"thread-1d-16", "32", "8", "K/8", "1", "9*K/8", "K/8"},
                    Expected{"thread-1d-32", "128", "8", "K/16", "1", "9*K/8", "K/16"},
                    Expected{"thread-1d-block", "512", "8", "K/32", "1", "9*K/8", "K/32"},
                    Expected{"thread-2d", "256", "64", "K/64", "1", "K/4", "K/64"},
                    Expected{"vectorized", "256", "64", "K/64", "1", "K/4", "K/64"}),
    [](const auto& info) {
      std::string name = info.param.rung;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_P(CountsOfARung, AreThoseCountedByHand) {
  const Expected& expected = GetParam();
  const StaticFacts facts = facts_of(std::string("matmul/") + expected.rung);
  EXPECT_EQ(to_string(facts.threads_per_block), expected.threads);
  EXPECT_EQ(to_string(facts.results_per_thread), expected.results);
  EXPECT_EQ(to_string(facts.per_result.global_loads), expected.global_loads);
  EXPECT_EQ(to_string(facts.per_result.global_stores), expected.global_stores);
  EXPECT_EQ(to_string(facts.per_result.shared_loads), expected.shared_loads);
  EXPECT_EQ(to_string(facts.per_result.shared_stores), expected.shared_stores);
}

TEST(StaticFactsOfRungs, HaveTheTilesOfABlockAndOfAThread) {
  const StaticFacts facts = facts_of("matmul/thread-2d");
  EXPECT_EQ(facts.shared_bytes, 8192);
  EXPECT_EQ(facts.tile_registers(), 64 + 8 + 8);
  ASSERT_EQ(facts.barriers.size(), 1u);
  EXPECT_EQ(facts.barriers[0].loop, "step");
  EXPECT_EQ(facts.barriers[0].barriers, 2);
  EXPECT_EQ(to_string(facts.barriers_per_thread), "K/4");
  EXPECT_DOUBLE_EQ(facts.per_result.shared_loads.at({{"K", 4096}}), 1024);
}

/// Global loads and stores for an element of C.
SizeFormula accesses_per_result(const std::string& rung) {
  const AccessCounts counts = facts_of("matmul/" + rung).per_result;
  return counts.global_loads + counts.global_stores;
}

// The counts of the well-known comparison at K = 8: one result a thread, four in a column, and a
// square of four.
TEST(StaticFactsOfRungs, ShowThatSquaresLoadLeast) {
  EXPECT_EQ(to_string(accesses_per_result("register-accumulate")), "2*K + 1");
  EXPECT_EQ(accesses_per_result("register-accumulate").at({{"K", 8}}), 17);
  EXPECT_EQ(to_string(accesses_per_result("thread-4x1")), "5*K/4 + 1");
  EXPECT_EQ(accesses_per_result("thread-4x1").at({{"K", 8}}), 11);
  EXPECT_EQ(to_string(accesses_per_result("thread-2x2")), "K + 1");
  EXPECT_EQ(accesses_per_result("thread-2x2").at({{"K", 8}}), 9);
}

/// A, B and C, although A and B are squared.
TEST(StaticFactsOfRungs, CountEachOperandOfCombineOnce) {
  for (const char* rung : {"block-major", "thread-major", "image-2d", "vectorized"}) {
    const AccessCounts counts = facts_of(std::string("combine/") + rung).per_result;
    EXPECT_EQ(to_string(counts.global_loads), "3") << rung;
    EXPECT_EQ(to_string(counts.global_stores), "1") << rung;
  }
}

TEST(StaticFactsOfRungs, CountTheThreadsThatCopyAHalo) {
  const StaticFacts facts = facts_of("stencil/shared");
  EXPECT_EQ(to_string(facts.per_thread.shared_stores), "85/64");  // 340 elements, 256 threads
  EXPECT_EQ(to_string(facts.per_result.global_loads), "661/64");  // and the nine weights
}

TEST(StaticFactsOfRungs, AreThereForAll) {
  for (const RungCase& rung_case : gpu_rungs())
    for (const KernelFunction& kernel :
         lower(rung_case.rung.build({}, rung_case.ladder.sizes)).kernels) {
      const StaticFacts facts = static_facts(kernel);
      // Each element is stored once, or besides in every step of its sum.
      const std::string stores = to_string(facts.per_result.global_stores);
      const std::set<std::string> expected = {"1", "K + 1", "9*C + 1", "10"};
      // Those of one result are as many as blocks, and those of a histogram are all atomic. A box
      // that the copy engine stores may stick out, and stand in the text twice.
      const bool is_apart = rung_case.ladder.name == "reduce" ||
                            rung_case.ladder.name == "argmax" ||
                            to_string(kernel).find("store_bulk") != std::string::npos ||
                            !facts.per_result.global_atomics.is_zero();
      EXPECT_TRUE(expected.count(stores) || is_apart) << rung_case.name() << ": " << stores;
      EXPECT_FALSE(facts.results_per_thread.is_zero()) << rung_case.name();
    }
}

}  // namespace static_facts_test
}  // namespace hone
