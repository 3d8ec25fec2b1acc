// Warps of a block that wait for each other: at named barriers, at those of a warp, and in vain.
#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "llvm/ADT/StringSet.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_waits_test {

constexpr int64_t length = 1024;

/// A kernel with t for the thread and w for its warp, A to read and C to write.
std::string kernel_of(const std::string& body, int threads = 128) {
  return fmt::format(
      "kernel waits(A: f32[1024], C: f32[1024]) grid(2, 1, 1) block({}, 1, 1) "
      "@index32 {{ alloc S: f32[256] @shared let t = thread.x let w = t / 32 "
      "let b = block.x*512 {} }}",
      threads, body);
}

Values run(const std::string& body, int threads = 128) {
  return sim_values(kernel_of(body, threads), {},
                    {{"A", counting(f32, {length})}, {"C", Buffer(f32, {length})}});
}

std::string error(const std::string& body, int threads = 128) {
  return sim_error(kernel_of(body, threads), {},
                   {{"A", counting(f32, {length})}, {"C", Buffer(f32, {length})}});
}

CheckReport report_on(const std::string& body, const CheckOptions& options = {},
                      int threads = 128) {
  Buffer a = counting(f32, {length}), c(f32, {length});
  return check(parse_kernel(kernel_of(body, threads)), {},
               {{"A", a.bytes.data(), length, false}, {"C", c.bytes.data(), length, false}},
               options);
}

std::string found(const std::string& body, const CheckOptions& options = {}, int threads = 128) {
  std::string text;
  for (const Finding& finding : report_on(body, options, threads).findings)
    text += (text.empty() ? "" : "\n") + to_string(finding);
  return text;
}

std::string kinds(const std::string& body, int threads = 128) {
  std::string text;
  for (const Finding& finding : report_on(body, {}, threads).findings)
    text += (text.empty() ? "" : ", ") + std::string(to_string(finding.kind));
  return text;
}

/// Warps 0 and 1 fill a tile again and again, and warps 2 and 3 use it.
std::string pipeline(const std::string& full = "barrier @named(1, 128)",
                     const std::string& empty = "barrier @named(2, 128)") {
  return "if (w < 2) { for k in 0..4 { S[t] = A[b + k*64 + t] " + full + " " + empty +
         " } } "
         "if (w >= 2) { for k in 0..4 { " +
         full + " C[b + k*64 + t - 64] = S[127 - t] " + empty + " } }";
}

Values expected_of_pipeline() {
  Values expected(length);
  const Values a = values_of(counting(f32, {length}));
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 4; ++k)
      for (int t = 0; t < 64; ++t) expected[b * 512 + k * 64 + t] = a[b * 512 + k * 64 + 63 - t];
  return expected;
}

// ---- Runs ---------------------------------------------------------------------------------------

TEST(SimWaits, WarpsHandOverATile) {
  EXPECT_EQ(run(pipeline()), expected_of_pipeline());
  EXPECT_EQ(found(pipeline()), "");
}

TEST(SimWaits, WarpsThatPartTakeTheirIterationsAlong) {
  const std::string body =
      "for k in 0..3 { for m in 0..2 { if (w % 2 == 0) { S[t] = A[b + k*2 + m] "
      "barrier @named(1, 64) C[b + (k*2 + m)*64 + w*16 + t % 32] = S[(t + 64) % 128] barrier "
      "@named(2, 64) } } }";
  Values expected(length);
  const Values a = values_of(counting(f32, {length}));
  for (int b = 0; b < 2; ++b)
    for (int n = 0; n < 6; ++n)
      for (int place = 0; place < 64; ++place) expected[b * 512 + n * 64 + place] = a[b * 512 + n];
  EXPECT_EQ(run(body), expected);
}

TEST(SimWaits, RegistersOfPartedWarpsAreTheirOwn) {
  const std::string body =
      "alloc R: f32[1] @registers R[0] = A[b + t] if (t % 2 == 0) { R[0] += 1.0 } "
      "if (w == 1) { alloc Q: f32[] @registers Q[] = R[0] * 2.0 S[t] = R[0] "
      "barrier @named(3, 64) R[0] = Q[] + S[t + 32] } "
      "if (w == 2) { S[t] = R[0] barrier @named(3, 64) R[0] += S[t - 32] } "
      "C[b + t] = R[0]";
  Values expected(length);
  const Values a = values_of(counting(f32, {length}));
  const auto value = [&](int b, int t) { return a[b * 512 + t] + (t % 2 == 0 ? 1 : 0); };
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 128; ++t) {
      double& result = expected[b * 512 + t];
      result = value(b, t);
      if (t / 32 == 1) result = 2 * value(b, t) + value(b, t + 32);
      if (t / 32 == 2) result += value(b, t - 32);
    }
  EXPECT_EQ(run(body), expected);
}

TEST(SimWaits, ABarrierTakesWarpsAsTheyCome) {
  EXPECT_EQ(error("barrier @named(1, 64) C[b + t] = 1.0"), "no error");
  EXPECT_EQ(error("if (w < 3) { barrier @named(1, 32) } barrier C[b + t] = 1.0"), "no error");
}

TEST(SimWaits, TheLastWarpMayBeShort) {
  EXPECT_EQ(error("if (w > 0) { barrier @named(1, 64) } barrier @warp barrier", 70), "no error");
}

TEST(SimWaits, CountsAreThoseOfWarps) {
  const KernelFunction kernel = parse_kernel(kernel_of(pipeline() + " barrier"));
  Buffer a = counting(f32, {length}), c(f32, {length});
  const CountReport report = count(
      kernel, {}, {{"A", a.bytes.data(), length, false}, {"C", c.bytes.data(), length, false}});
  EXPECT_EQ(report.barriers_per_block(), 1);
  for (const AccessReport& access : report.accesses)
    EXPECT_EQ(access.counts.requests, 2 * 2 * 4) << access.text;
}

// ---- Waits in vain ------------------------------------------------------------------------------

TEST(SimDeadlock, NamesWhoWaitsWhereAndWhatIsMissing) {
  EXPECT_EQ(
      error("if (w < 2) { barrier @named(1, 96) }"),
      "nobody in block (0, 0, 0) can go on: warps 0, 1 wait at `barrier @named(1, 96)`, where "
      "64 of 96 threads have come; warps 2, 3 have ended, in: barrier @named(1, 96)");
  EXPECT_EQ(
      found("if (w == 3) { barrier @named(1, 64) } if (w == 1) { barrier @named(2, 64) }"),
      "deadlock: nobody in block (0, 0, 0) can go on: warp 1 waits at `barrier @named(2, "
      "64)`, where 32 of 64 threads have come; warp 3 waits at `barrier @named(1, 64)`, where "
      "32 of 64 threads have come; warps 0, 2 have ended\n"
      "  in: barrier @named(2, 64)\n"
      "  in: barrier @named(1, 64)\n"
      "  and 1 more like it");
}

TEST(SimDeadlock, OfWarpsThatWaitForEachOther) {
  EXPECT_EQ(error("if (w < 2) { barrier @named(1, 128) barrier @named(2, 128) } "
                  "if (w >= 2) { barrier @named(2, 128) barrier @named(1, 128) }"),
            "nobody in block (0, 0, 0) can go on: warps 0, 1 wait at `barrier @named(1, 128)`, "
            "where 64 of 128 threads have come; warps 2, 3 wait at `barrier @named(2, 128)`, where "
            "64 of 128 threads have come, in: barrier @named(1, 128)");
}

TEST(SimDeadlock, WithTheBarrierOfTheBlock) {
  EXPECT_EQ(
      error("if (w == 0) { barrier @named(1, 64) } barrier"),
      "nobody in block (0, 0, 0) can go on: warp 0 waits at `barrier @named(1, 64)`, where 32 "
      "of 64 threads have come; warps 1, 2, 3 wait at `barrier`, where 96 of 128 threads have "
      "come, in: barrier @named(1, 64)");
}

TEST(SimDeadlock, WhereOneSideWaitsOnceMore) {
  EXPECT_EQ(kinds(pipeline() + " if (w >= 2) { barrier @named(1, 128) }"), "deadlock");
  EXPECT_EQ(kinds(pipeline("barrier @named(1, 96)")), "deadlock");
  EXPECT_EQ(kinds(pipeline("barrier @named(1, 160)")), "deadlock");
}

TEST(SimWaits, TheCountsOfABarrierAgree) {
  EXPECT_EQ(
      error("if (w < 2) { barrier @named(1, 96) } if (w >= 2) { barrier @named(1, 128) }"),
      "barrier 1 waits for 96 threads, as warps 0, 1 said, and warp 2 of block (0, 0, 0) says "
      "128, in: barrier @named(1, 128)");
}

TEST(SimWaits, ABarrierOfTheBlockInDivergentCode) {
  EXPECT_EQ(error("if (w != 1) { barrier }"),
            "barrier in divergent code: 96 of 128 threads reach it, block (0, 0, 0), "
            "thread (32, 0, 0) does not, in: if (w != 1)");
  EXPECT_EQ(error("if (w == 1) { barrier } barrier"),
            "barrier in divergent code: 32 of 128 threads reach it, block (0, 0, 0), "
            "thread (0, 0, 0) does not, in: if (w == 1)");
  EXPECT_EQ(error("if (w == 1) { barrier } if (w != 1) { barrier }"),
            "barrier in divergent code: 32 of 128 threads reach it, block (0, 0, 0), "
            "thread (0, 0, 0) does not, in: if (w == 1)");
  EXPECT_EQ(error("for k in 0..4 { if (w == k) { barrier } }"),
            "barrier in divergent code: 32 of 128 threads reach it, block (0, 0, 0), "
            "thread (32, 0, 0) does not, in: if (w == k)");
}

TEST(SimWaits, TheLanesOfAWarpComeTogether) {
  EXPECT_EQ(error("if (t < 48) { barrier @warp }"),
            "barrier @warp in divergent code: 16 of 32 lanes of a warp reach it, block (0, 0, 0), "
            "thread (48, 0, 0) does not, in: if (t < 48)");
  EXPECT_EQ(error("if (w == 1) { barrier @warp }"), "no error");
  EXPECT_EQ(error("if (t % 64 != 40) { barrier @named(1, 128) }"),
            "barrier @named(1, 128) in divergent code: 31 of 32 lanes of a warp reach it, "
            "block (0, 0, 0), thread (40, 0, 0) does not, in: if (t % 64 != 40)");
}

// ---- Clocks -------------------------------------------------------------------------------------

TEST(CheckClocks, AWarpBarrierOrdersTheLanesOfAWarp) {
  EXPECT_EQ(found("S[t] = A[t] barrier @warp C[b + t] = S[w*32 + 31 - t % 32]"), "");
  EXPECT_EQ(kinds("S[t] = A[t] barrier @warp C[b + t] = S[127 - t]"), "race");
  EXPECT_EQ(kinds("S[t] = A[t] barrier @warp if (w == 0) { barrier @warp } C[b + t] = S[127 - t]"),
            "race");
  EXPECT_EQ(kinds("S[t] = A[t] if (w == 0) { barrier @warp } C[b + t] = S[w*32 + 31 - t % 32]"),
            "race");
}

TEST(CheckClocks, ANamedBarrierOrdersThoseThatCome) {
  EXPECT_EQ(kinds("S[t] = A[t] if (w < 2) { barrier @named(1, 64) C[b + t] = S[63 - t] }"), "");
  EXPECT_EQ(kinds("S[t] = A[t] if (w < 2) { barrier @named(1, 64) C[b + t] = S[127 - t] }"),
            "race");
}

TEST(CheckClocks, OrderIsHandedOn) {
  const auto handed_on = [](const std::string& last) {
    return "if (w == 0) { S[t] = A[t] barrier @named(1, 64) } "
           "if (w == 1) { barrier @named(1, 64) barrier @named(2, 64) } "
           "if (w == 2) { barrier @named(2, 64) " +
           last + " C[b + t] = S[t - 64] }";
  };
  EXPECT_EQ(found(handed_on("")), "");
  // Warp 0 goes on behind its barrier; what it does there comes before nothing of warp 2.
  EXPECT_EQ(kinds("if (w == 0) { barrier @named(1, 64) S[t] = A[t] } "
                  "if (w == 1) { barrier @named(1, 64) barrier @named(2, 64) } "
                  "if (w == 2) { barrier @named(2, 64) C[b + t] = S[t - 64] }"),
            "race");
}

/// A cell has place for two reads, and three warps read it before one of them is ordered.
TEST(CheckClocks, AllReadersCount) {
  const auto read_by_all = [](const std::string& who) {
    return "if (t == 0) { S[0] = 1.0 } barrier C[b + t] = S[0] "
           "if (" +
           who + ") { barrier @named(1, 96) } if (t == 0) { S[0] = 2.0 }";
  };
  EXPECT_EQ(kinds(read_by_all("w != 3")), "race");
  EXPECT_EQ(kinds(read_by_all("w != 2")), "race");
  EXPECT_EQ(kinds(read_by_all("w != 1")), "race");
  EXPECT_EQ(kinds("if (t == 0) { S[0] = 1.0 } barrier if (w != 3) { C[b + t] = S[0] "
                  "barrier @named(1, 96) } if (t == 0) { S[0] = 2.0 }"),
            "");
}

TEST(CheckClocks, ARaceNamesBothSides) {
  EXPECT_EQ(found(pipeline("")),
            "race on S[63]: no barrier between two threads of a block\n"
            "  block (0, 0, 0), thread (63, 0, 0) writes S[t]\n"
            "    in: S[t] = A[b + k*64 + t]\n"
            "  block (0, 0, 0), thread (64, 0, 0) reads S[127 - t]\n"
            "    in: C[b + k*64 + t - 64] = S[127 - t]\n"
            "  and 511 more like it");
}

TEST(CheckClocks, EachBarrierOfAPipelineIsNeeded) {
  EXPECT_EQ(kinds(pipeline("")).substr(0, 4), "race");
  EXPECT_EQ(kinds(pipeline("barrier @named(1, 128)", "")).substr(0, 4), "race");
  CheckOptions options;
  options.find_unneeded_barriers = true;
  EXPECT_EQ(found(pipeline(), options), "");
}

TEST(CheckClocks, UpdatesOfOtherWarps) {
  EXPECT_EQ(kinds("if (t < 4) { S[t] = 0.0 } barrier atomic S[0] += A[t] "
                  "if (w != 3) { barrier @named(1, 96) } if (t == 0) { C[b] = S[0] }"),
            "race");
  EXPECT_EQ(kinds("if (t < 4) { S[t] = 0.0 } barrier if (w != 3) { atomic S[0] += A[t] "
                  "barrier @named(1, 96) } if (t == 0) { C[b] = S[0] }"),
            "");
}

// ---- Orders -------------------------------------------------------------------------------------

constexpr uint64_t orders = 30;

/// The elements of C behind a check in that order.
Values checked_values(const std::string& body, const CheckOptions& options) {
  Buffer a = counting(f32, {length}), c(f32, {length});
  const CheckReport report =
      check(parse_kernel(kernel_of(body)), {},
            {{"A", a.bytes.data(), length, false}, {"C", c.bytes.data(), length, false}}, options);
  EXPECT_TRUE(report.findings.empty()) << to_string(report.findings.front());
  return values_of(c);
}

TEST(CheckOrders, DoNotMatterWhereAllIsOrdered) {
  for (uint64_t order = 1; order <= orders; ++order)
    EXPECT_EQ(checked_values(pipeline(), {.order = order}), expected_of_pipeline()) << order;
}

TEST(CheckOrders, PartABlockAnywhere) {
  const std::string body =
      "for k in 0..3 { alloc R: f32[2] @registers alloc T: f32[128] @shared "
      "R[0] = A[b + t] * 2.0 R[1] = R[0] + 1.0 if (t % 48 < 40) { T[t] = R[k % 2] } "
      "if (t % 48 >= 40) { T[t] = 5.0 } if (t == 40) { C[b + 400 + k] = R[0] C[b + 404 + k] = R[1] "
      "C[b + 408 + k] = 7.0 } barrier C[b + k*128 + t] = T[127 - t] + R[0] barrier }";
  const Values expected = checked_values(body, {});
  for (uint64_t order = 1; order <= orders; ++order)
    EXPECT_EQ(checked_values(body, {.order = order}), expected) << order;
}

TEST(CheckOrders, FindARaceInAny) {
  for (uint64_t order = 0; order <= orders; ++order) {
    EXPECT_NE(found(pipeline(""), {.order = order}).find("race on S["), std::string::npos) << order;
    EXPECT_NE(found("S[t] = A[t] C[b + t] = S[(t + 32) % 128]", {.order = order}).find("race on S"),
              std::string::npos)
        << order;
  }
}

TEST(CheckOrders, FindADeadlockInAny) {
  for (uint64_t order = 0; order <= orders; ++order)
    EXPECT_EQ(found(pipeline("barrier @named(1, 160)"), {.order = order}).substr(0, 9), "deadlock:")
        << order;
}

TEST(CheckOrders, AreTheSameEveryTime) {
  const std::string body = "S[t] = A[t] C[b + t] = S[(t + 32) % 128] C[b + t] += S[(t + 64) % 128]";
  llvm::StringSet<> texts;
  for (uint64_t order = 1; order <= orders; ++order) {
    const std::string text = found(body, {.order = order});
    EXPECT_EQ(found(body, {.threads = 2, .order = order}), text);
    EXPECT_EQ(found(body, {.threads = 1, .order = order}), text);
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 1u) << "the order says which access comes first";
}

}  // namespace sim_waits_test
}  // namespace hone
