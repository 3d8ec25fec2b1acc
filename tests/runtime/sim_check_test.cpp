// Check mode on kernels with one thing wrong.
#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "runtime/sim/check/check.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_check_test {

struct Shape {
  int blocks = 1, threads = 64;
  std::string type = "f32";
  bool output_is_set = false;
};

/// A kernel with t and b, A to read and C to write, of 4096 elements each.
std::string kernel(const std::string& body, const Shape& shape) {
  return fmt::format(
      "kernel checked(A: {0}[4096], C: {0}[4096]) grid({1}, 1, 1) block({2}, 1, 1) @index32 {{ "
      "let t = thread.x let b = block.x {3} }}",
      shape.type, shape.blocks, shape.threads, body);
}

CheckReport report_on(const std::string& body, const Shape& shape = {},
                      const CheckOptions& options = {}) {
  const KernelFunction parsed = parse_kernel(kernel(body, shape));
  const DType type = parsed.arguments[0]->type;
  Buffer a = counting(type, {4096}), c(type, {4096});
  return check(
      parsed, {},
      {{"A", a.bytes.data(), 4096, false}, {"C", c.bytes.data(), 4096, !shape.output_is_set}},
      options);
}

/// The findings, one text for all.
std::string found(const std::string& body, const Shape& shape = {},
                  const CheckOptions& options = {}) {
  std::string text;
  for (const Finding& finding : report_on(body, shape, options).findings)
    text += (text.empty() ? "" : "\n") + to_string(finding);
  return text;
}

/// The kinds alone: "race, race".
std::string kinds(const std::string& body, const Shape& shape = {}) {
  std::string text;
  for (const Finding& finding : report_on(body, shape).findings)
    text += (text.empty() ? "" : ", ") + std::string(to_string(finding.kind));
  return text;
}

const std::string tile = "alloc S: f32[64] @shared ";

// ---- Races in shared memory ---------------------------------------------------------------------

TEST(CheckShared, ABarrierBetweenWriteAndReadIsEnough) {
  EXPECT_EQ(found(tile + "S[t] = A[t] barrier C[t] = S[63 - t]"), "");
}

TEST(CheckShared, AReadOfWhatAnotherThreadWritesIsARace) {
  EXPECT_EQ(found(tile + "S[t] = A[t] C[t] = S[63 - t]"),
            "race on S[63]: no barrier between two threads of a block\n"
            "  block (0, 0, 0), thread (63, 0, 0) writes S[t]\n"
            "    in: S[t] = A[t]\n"
            "  block (0, 0, 0), thread (0, 0, 0) reads S[63 - t]\n"
            "    in: C[t] = S[63 - t]\n"
            "  and 63 more like it");
}

TEST(CheckShared, AThreadMayReadWhatItWroteItself) {
  EXPECT_EQ(found(tile + "S[t] = A[t] C[t] = S[t]"), "");
}

TEST(CheckShared, AWriteAfterAReadIsARace) {
  EXPECT_EQ(kinds(tile + "S[t] = A[t] for k in 0..2 { barrier C[t] = S[63 - t] S[t] = 1.0 }"),
            "race");
  EXPECT_EQ(found(tile + "S[t] = A[t] for k in 0..2 { barrier C[t] = S[63 - t] barrier "
                         "S[t] = 1.0 }"),
            "");
}

TEST(CheckShared, OneOfManyReadersIsEnough) {
  EXPECT_EQ(kinds(tile + "S[t] = A[t] barrier C[t] = S[5] if (t == 5) { S[5] = 0.0 }"), "race");
  EXPECT_EQ(kinds(tile + "S[t] = A[t] barrier if (t == 5) { C[t] = S[5] S[5] = 0.0 }"), "");
  EXPECT_EQ(kinds(tile + "S[t] = A[t] barrier if (t < 2) { C[t] = S[9] } if (t == 0) "
                         "{ S[9] = 0.0 }"),
            "race");
}

TEST(CheckShared, WritesOfTheSameValueAreSetApart) {
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier S[t/2] = A[t] barrier C[t] = S[t/2]"), "race");
  EXPECT_EQ(kinds(tile + "S[t] = 0.0 barrier S[t/2] = 7.0 barrier C[t] = S[t/2]"),
            "same-value race");
  EXPECT_EQ(kinds(tile + "S[t] = 7.0 if (t < 63) { S[t + 1] = 7.0 } barrier C[t] = S[t]"),
            "same-value race");
  EXPECT_EQ(kinds(tile + "S[t] = 7.0 if (t < 63) { S[t + 1] = 8.0 } barrier C[t] = S[t]"), "race");
}

TEST(CheckShared, NeighboursWithinAWordDoNotMeet) {
  for (const char* type : {"i8", "u8", "f16", "bf16", "f32", "f64"}) {
    const std::string body = fmt::format("alloc S: {}[64] @shared S[t] = A[t] C[t] = S[t]", type);
    EXPECT_EQ(found(body, {1, 64, type}), "") << type;
  }
}

TEST(CheckShared, AVectorTouchesAllOfItsElements) {
  const std::string write = "copy S[t*4 .. +4] <- A[t*4 .. +4] @vector(4) ";
  EXPECT_EQ(found("alloc S: f32[256] @shared " + write + "C[t] = S[t*4 + 3]"), "");
  EXPECT_EQ(kinds("alloc S: f32[256] @shared " + write + "C[t] = S[(t*4 + 4) % 256]"), "race");
  EXPECT_EQ(kinds("alloc S: f32[260] @shared if (t < 4) { S[256 + t] = 0.0 } " + write +
                  "barrier copy C[t*4 .. +4] <- S[t*4 + 4 .. +4] @vector(4)"),
            "");
}

TEST(CheckShared, EveryRaceOfAPairOfStatementsIsOneFinding) {
  const CheckReport report = report_on(tile + "S[t] = A[t] C[b*64 + t] = S[63 - t]", {3, 64});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].count, 3 * 64);
  EXPECT_EQ(report.blocks, 3);
  EXPECT_FALSE(report.clean());
}

// ---- Races in global memory ---------------------------------------------------------------------

TEST(CheckGlobal, ABarrierOrdersTheThreadsOfABlock) {
  EXPECT_EQ(found("C[t] = A[t] barrier C[t + 64] = C[63 - t]"), "");
  EXPECT_EQ(kinds("C[t] = A[t] C[t + 64] = C[63 - t]"), "race");
}

TEST(CheckGlobal, NothingOrdersBlocks) {
  EXPECT_EQ(found("C[b*64 + t] = A[t] barrier", {4, 64}), "");
  EXPECT_EQ(found("C[b*32 + t] = A[t]", {4, 64}),
            "race on C[32]: nothing orders the blocks of a launch\n"
            "  block (0, 0, 0), thread (32, 0, 0) writes C[b*32 + t]\n"
            "    in: C[b*32 + t] = A[t]\n"
            "  block (1, 0, 0), thread (0, 0, 0) writes C[b*32 + t]\n"
            "    in: C[b*32 + t] = A[t]\n"
            "  and 95 more like it");
}

TEST(CheckGlobal, ABlockMayNotReadWhatAnotherOneWrites) {
  EXPECT_EQ(kinds("C[b*64 + t] = A[t] barrier C[b*64 + t] += C[(b*64 + t + 64) % 256]",
                  {4, 64, "f32", true}),
            "race");
}

TEST(CheckGlobal, AnUpdateOfAnElementByManyThreadsIsARace) {
  EXPECT_EQ(kinds("C[0] += A[t]", {1, 64, "f32", true}), "race, race");
}

// ---- Reads of nothing ---------------------------------------------------------------------------

TEST(CheckSet, AValueOfAnotherTensorInTheSameBytes) {
  const std::string tiles = "alloc S: f32[64] @shared(0) alloc T: f32[64] @shared(0) ";
  EXPECT_EQ(found(tiles + "S[t] = A[t] T[t] = 2.0 C[t] = S[t] + T[t]"),
            "uninitialised read on S[0]: the last value there is one of T\n"
            "  block (0, 0, 0), thread (0, 0, 0) reads S[t]\n"
            "    in: C[t] = S[t] + T[t]");
  EXPECT_EQ(found(tiles + "S[t] = A[t] C[t] = S[t] T[t] = 2.0 C[t] += T[t]"), "");
}

TEST(CheckSet, ATileThatWasNotWritten) {
  EXPECT_EQ(found(tile + "if (t < 63) { S[t] = A[t] } barrier C[t] = S[t] + 1.0"),
            "uninitialised read on S[63]: nothing was written there before\n"
            "  block (0, 0, 0), thread (63, 0, 0) reads S[t]\n"
            "    in: C[t] = S[t] + 1.0");
}

TEST(CheckSet, ARegisterThatWasNotWritten) {
  const std::string r = "alloc R: f32[2] @registers ";
  EXPECT_EQ(kinds(r + "R[0] = 1.0 C[t] = R[0] + R[1]"), "uninitialised read");
  EXPECT_EQ(kinds(r + "R[0] += 1.0 C[t] = R[0]"), "uninitialised read");
  EXPECT_EQ(kinds(r + "if (t > 0) { R[1] = 1.0 } if (t > 0) { C[t] = R[1] }"), "");
  EXPECT_EQ(kinds(r + "if (t > 1) { R[1] = 1.0 } if (t > 0) { C[t] = R[1]*2.0 }"),
            "uninitialised read");
  EXPECT_EQ(kinds(r + "R[t % 2] = 1.0 C[t] = R[t % 2]"), "");
  EXPECT_EQ(kinds(r + "R[t % 2] = 1.0 C[t] = R[1 - t % 2] + 1.0"), "uninitialised read");
}

TEST(CheckSet, AnAllocationOfTheNextTripHoldsNothing) {
  EXPECT_EQ(kinds("for k in 0..2 { alloc R: f32[] @registers if (k == 0) { R[] = 1.0 } "
                  "C[t] = R[] + 1.0 }"),
            "uninitialised read");
}

TEST(CheckSet, AMoveTakesNothingAlong) {
  const std::string half = tile + "alloc R: f32[2] @registers if (t < 32) { S[t] = A[t] } barrier ";
  EXPECT_EQ(found(half + "R[0] = S[t] R[1] = R[0] if (t < 32) { C[t] = R[1] }"), "");
  EXPECT_EQ(found(half + "R[0] = S[t] C[t] = R[0]"),
            "uninitialised read on R[0]: nothing was written there before\n"
            "  block (0, 0, 0), thread (32, 0, 0) reads R[0]\n"
            "    in: C[t] = R[0]\n"
            "  and 31 more like it");
}

TEST(CheckSet, AMoveMayHaveAConditionAndAConstant) {
  const std::string half = tile + "alloc R: f32[1] @registers if (t < 32) { S[t] = A[t] } barrier ";
  EXPECT_EQ(found(half + "R[0] = select(t < 48, S[t], 0.0) if (t < 32) { C[t] = R[0] + 1.0 }"), "");
  EXPECT_EQ(kinds(half + "R[0] = select(t < 48, S[t], 0.0) C[t] = R[0] + 1.0"),
            "uninitialised read");
  EXPECT_EQ(found(half + "R[0] = select(t < 32, S[t], 0.0) C[t] = R[0] + 1.0"), "");
  EXPECT_EQ(found(half + "R[0] = select(t > 63, S[t], 0.0) C[t] = R[0] + 1.0"), "");
}

TEST(CheckSet, AVectorMovesNothingAlongToo) {
  const std::string quarter =
      "alloc S: f32[256] @shared alloc R: f32[4] @registers S[t*4] = A[t] barrier "
      "copy R[0 .. +4] <- S[t*4 .. +4] @vector(4) ";
  EXPECT_EQ(found(quarter + "C[t] = R[0] + 1.0"), "");
  EXPECT_EQ(kinds(quarter + "C[t] = R[3] + 1.0"), "uninitialised read");
}

TEST(CheckSet, WhatAnIndexOrAConditionReadsIsNotMoved) {
  EXPECT_EQ(found("alloc S: i32[64] @shared alloc R: i32[1] @registers R[0] = C[t] "
                  "S[t] = select(A[t] < 9i32, A[t], 0i32) barrier R[0] = S[t] * 2i32 C[t] = R[0]",
                  {1, 64, "i32"}),
            "");
  EXPECT_EQ(found("alloc S: i32[64] @shared alloc R: i32[1] @registers R[0] = C[t] "
                  "S[t] = A[index(A[t])] barrier R[0] = S[t] * 2i32 C[t] = R[0]",
                  {1, 64, "i32"}),
            "");
  EXPECT_EQ(kinds("C[t] = A[index(C[t]) % 4]", {1, 64, "i32"}), "uninitialised read");
}

TEST(CheckSet, AnOutputHoldsNothingAtFirst) {
  EXPECT_EQ(kinds("C[t] += A[t]"), "uninitialised read");
  EXPECT_EQ(kinds("C[t] = 0.0 C[t] += A[t]"), "");
  EXPECT_EQ(kinds("C[t] += A[t]", {1, 64, "f32", true}), "");
}

TEST(CheckSet, AnElementMayGetBackWhatItHas) {
  const std::string r = "alloc R: f32[1] @registers R[0] = C[t] ";
  EXPECT_EQ(found(r + "C[t] = R[0]"), "");
  EXPECT_EQ(found(r + tile + "S[63 - t] = R[0] barrier R[0] = S[63 - t] C[t] = R[0]"), "");
  EXPECT_EQ(found(tile + "S[t] = C[t] C[t] = S[t] C[t] = A[t]"), "");
  EXPECT_EQ(found("alloc S: f32[256] @shared copy_async S[t*4] <- C[t*4] of 4 commit_group "
                  "wait_group 0 copy C[t*4 .. +4] <- S[t*4 .. +4] @vector(4)"),
            "");
  EXPECT_EQ(found(r + "R[0] = shuffle_exchange(R[0], 1, 32) R[0] = shuffle_exchange(R[0], 1, 32) "
                      "C[t] = R[0]"),
            "");
  // A ring of three slots, which is filled as long as there are elements.
  const std::string ring =
      "alloc R: f32[3] @registers R[0] = C[t] R[1] = C[t] for n in 0..4 { if (n + 2 < 3) { "
      "R[(n + 2) % 3] = C[t] } ";
  EXPECT_EQ(found(ring + "if (n < 3) { C[t] = R[n % 3] } }"), "");
  EXPECT_EQ(kinds(ring + "if (n < 3) { C[t] = R[n % 3] + 1.0 } }"), "uninitialised read");
  for (const char* use :
       {"C[t + 64] = R[0]", "C[t] = 1.0 C[t] = R[0]", "C[t] = -R[0]",
        "if (R[0] < 1.0) { C[t] = 1.0 }", "R[0] = shuffle_exchange(R[0], 1, 32) C[t] = R[0]"})
    EXPECT_EQ(kinds(r + use), "uninitialised read") << use;
  EXPECT_EQ(kinds("C[t] = C[t + 64] barrier"), "uninitialised read");
}

/// The kinds of findings in each of two kernels of A, C and a temporary T of 64 elements.
std::string kinds_in_turn(const std::string& first, const std::string& second) {
  std::vector<float> a(64), c(64), t(64);
  UnsetElements unset_t{std::vector<uint8_t>(64, 1), true}, unset_c{std::vector<uint8_t>(64, 1)};
  std::string text;
  for (const std::string& body : {first, second}) {
    const KernelFunction parsed = parse_kernel(
        "kernel f(A: f32[64], C: f32[64], T: f32[64]) grid(2, 1, 1) block(32, 1, 1) @index32 { "
        "let t = block.x*32 + thread.x " +
        body + " }");
    const std::vector<SimArgument> arguments = {{"A", a.data(), 64},
                                                {"C", c.data(), 64, false, &unset_c},
                                                {"T", t.data(), 64, false, &unset_t}};
    for (const Finding& finding : check(parsed, {}, arguments).findings)
      text += std::string(to_string(finding.kind)) + " ";
    text += "/ ";
  }
  return text;
}

TEST(CheckSet, KernelsHandOnWhatIsSet) {
  const char* half = "alloc R: f32[1] @registers if (t < 40) { R[0] = A[t] } T[t] = R[0]";
  EXPECT_EQ(kinds_in_turn(half, "if (t < 40) { C[t] = T[t] + 1.0 }"), "/ / ");
  EXPECT_EQ(kinds_in_turn(half, "C[t] = T[t] + 1.0"), "/ uninitialised read / ");
  EXPECT_EQ(kinds_in_turn(half, "C[t] = T[t]"), "/ uninitialised read / ");
  EXPECT_EQ(kinds_in_turn("if (t < 40) { T[t] = A[t] }", "C[t] = T[t]"), "/ uninitialised read / ");
  EXPECT_EQ(kinds_in_turn("T[t] = A[t] T[63 - t] = C[t]", "C[t] = T[t]"),
            "race race / uninitialised read / ");
  EXPECT_EQ(kinds_in_turn("if (t < 40) { C[t] = A[t] }", "if (t >= 40) { C[t] = A[t] }"), "/ / ");
  EXPECT_EQ(kinds_in_turn("if (t < 40) { C[t] = A[t] }",
                          "alloc R: f32[1] @registers R[0] = C[t] C[t] = R[0]"),
            "/ / ");
  EXPECT_EQ(kinds_in_turn("if (t < 40) { C[t] = A[t] }", "C[t] += 1.0"), "/ uninitialised read / ");
}

TEST(CheckRace, NamesTheElementOfATensorWithAPitch) {
  std::vector<float> c(38);
  const KernelFunction parsed = parse_kernel(
      "kernel f(C: f32[4, 8] @pitch(10)) grid(1, 1, 1) block(32, 1, 1) @index32 { C[12] = "
      "f32(thread.x) }");
  const auto findings = check(parsed, {}, {{"C", c.data(), 38}}).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().element, "[1, 2]");
}

// ---- What ends a block --------------------------------------------------------------------------

TEST(CheckFaults, EndTheirBlockAlone) {
  EXPECT_EQ(
      found("if (b != 2) { C[b*1024 + t*16] = 0.0 } if (b == 2) { C[5000 + t] = 0.0 }", {4, 64}),
      "access out of bounds on C: C[5000 + t]: element 5000 is outside 0..4096\n"
      "  block (2, 0, 0), thread (0, 0, 0) writes C[5000 + t]\n"
      "    in: C[5000 + t] = 0.0");
}

TEST(CheckFaults, AreOfSeveralKinds) {
  EXPECT_EQ(kinds("copy C[t + 1 .. +4] <- A[t*4 .. +4] @vector(4)"), "misaligned access");
  EXPECT_EQ(kinds("if (t < 32) { barrier } C[t] = 0.0"), "divergent barrier");
  EXPECT_EQ(kinds("C[t] = A[t / b]"), "invalid operation");
}

TEST(CheckFaults, ALoopThatRunsAwayIsStopped) {
  CheckOptions options;
  options.step_budget = 1000;
  EXPECT_EQ(found("for k in 0..1000000000 { C[t] = 0.0 }", {}, options),
            "run-away loop: block (0, 0, 0) makes more than 1000 trips through loops\n"
            "  in: for k in 0..1000000000");
}

// ---- Hints --------------------------------------------------------------------------------------

TEST(CheckHints, ABarrierThatNothingNeeds) {
  CheckOptions options;
  options.find_unneeded_barriers = true;
  const std::string body = tile + "S[t] = A[t] barrier barrier C[t] = S[63 - t]";
  const CheckReport report = report_on(body, {}, options);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.findings.size(), 2u) << "either of the two, but not both";
  EXPECT_EQ(found(tile + "S[t] = A[t] barrier C[t] = S[63 - t] barrier", {}, options),
            "unneeded barrier: barrier 2 of 2: nothing is found without it\n"
            "  in: barrier");
}

// ---- The mode itself ----------------------------------------------------------------------------

TEST(CheckMode, IsTheSameOnManyHostThreads) {
  const std::string racy = tile + "S[t/2] = A[t] C[(b*64 + t) % 512] = S[63 - t] + 1.0";
  CheckOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const std::string expected = found(racy, {37, 64}, one);
  EXPECT_NE(expected, "");
  for (int run = 0; run < 5; ++run) EXPECT_EQ(found(racy, {37, 64}, four), expected);
}

TEST(CheckMode, LeavesWhatAPlainRunLeaves) {
  const std::string body = tile + "S[t] = A[b*64 + t] barrier C[b*64 + t] = S[63 - t]*2.0";
  const KernelFunction parsed = parse_kernel(kernel(body, {4, 64}));
  Buffers plain = {{"A", counting(f32, {4096})}, {"C", Buffer(f32, {4096})}};
  Buffers checked = plain;
  run_on_sim(parsed, {}, plain);
  check(parsed, {},
        {{"A", checked["A"].bytes.data(), 4096}, {"C", checked["C"].bytes.data(), 4096, true}});
  EXPECT_EQ(plain["C"].bytes, checked["C"].bytes);
}

}  // namespace sim_check_test
}  // namespace hone
