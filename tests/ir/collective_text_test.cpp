// The text of what threads and blocks do together: combine, shuffles, atomic updates, arrivals.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/verify/verifier.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace collective_text_test {

/// A function with `body`, as the printer writes it.
std::string text_around(const std::string& body) {
  return "func f[N](A: f32[N], S: f32[], n: i32[N], b: bool[]) {\n" + body + "\n}";
}

void expect_read_back(const std::string& text) {
  const Function function = parse_function(text);
  EXPECT_EQ(to_string(function), text);
  EXPECT_TRUE(equal(parse_function(to_string(function)), function));
}

/// The first line of the error, without the place.
std::string error_in(const std::string& body) {
  const std::string message = message_of<ParseError>([&] { parse_function(text_around(body)); });
  return llvm::StringRef(message).split('\n').first.split(": ").second.str();
}

TEST(CollectiveText, OfCombineIsReadBack) {
  for (const char* combine :
       {"thread.x combine(interleaved_modulo)", "thread.y combine(interleaved_strided, unrolled)",
        "thread.z combine(sequential)", "thread.x combine(sequential, unrolled)",
        "thread.x combine(sequential, last_warp)",
        "thread.x combine(sequential, unrolled, last_warp)", "thread.x combine(shuffle)",
        "thread.x combine(two_level)", "thread.x combine(atomic)", "block.x combine(atomic)",
        "block.z combine(last_block)", "block.z combine(last_block, last_warp)",
        "thread.x combine(lanes: shuffle, warps: sequential)",
        "thread.x combine(lanes: shuffle, warps: interleaved_modulo unrolled)",
        "thread.x combine(lanes: shuffle, grid: atomic)",
        "thread.x combine(lanes: shuffle, warps: shuffle, grid: atomic)",
        "thread.y combine(block: interleaved_strided unrolled, grid: atomic)"}) {
    const std::string text =
        text_around(fmt::format("  reduce k in 0..8 @{} {{\n    S[] += A[k]\n  }}", combine));
    expect_read_back(text);
    EXPECT_EQ(verify(parse_function(text)).value_or("well formed"), "well formed");
  }
}

TEST(CollectiveText, OfCombineTakesItsOptionsInAnyOrder) {
  const Function function = parse_function(text_around(
      "reduce k in 0..8 @thread.x combine(sequential, last_warp, unrolled) { S[] += A[k] }"));
  EXPECT_NE(to_string(function).find("combine(sequential, unrolled, last_warp)"),
            std::string::npos);
}

TEST(CollectiveText, OfLevelsThatHaveAShortNameIsThat) {
  const auto printed = [](const char* levels) {
    const std::string text = to_string(parse_function(text_around(
        fmt::format("reduce k in 0..8 @thread.x combine({}) {{ S[] += A[k] }}", levels))));
    const llvm::StringRef rest = llvm::StringRef(text).split("combine(").second;
    return rest.split(") {").first.str();
  };
  EXPECT_EQ(printed("lanes: shuffle"), "shuffle");
  EXPECT_EQ(printed("lanes: shuffle, warps: shuffle"), "two_level");
  EXPECT_EQ(printed("block: sequential unrolled"), "sequential, unrolled");
  EXPECT_EQ(printed("block: sequential, lanes: shuffle"), "sequential, last_warp");
  EXPECT_EQ(printed("grid: atomic"), "atomic");
  EXPECT_EQ(printed("grid: ticket, lanes: shuffle"), "last_block, last_warp");
}

TEST(CollectiveText, OfLevelsRefusesListsThatNothingCombinesBy) {
  const auto error = [](const char* levels) {
    return error_in(
        fmt::format("reduce k in 0..8 @thread.x combine({}) {{ S[] += A[k] }}", levels));
  };
  EXPECT_EQ(error("rows: shuffle"),
            "unknown level 'rows'; there are lanes, warps, block, cluster and grid");
  EXPECT_EQ(error("lanes: tree"),
            "unknown means 'tree'; there are shuffle, interleaved_modulo, interleaved_strided, "
            "sequential, atomic, ticket and exchange");
  EXPECT_EQ(error("lanes: atomic"), "results of lanes do not meet by atomic");
  EXPECT_EQ(error("grid: shuffle"), "results of grid do not meet by shuffle");
  EXPECT_EQ(error("cluster: atomic"), "results of cluster do not meet by atomic");
  EXPECT_EQ(error("lanes: shuffle unrolled"), "shuffle has no tree to be unrolled");
  EXPECT_EQ(error("warps: sequential"),
            "warps have what their lanes leave, and no level of lanes comes first");
  EXPECT_EQ(error("block: sequential, warps: shuffle"),
            "warps: shuffle does not follow block: sequential");
  EXPECT_EQ(error("lanes: shuffle, grid: ticket"), "grid: ticket does not follow lanes: shuffle");
  EXPECT_EQ(error("grid: atomic, grid: atomic"), "grid: atomic does not follow grid: atomic");
  EXPECT_EQ(error("lanes: shuffle, warps: shuffle, grid: atomic, grid: atomic"),
            "a reduction has 3 levels at most");
  EXPECT_EQ(error("lanes: shuffle, warps"), "expected ':', found ')'");
}

TEST(CollectiveText, TellsWaysToCombineApart) {
  const auto loop = [](const char* combine) {
    return parse_function(text_around(
        fmt::format("reduce k in 0..8 @thread.x combine({}) {{ S[] += A[k] }}", combine)));
  };
  EXPECT_TRUE(equal(loop("sequential"), loop("sequential")));
  EXPECT_FALSE(equal(loop("sequential"), loop("sequential, unrolled")));
  EXPECT_FALSE(equal(loop("sequential, last_warp"), loop("sequential, unrolled")));
  EXPECT_FALSE(equal(loop("sequential"), loop("shuffle")));
}

TEST(CollectiveText, NamesTheWaysToCombine) {
  const auto error = [](const char* combine) {
    return error_in(fmt::format("reduce k in 0..8 @thread.x combine{} {{ S[] += A[k] }}", combine));
  };
  EXPECT_EQ(error("(tree)"),
            "unknown way to combine 'tree'; there are interleaved_modulo, interleaved_strided, "
            "sequential, shuffle, two_level, atomic and last_block");
  EXPECT_EQ(error(" { }"), "expected '(', found '{'");
  EXPECT_EQ(error("()"), "expected a way to combine, found ')'");
  EXPECT_EQ(error("(sequential, wide)"), "expected 'last_warp', found 'wide'");
  EXPECT_EQ(error("(sequential unrolled)"), "expected ')', found 'unrolled'");
}

TEST(CollectiveText, CombinesOnlyReductionsOverBlocksAndThreads) {
  for (const char* loop :
       {"for k in 0..8 @thread.x", "reduce k in 0..8", "reduce k in 0..8 @unroll"})
    EXPECT_EQ(verify(parse_function(
                         text_around(fmt::format("{} combine(atomic) {{ S[] += A[k] }}", loop))))
                  .value_or("well formed"),
              "k combines, and is no reduction over blocks or threads")
        << loop;
}

TEST(CollectiveText, OfKernelsIsReadBack) {
  for (const char* statement :
       {"S[] = shuffle_down(A[3], 16, 32)",
        "S[] += shuffle_exchange(S[] + A[3], N >> 1, min(32, N - 32))", "atomic S[] += A[3] * 2.0",
        "atomic n[3] max= 7i32", "atomic b[] or= A[0] < A[1]", "barrier", "barrier @warp",
        "barrier @warpgroup", "barrier @named(1, 64)"})
    expect_read_back(text_around(fmt::format("  {}", statement)));
  expect_read_back(
      text_around("  alloc last: bool[] @shared\n"
                  "  arrive last[] at n[block.y*2] of (N + 31) / 32 after S\n"
                  "  if (last[]) {\n    S[] = A[0]\n  }"));
}

TEST(CollectiveText, TellsKernelNodesApart) {
  const auto same = [](const char* lhs, const char* rhs) {
    return equal(parse_function(text_around(lhs)), parse_function(text_around(rhs)));
  };
  EXPECT_TRUE(same("S[] = shuffle_down(A[3], 16, 32)", "S[] = shuffle_down(A[3], 16, 32)"));
  EXPECT_FALSE(same("S[] = shuffle_down(A[3], 16, 32)", "S[] = shuffle_exchange(A[3], 16, 32)"));
  EXPECT_FALSE(same("S[] = shuffle_down(A[3], 16, 32)", "S[] = shuffle_down(A[3], 8, 32)"));
  EXPECT_FALSE(same("S[] = shuffle_down(A[3], 16, 32)", "S[] = shuffle_down(A[3], 16, 31)"));
  EXPECT_FALSE(same("S[] += A[3]", "atomic S[] += A[3]"));
  EXPECT_FALSE(same("arrive b[] at n[0] of 8 after S", "arrive b[] at n[1] of 8 after S"));
  EXPECT_FALSE(same("arrive b[] at n[0] of 8 after S", "arrive b[] at n[0] of 9 after S"));
  EXPECT_FALSE(same("arrive b[] at n[0] of 8 after S", "arrive b[] at n[0] of 8 after A"));
  EXPECT_TRUE(same("arrive b[] at n[0] of 8 after S", "arrive b[] at n[0] of 8 after S"));
  EXPECT_TRUE(same("barrier @named(1, 64)", "barrier @named(1, 64)"));
  EXPECT_FALSE(same("barrier", "barrier @warp"));
  EXPECT_FALSE(same("barrier @warp", "barrier @warpgroup"));
  EXPECT_TRUE(same("barrier @cluster", "barrier @cluster"));
  EXPECT_FALSE(same("barrier", "barrier @cluster"));
  EXPECT_FALSE(same("barrier @named(1, 64)", "barrier @named(2, 64)"));
  EXPECT_FALSE(same("barrier @named(1, 64)", "barrier @named(1, 96)"));
}

TEST(CollectiveText, RefusesWhatIsNoBarrier) {
  EXPECT_EQ(error_in("barrier @block"),
            "expected 'warp', 'warpgroup', 'cluster' or 'named', found 'block'");
  EXPECT_EQ(error_in("barrier @named(N, 64)"), "expected the number of a barrier, found 'N'");
  EXPECT_EQ(error_in("barrier @named(1)"), "expected ',', found ')'");
  EXPECT_EQ(error_in("barrier @named(1, N)"), "expected a count of threads, found 'N'");
}

TEST(CollectiveText, RefusesWhatIsNoShuffle) {
  EXPECT_EQ(error_in("S[] = shuffle_down(A[3], 16)"), "shuffle_down takes 3 arguments, found 2");
  EXPECT_EQ(error_in("S[] = shuffle_down(A[3], 1.0, 32)"),
            "shuffle of 1.0 (f32) and 0 (index); use cast");
  EXPECT_EQ(error_in("S[] = shuffle_exchange(A[3], 1, n[0])"),
            "shuffle of n[0] (i32) and 0 (index); use cast");
}

TEST(CollectiveText, RefusesWhatIsNoArrival) {
  EXPECT_EQ(error_in("arrive S[] at n[0] of 8 after A"),
            "S is to tell which block is the last, and is no single bool");
  EXPECT_EQ(error_in("arrive b[] at A[0] of 8 after A"),
            "A is f32, and arrivals are counted in i32");
  EXPECT_EQ(error_in("arrive b[] at n[] of 8 after A"),
            "n has 1 dimension and is written with 0 indices");
  EXPECT_EQ(error_in("arrive b[] at n[0] after A"), "expected 'of', found 'after'");
  EXPECT_EQ(error_in("arrive b[] at n[0] of 8"), "expected 'after', found '}'");
  EXPECT_EQ(error_in("atomic barrier"), "unknown tensor 'barrier'; in scope: A, S, n, b");
}

TEST(CollectiveText, StaysOutOfLoopIr) {
  const auto verdict = [](const std::string& body) {
    return verify(parse_function(text_around(body))).value_or("well formed");
  };
  EXPECT_EQ(verdict("S[] = shuffle_down(A[3], 16, 32)"),
            "shuffle_down(A[3], 16, 32) stands in loop IR");
  EXPECT_EQ(verdict("atomic S[] += 1.0"), "an atomic store to S stands in loop IR");
  EXPECT_EQ(verdict("arrive b[] at n[0] of 8 after S"), "arrive stands in loop IR");
}

/// Bindings are not part of the meaning.
TEST(CollectiveText, OfCombineIsASequentialLoopToTheInterpreter) {
  EXPECT_EQ(run("func f(A: f32[4], C: f32[1]) { C[0] = 0.0 "
                "reduce k in 0..4 @thread.x combine(two_level) { C[0] += A[k] } }",
                {{"A", vector_of({1, 2, 3, 4})}, {"C", vector_of({9})}}),
            Values{10});
}

}  // namespace collective_text_test
}  // namespace hone
