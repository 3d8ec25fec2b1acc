// The counts of count mode for atomic updates, shuffles, and trees of threads.
#include <gtest/gtest.h>

#include "codegen/cost/static_facts.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "runtime/sim/count/count.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace sim_count_collectives_test {

/// Counts a kernel with `t` for thread.x, an input A and an output C of 4096 elements.
CountReport count_body(const std::string& body, int threads = 32) {
  const KernelFunction kernel = parse_kernel(
      fmt::format("kernel k(A: f32[4096], C: f32[4096]) grid(1, 1, 1) block({}, 1, 1) @index32 "
                  "{{ let t = thread.x {} }}",
                  threads, body));
  Buffer a(f32, {4096}), c(f32, {4096});
  return count(kernel, {}, {{"A", a.bytes.data(), 4096}, {"C", c.bytes.data(), 4096}});
}

/// The last kernel of the sum of 256 numbers by 256 threads.
KernelFunction tree_kernel(const CombineLevels& within) {
  const VectorReduction reduction{.threads = 256, .within = within};
  return lower(reduction.schedule()).kernels.back();
}

CountReport count_tree(const CombineLevels& within) {
  std::mt19937 random(1);
  Buffers buffers = exact_inputs({}, 256, random);
  std::vector<SimArgument> arguments;
  const KernelFunction kernel = tree_kernel(within);
  for (const TensorPtr& tensor : kernel.arguments) {
    Buffer& buffer = buffers.find(tensor->name)->second;
    arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size()});
  }
  return count(kernel, {{"N", 256}}, arguments);
}

TEST(CountAtomics, AreNeitherLoadsNorStores) {
  const CountReport report = count_body("atomic C[0] += A[t]", 64);
  EXPECT_EQ(report.total(AccessClass::global_atomic), (MemoryCounts{2, 256, 2, 0, 0, 2}));
  EXPECT_EQ(report.total(AccessClass::global_store), MemoryCounts{});
  EXPECT_EQ(report.total(AccessClass::global_load).requests, 2);
  EXPECT_EQ(report.global().requests, 4);
  EXPECT_EQ(report.flops, 64);
  const CountReport spread = count_body("if (t < 8) { atomic C[t*8] max= A[t] }");
  EXPECT_EQ(spread.total(AccessClass::global_atomic), (MemoryCounts{1, 32, 8, 0, 0, 2}));
}

TEST(CountAtomics, OfSharedMemoryAreRequests) {
  const CountReport report =
      count_body("alloc S: f32[32] @shared S[t] = 0.0 barrier atomic S[t / 2] += A[t]");
  EXPECT_EQ(report.total(AccessClass::shared_atomic), (MemoryCounts{1, 128, 0, 0, 0}));
  EXPECT_EQ(report.total(AccessClass::shared_store).requests, 1);
  EXPECT_EQ(report.shared().wavefronts, 1);
}

TEST(CountShuffles, ByWarpsAndByLanes) {
  const CountReport report = count_body(
      "alloc R: f32[] @registers R[] = A[t] for k in 0..5 { R[] += shuffle_down(R[], 16 >> k, 32) "
      "}",
      64);
  EXPECT_EQ(report.shuffles, (WarpCounts{10, 320}));
  EXPECT_EQ(count_body("alloc R: f32[] @registers R[] = A[t] if (t < 8) { R[] = "
                       "shuffle_exchange(R[], 1, 8) }")
                .shuffles,
            (WarpCounts{1, 8}));
}

TEST(CountStatements, ByTheLanesThatAreThere) {
  EXPECT_EQ(count_body("C[t] = A[t]", 64).statements, (WarpCounts{2, 64}));
  EXPECT_EQ(count_body("if (t % 2 == 0) { C[t] = A[t] }", 64).statements, (WarpCounts{2, 32}));
  EXPECT_EQ(count_body("if (t < 32) { C[t] = A[t] }", 64).statements, (WarpCounts{1, 32}));
}

double value_of(const CountReport& report, const std::string& name) {
  for (const Counter& counter : counters())
    if (counter.name == name) return counter.value(report);
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

/// The naive tree leaves threads of all warps without work; threads that follow each other meet in
/// the banks of shared memory; with a stride that shrinks neither happens.
TEST(CountTrees, DivergeAndConflictAsTheyAreWritten) {
  const CountReport naive = count_tree({Combine::interleaved_modulo});
  const CountReport strided = count_tree({Combine::interleaved_strided});
  const CountReport sequential = count_tree({Combine::sequential});
  EXPECT_EQ(naive.branch_total.divergent, 5 * 8 + 4 + 2 + 1 + 1);
  EXPECT_EQ(strided.branch_total.divergent, 5 + 1);
  EXPECT_EQ(sequential.branch_total.divergent, 5 + 1);
  EXPECT_EQ(naive.shared().bank_conflicts(), 0);
  EXPECT_EQ(strided.shared().bank_conflicts(), 3 * (4 + 2 * 3 + 7 + 7 + 7 + 3 + 1));
  EXPECT_EQ(sequential.shared().bank_conflicts(), 0);
  EXPECT_LT(value_of(naive, "branch_efficiency"), value_of(strided, "branch_efficiency"));
  EXPECT_LT(value_of(naive, "lanes_per_statement"), value_of(strided, "lanes_per_statement"));
}

TEST(CountTrees, ThatEndInAWarpHaveFewerBarriers) {
  const CountReport sequential = count_tree({Combine::sequential, true});
  const CountReport last_warp = count_tree({Combine::sequential, true, true});
  const CountReport two_level = count_tree({Combine::two_level});
  EXPECT_EQ(sequential.barriers, 8);
  EXPECT_EQ(last_warp.barriers, 3);
  EXPECT_EQ(two_level.barriers, 1);
  EXPECT_EQ(last_warp.shuffles, (WarpCounts{5, 160}));
  EXPECT_EQ(two_level.shuffles, (WarpCounts{8 * 5 + 3, 256 * 5 + 8 * 3}));
}

TEST(StaticFactsOfTrees, CountAtomicsAndShuffles) {
  const StaticFacts two_level = static_facts(tree_kernel({Combine::two_level}));
  EXPECT_EQ(to_string(two_level.shuffles_per_thread), "163/32");
  EXPECT_EQ(to_string(two_level.barriers_per_thread), "1");
  const StaticFacts atomic = static_facts(tree_kernel({Combine::atomic}));
  EXPECT_EQ(to_string(atomic.per_thread.global_atomics), "N/256");
  EXPECT_EQ(to_string(atomic.per_thread.global_stores), "1/256");
  EXPECT_EQ(to_string(atomic.per_thread.global_loads), "N/256");
  const StaticFacts tree = static_facts(tree_kernel({Combine::sequential}));
  EXPECT_EQ(to_string(tree.per_thread.shared_loads), "511/256");
  EXPECT_EQ(to_string(tree.barriers_per_thread), "8");
}

}  // namespace sim_count_collectives_test
}  // namespace hone
