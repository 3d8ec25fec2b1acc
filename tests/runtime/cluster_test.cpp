// Blocks of a cluster on the simulated device, and their text under NVRTC.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "runtime/sim/check/check.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/random/combined_runs.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace cluster_test {

constexpr CombineLevels by_exchange() {
  CombineLevels levels;
  levels.add({CombineUnit::cluster, CombineMeans::exchange});
  return levels;
}

/// Values less the largest of their row, which is dealt out to `blocks`.
struct Shifted {
  Param N{"N"};
  int64_t length;
  Tensor X{"X", f32, {N, length}}, largest{"largest", f32, {N}}, Y{"Y", f32, {N, length}};
  Axis i{"i", N}, j{"j", length};
  ReduceAxis k{"k", length};
  Program program{"shifted", largest(i) = max(k, X(i, k)), Y(i, j) = X(i, j) - largest(i)};

  explicit Shifted(int64_t length) : length(length) {}

  void schedule(Schedule& s, int64_t blocks, int64_t threads) const {
    const Axis row = s.axis(Y, i);
    const int64_t part = (length + blocks * threads - 1) / (blocks * threads) * threads;
    s.compute_at(largest, row);
    s.bind(row, block.x);
    auto [c, rest] = s.split(k, part);
    auto [turn, t] = s.split(rest, threads);
    s.reorder({t, turn});
    s.bind(c, cluster.x, by_exchange());
    s.bind(t, thread.x, Combine::two_level);
    auto [own, rest_of_row] = s.split(j, part);
    auto [turn_of_row, thread_of_row] = s.split(rest_of_row, threads);
    s.bind(own, cluster.x);
    s.bind(thread_of_row, thread.x);
    s.cache_registers(X, row);
  }

  KernelFunction kernel(int64_t blocks, int64_t threads) const {
    Schedule s(program);
    schedule(s, blocks, threads);
    return lower(s.function()).kernels.front();
  }
};

TEST(Cluster, ComputesWhatTheProgramMeans) {
  for (const int64_t blocks : {2, 4, 8})
    for (const int64_t length : {1, 33, 100, 256, 1000}) {
      SCOPED_TRACE(fmt::format("{} blocks for {} elements", blocks, length));
      const Shifted p(length);
      expect_right(p.program, [&](Schedule& s) { p.schedule(s, blocks, 64); }, {0, 1, 3});
    }
}

TEST(Cluster, OneBlockWritesAResultInMemory) {
  const Param N("N");
  const Tensor X("X", f32, {N, 100}), Y("Y", f32, {N});
  const Axis i("i", N);
  const ReduceAxis k("k", 100);
  const Program program("sums", Y(i) = sum(k, X(i, k)));
  const auto steps = [&](Schedule& s) {
    s.bind(i, block.x);
    auto [c, t] = s.split(k, 32);
    s.bind(c, cluster.x, by_exchange());
    s.bind(t, thread.x, Combine::shuffle);
  };
  expect_right(program, steps, {1, 5});
}

/// A part of the axis for each block, and threads in turn.
void deal_out(Schedule& s, const Axis& axis, int64_t blocks, const CombineLevels& levels = {},
              CombineLevels threads = {}) {
  auto [c, rest] = s.split_into(axis, blocks);
  auto [turn, t] = s.split(rest, 32);
  s.reorder({t, turn});
  s.bind(c, cluster.x, levels);
  s.bind(t, thread.x, threads);
}

/// Values less the largest of their row, and less the sum of another.
struct Unlike {
  Param N{"N"};
  Tensor X{"X", f32, {N, 96}}, largest{"largest", f32, {N}}, total{"total", f32, {N}},
      Y{"Y", f32, {N, 96}};
  Axis i{"i", N}, j{"j", 96};
  ReduceAxis k{"k", 96}, l{"l", 96};
  Program program{"unlike", largest(i) = max(k, X(i, k)), total(i) = sum(l, X(i, l) - largest(i)),
                  Y(i, j) = X(i, j) - largest(i) - total(i)};

  void schedule(Schedule& s, llvm::ArrayRef<int64_t> blocks) const {
    const Axis row = s.axis(Y, i);
    s.compute_at(total, row);
    s.compute_at(largest, row);
    s.bind(row, block.x);
    deal_out(s, k, blocks[0], by_exchange(), Combine::shuffle);
    deal_out(s, l, blocks[1], by_exchange(), Combine::sequential);
    if (blocks[2] > 0) return deal_out(s, j, blocks[2]);
    s.bind(j, thread.x);
  }
};

TEST(Cluster, LoopsOfAKernelGoOverUnlikeNumbersOfBlocks) {
  const int64_t cases[][3] = {{2, 2, 8}, {2, 2, 4}, {4, 4, 8}, {1, 1, 2}, {2, 2, 3}, {3, 3, 8},
                              {2, 4, 4}, {2, 4, 0}, {8, 2, 1}, {4, 3, 2}, {1, 5, 2}, {1, 1, 1}};
  const Unlike p;
  for (const auto& blocks : cases) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(blocks, ", ")));
    expect_right(p.program, [&](Schedule& s) { p.schedule(s, blocks); }, {1, 3});
    Schedule s(p.program);
    p.schedule(s, blocks);
    std::vector<float> x(2 * 96, 1), y(2 * 96);
    const std::vector<SimArgument> arguments = {{"X", x.data(), 2 * 96},
                                                {"Y", y.data(), 2 * 96, true}};
    for (const uint64_t order : {0, 1})
      EXPECT_EQ(check(lower(s.function()).kernels.front(), {{"N", 2}}, arguments, {.order = order})
                    .findings.size(),
                0U);
  }
}

/// The sums of rows, of which others than the blocks that have them take the quotients.
TEST(Cluster, AResultInMemoryIsOneBlocks) {
  const Param N("N");
  const Tensor X("X", f32, {N, 96}), S("S", f32, {N}), Y("Y", f32, {N, 96});
  const Axis i("i", N), j("j", 96);
  const ReduceAxis k("k", 96);
  const Program program("sums", S(i) = sum(k, X(i, k)), Y(i, j) = X(i, j) - S(i));
  for (const auto& [of_sum, of_row] : {std::pair(2, 8), std::pair(8, 2), std::pair(1, 2)})
    expect_right(program,
                 [&, of_sum = of_sum, of_row = of_row](Schedule& s) {
                   const Axis row = s.axis(S, i);
                   s.merge(row, s.axis(Y, i));
                   s.bind(row, block.x);
                   deal_out(s, k, of_sum, by_exchange(), Combine::shuffle);
                   deal_out(s, j, of_row);
                 },
                 {1, 3});
}

CheckReport report_on(const KernelFunction& kernel, const CheckOptions& options = {}) {
  std::vector<float> x(3 * 1000, 1), y(3 * 1000);
  return check(kernel, {{"N", 3}},
               {{"X", x.data(), 3 * 1000, false}, {"Y", y.data(), 3 * 1000, true}}, options);
}

TEST(Cluster, EachWaitIsMissed) {
  const KernelFunction kernel = Shifted(1000).kernel(4, 64);
  EXPECT_TRUE(report_on(kernel, {.find_unneeded_barriers = true}).findings.empty())
      << to_string(kernel);
  EXPECT_TRUE(report_on(kernel, {.order = 7}).findings.empty());
  ASSERT_EQ(count_barriers(kernel), 3) << to_string(kernel);
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(report_on(without_barrier(kernel, n)).clean()) << n;
}

/// Sums of rows in turn. The barriers of the blocks' own trees lie between two rows, and do not
/// keep a block from the next one while another reads what it was told of the last.
TEST(Cluster, ARowWaitsForTheOneBefore) {
  const Param N("N");
  const Tensor X("X", f32, {N, 1000}), Y("Y", f32, {N});
  const Axis i("i", N);
  const ReduceAxis k("k", 1000);
  Schedule s(Program("sums", Y(i) = sum(k, X(i, k))));
  auto [c, rest] = s.split(k, 512);
  auto [turn, t] = s.split(rest, 64);
  s.reorder({t, turn});
  s.bind(c, cluster.x, by_exchange());
  s.bind(t, thread.x, Combine::sequential);
  const KernelFunction kernel = lower(s.function()).kernels.front();
  for (uint64_t order = 0; order <= 5; ++order)
    EXPECT_TRUE(report_on(kernel, {.order = order}).clean()) << to_string(kernel);
  EXPECT_TRUE(report_on(kernel, {.find_unneeded_barriers = true}).findings.empty());
  int missed = 0;
  for (int n = 0; n < count_barriers(kernel); ++n)
    missed += report_on(without_barrier(kernel, n)).clean() ? 0 : 1;
  EXPECT_EQ(missed, count_barriers(kernel)) << to_string(kernel);
  int of_cluster = 0;
  walk(kernel.body, [&](const Stmt& stmt) { of_cluster += is<op::barrier_of_cluster>(stmt); });
  EXPECT_EQ(of_cluster, 3);
}

/// Barriers of the blocks for themselves order nothing between them.
TEST(Cluster, ABarrierOfTheBlockIsNoneOfTheCluster) {
  const auto kernel_with = [](const char* barrier) {
    return parse_kernel(fmt::format(
        "kernel pass(A: f32[64], C: f32[64]) grid(2, 1, 1) cluster(2) block(32, 1, 1) @index32 {{ "
        "alloc T: f32[2, 32] @cluster barrier @cluster "
        "T[1 - block.x % 2, thread.x] = A[block.x*32 + thread.x] {} "
        "C[block.x*32 + thread.x] = T[block.x % 2, 31 - thread.x] }}",
        barrier));
  };
  std::vector<float> a(64), c(64);
  for (int n = 0; n < 64; ++n) a[n] = static_cast<float>(n);
  const auto run = [&](const char* barrier) {
    return check(kernel_with(barrier), {}, {{"A", a.data(), 64, false}, {"C", c.data(), 64, true}});
  };
  EXPECT_TRUE(run("barrier @cluster").clean());
  EXPECT_EQ(c[0], 63);
  EXPECT_EQ(c[63], 0);
  const CheckReport report = run("barrier");
  ASSERT_EQ(report.findings.size(), 2);
  EXPECT_EQ(report.findings[0].kind, FindingKind::race);
  EXPECT_EQ(report.findings[1].kind, FindingKind::ended_block);
  EXPECT_NE(report.findings[0].sites[0].block, report.findings[0].sites[1].block);
}

// ---- Blocks that end ----------------------------------------------------------------------------

/// The findings in a kernel of two blocks, b, of threads t that have a tile T each.
std::string found_in(const std::string& body) {
  const KernelFunction kernel = parse_kernel(fmt::format(
      "kernel f(A: f32[64], C: f32[64]) grid(2, 1, 1) cluster(2) block(32, 1, 1) @index32 {{ "
      "alloc T: f32[2, 32] @cluster let b = block.x % 2 let t = thread.x T[b, t] = A[b*32 + t] "
      "barrier @cluster {} }}",
      body));
  std::vector<float> a(64), c(64);
  std::string text;
  for (const Finding& finding :
       check(kernel, {}, {{"A", a.data(), 64}, {"C", c.data(), 64, true}}).findings)
    text += to_string(finding);
  return text;
}

TEST(ClusterEnds, BehindWhatOthersDoInTheirMemory) {
  EXPECT_EQ(found_in("C[b*32 + t] = T[1 - b, t]"),
            "use of an ended block on T[0, 31]: the block that has it may end before: no barrier "
            "of the cluster comes behind the access\n"
            "  block (1, 0, 0), thread (31, 0, 0) reads T[1 - b, t]\n"
            "    in: C[b*32 + t] = T[1 - b, t]\n"
            "  and 1 more like it");
  for (const char* use :
       {"C[b*32 + t] = T[1 - b, t] ", "if (b == 1) { C[t] = T[0, t] } ", "T[1 - b, t] = 1.0 ",
        "T[t / 16, t % 16 + b*16] = 1.0 ", "atomic T[1 - b, 0] += 1.0 ", "atomic T[0, 0] += 1.0 ",
        "alloc R: f32[4] @registers if (t < 8) { copy R[0 .. +4] <- T[1 - b, t*4 .. +4] "
        "@vector(4) C[b*32 + t] = R[0] } "}) {
    EXPECT_TRUE(llvm::StringRef(found_in(use)).startswith("use of an ended block on T")) << use;
    EXPECT_NE(found_in(std::string(use) + "barrier"), "") << use;
    EXPECT_EQ(found_in(std::string(use) + "barrier @cluster"), "") << use;
  }
  EXPECT_EQ(found_in("C[b*32 + t] = T[b, 31 - t]"), "");
}

/// What a block knows from before its end is enough.
TEST(ClusterEnds, AreOrderedByTheLastBarrier) {
  EXPECT_EQ(found_in("C[b*32 + t] = T[1 - b, t] barrier @cluster C[b*32 + t] += T[b, t]"), "");
  EXPECT_NE(found_in("C[b*32 + t] = T[1 - b, t] barrier @cluster C[b*32 + t] += T[1 - b, t]"), "");
}

// ---- Texts that do not fit ----------------------------------------------------------------------

TEST(Cluster, ATileHasAPartForEachBlock) {
  const auto error_of = [](int64_t cluster, const char* body) {
    return sim_error(fmt::format("kernel f(C: f32[64]) grid(8, 1, 1) cluster({}) block(32, 1, 1) "
                                 "@index32 {{ {} }}",
                                 cluster, body),
                     {}, {{"C", Buffer(f32, {64})}});
  };
  const char* tile = "alloc T: f32[2, 32] @cluster T[0, thread.x] = 1.0";
  EXPECT_EQ(error_of(2, tile), "no error");
  EXPECT_EQ(error_of(1, tile),
            "f: T has parts in the blocks of a cluster, and the kernel has none");
  EXPECT_EQ(error_of(4, tile), "f: T has no part for each of the 4 blocks of a cluster");
  EXPECT_EQ(error_of(8, "alloc T: f32[] @cluster T[] = 1.0"),
            "f: T has no part for each of the 8 blocks of a cluster");
  EXPECT_EQ(error_of(1, "barrier @cluster C[thread.x] = 1.0"),
            "f: a barrier is of a cluster, and the kernel has none");
}

/// All threads of all blocks come to a barrier of their cluster.
TEST(Cluster, ABarrierThatABlockMissesIsFound) {
  const std::string finding = found_in("if (b == 0) { barrier @cluster }");
  EXPECT_TRUE(llvm::StringRef(finding).startswith(
      "deadlock: nobody in block (0, 0, 0) can go on: warp 0 waits at `barrier @cluster`, where 32 "
      "of 64 threads have come"))
      << finding;
}

TEST(Cluster, ArchitecturesWithoutClustersAreRefused) {
  const KernelFunction kernel = Shifted(256).kernel(2, 32);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, "sm_89"); }),
            "shifted has clusters of blocks, which GPUs have from sm_90 on, and not sm_89");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { check_architecture(kernel, "sm_90"); }),
            "nothing was thrown");
}

TEST(Cluster, TheSimulatedDeviceTakesWholeWarps) {
  const auto error_of = [](int64_t grid, int64_t threads) {
    return sim_error(fmt::format("kernel f(C: f32[64]) grid({}, 1, 1) cluster(4) block({}, 1, 1) "
                                 "@index32 {{ C[block.x % 4] = 1.0 }}",
                                 grid, threads),
                     {}, {{"C", Buffer(f32, {64})}});
  };
  EXPECT_EQ(error_of(6, 32), "f: 6 blocks in x are no whole clusters of 4");
  EXPECT_EQ(error_of(4, 40),
            "f: a block of 40 threads has a warp that lacks lanes, and the simulated device runs "
            "clusters of whole warps");
  EXPECT_EQ(error_of(4, 1024),
            "f: a cluster of 4 x 1024 threads; the simulated device runs at most 2048 together");
}

TEST(Cluster, NvrtcTakesTheText) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const int64_t blocks : {2, 8}) {
    CompileJob job;
    job.source = emit_cuda(Shifted(4096).kernel(blocks, 128));
    job.arch = "sm_90";
    const Compiled compiled = nvrtc_compile(job);
    EXPECT_FALSE(compiled.cubin.empty());
    EXPECT_TRUE(compiled.warnings.empty()) << compiled.warnings.front();
  }
}

}  // namespace cluster_test
}  // namespace hone
