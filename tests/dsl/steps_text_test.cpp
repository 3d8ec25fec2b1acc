// Schedules that are read from text.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace steps_text_test {

Program matmul() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  return Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
}

Schedule read(llvm::StringRef text) {
  Schedule s(matmul());
  s.replay(text, "steps.txt");
  return s;
}

/// The trace of what is read from `text`.
std::string trace_of(llvm::StringRef text) { return read(text).trace_text(); }

std::string syntax_error(llvm::StringRef text) {
  return message_of<ParseError>([&] { read(text); });
}

std::string refusal(llvm::StringRef text) {
  return message_of<ScheduleError>([&] { read(text); });
}

/// A call of every form of argument.
constexpr const char* calls = R"(s.assume(K % 32 == 0);
s.assume(N % 4 == 0);
s.assume_aligned(B, 16);
auto [y, j_0, i_1, j_1] = s.tile({i, j}, {32, 32}, {.tail = Tail::pad, .names = {"y", nullptr, nullptr, nullptr}});
auto [k_0, k_1] = s.split(k, 32, {.tail = Tail::exact});
Axis x = s.rename(j_1, "column");
s.bind(y, block.y);
s.bind(j_0, block.x);
s.bind(i_1, thread.y);
s.bind(x, thread.x);
auto A_shared = s.cache_shared(A(i, k), k_0, {.layout = Layout::order({1, 0}).pad(1)});
auto B_shared = s.cache_shared(B, k_0, {.vectorize = 4});
s.layout(B_shared, Layout().swizzle({.chunk = 4, .period = 8, .rows = 1}));
auto [a, from_row] = s.copy_loops(A_shared, {.names = {nullptr, "from_row"}});
Axis piece = s.fuse(a, from_row, {.name = "piece"});
s.cache_registers(C, x);
s.unroll(k_1, 4);
s.launch_bounds(y, 2);
s.may_alias();
)";

TEST(StepsText, IsReadAsTheTraceHasIt) { EXPECT_EQ(trace_of(calls), calls); }

TEST(StepsText, NeighboursThatChangedPlacesAreOneError) {
  EXPECT_EQ(
      syntax_error("spilt(i, 4)"),
      "steps.txt:1:1: there is no primitive spilt; did you mean 'split'?\n  spilt(i, 4)\n  ^");
}

TEST(StepsText, OptionsMayBeNumbersInTheirOrder) {
  const std::string tile =
      "y, x, iy, ix = tile({i, j}, {32, 32})\nko, ki = split(k, 32)\n"
      "reorder({y, x, ko, iy, ix, ki})\nB_shared = cache_shared(B, ko, {1})\n";
  const auto swizzled = [&](const std::string& values) {
    return tile + "layout(B_shared, Layout().swizzle(" + values + "))";
  };
  EXPECT_EQ(trace_of(swizzled("{4, 8}")),
            trace_of(swizzled("{.chunk = 4, .period = 8, .rows = 1}")));
  EXPECT_EQ(trace_of(swizzled("{1, 16, 2}")),
            trace_of(swizzled("{.chunk = 1, .period = 16, .rows = 2}")));
  EXPECT_EQ(syntax_error(swizzled("{4, 8, 1, 0, 1, 2}")),
            "steps.txt:5:51: expected '}', found '2'\n"
            "  layout(B_shared, Layout().swizzle({4, 8, 1, 0, 1, 2}))\n"
            "                                                    ^");
}

/// Python has lists of names, no braces around options and no semicolons.
TEST(StepsText, LeavesCppOut) {
  EXPECT_EQ(trace_of(R"(
    // Comments, and calls on one line
    y, x, iy, ix = tile([i, j], [32, 8], tail = guard)  split(k, 4)
    ko = s.rename(k_0, "ko")
    bind(y, block_y) bind(x, hone::block.x)
    unroll(k.1)
  )"),
            R"(auto [y, x, iy, ix] = s.tile({i, j}, {32, 8});
auto [k_0, k_1] = s.split(k, 4);
Axis ko = s.rename(k_0, "ko");
s.bind(y, block.y);
s.bind(x, block.x);
s.unroll(k_1);
)");
}

/// Text without the C++ around it, in which the options of a call have no braces.
TEST(StepsText, NamesAxesAsTheStepMakesThem) {
  EXPECT_EQ(trace_of(R"(
    batch, k_1 = split(k, 8192, names = {"batch", nullptr})
    y, x, row, column = tile([i, j], [32, 8], tail = pad, names = ["y", "x", "row", "column"])
    tile = fuse(y, x, name = "tile")
    rest = fuse(row, column)
  )"),
            R"(auto [batch, k_1] = s.split(k, 8192, {.names = {"batch", nullptr}});
auto [y, x, row, column] = s.tile({i, j}, {32, 8}, {.tail = Tail::pad, .names = {"y", "x", "row", "column"}});
Axis tile = s.fuse(y, x, {.name = "tile"});
Axis rest = s.fuse(row, column);
)");
  EXPECT_EQ(trace_of("part, step = split(k, 4, names = {nullptr, \"step\"})\n"
                     "sums, partial, total = rfactor(C, part, names = {\"partial\"})"),
            "auto [part, step] = s.split(k, 4, {.names = {nullptr, \"step\"}});\n"
            "auto [sums, partial, total] = s.rfactor(C, part, {.names = {\"partial\"}});\n");
}

/// C = A, of tensors of these extents.
Schedule copies(int64_t rows, int64_t columns) {
  const Axis i("i", rows), j("j", columns);
  const Tensor A("A", f32, {rows, columns}), C("C", f32, {rows, columns});
  return Schedule(Program("f", C(i, j) = A(i, j)));
}

TEST(StepsText, NamesLoopsOverLanes) {
  Schedule s = copies(16, 8);
  s.replay("spread([i, j], \"mma_m16n8k16_bf16\", names = [\"half\", nullptr, \"column\"])",
           "steps");
  EXPECT_EQ(
      s.trace_text(),
      R"(auto [half, lane_i, column, element] = s.spread({i, j}, "mma_m16n8k16_bf16", {.names = {"half", nullptr, "column"}});
)");
  EXPECT_EQ(to_string(s.function()), R"(func f(A: f32[16, 8], C: f32[16, 8]) {
  for half in 0..2 {
    for lane_i in 0..8 @lane(4) {
      for column in 0..4 @lane {
        for element in 0..2 {
          C[half*8 + lane_i, column*2 + element] = A[half*8 + lane_i, column*2 + element]
        }
      }
    }
  }
})");
}

/// The elements that a lane has of a column are neighbours where C has the rows of the result as
/// its columns.
TEST(StepsText, VectorizesElementsOfResultsThatAreTurnedRound) {
  Schedule s = copies(64, 80);
  s.replay(R"(
    reorder([j, i])
    spread([j, i], "wgmma_m80n64k64_kn_bf16")
    reorder([i_half, lane_i, element])
    vectorize(element)
  )",
           "steps");
  EXPECT_EQ(to_string(s.function()), R"(func f(A: f32[64, 80], C: f32[64, 80]) {
  for warp_i in 0..4 @warp {
    for octet in 0..10 {
      for lane_j in 0..4 @lane {
        for i_half in 0..2 {
          for lane_i in 0..8 @lane(4) {
            for element in 0..2 @vectorize {
              C[warp_i*16 + i_half*8 + lane_i, octet*8 + lane_j*2 + element] = A[warp_i*16 + i_half*8 + lane_i, octet*8 + lane_j*2 + element]
            }
          }
        }
      }
    }
  }
})");
}

/// Steps that rename axes make the same loops as names of the steps that make the axes.
TEST(StepsText, ReadsTracesThatRenameAxes) {
  const auto loops_of_text = [](llvm::StringRef text) { return to_string(read(text).function()); };
  EXPECT_EQ(
      loops_of_text("auto [k_0, k_1] = s.split(k, 8192);\nAxis batch = s.rename(k_0, \"batch\");"),
      loops_of_text("auto [batch, k_1] = s.split(k, 8192, {.names = {\"batch\", nullptr}});"));
  EXPECT_EQ(loops_of_text("Axis i_j = s.fuse(i, j);\nAxis tile = s.rename(i_j, \"tile\");"),
            loops_of_text("Axis tile = s.fuse(i, j, {.name = \"tile\"});"));
}

TEST(StepsText, NamesAxesAsCppDoes) {
  const std::string text = R"(auto [a, b] = s.split(i, 4, {.names = {"rows", nullptr}});
s.split(j, 8, {.tail = Tail::exact, .names = {nullptr, "x"}});
s.bind(a, block.x); s.bind(b, thread.x); s.unroll(x);)";
  Schedule s(matmul());
  s.assume(s.axis("j").extent() % 8 == 0);
  s.replay(text, "steps.txt");
  EXPECT_EQ(s.trace_text(), R"(s.assume(N % 8 == 0);
auto [a, b] = s.split(i, 4, {.names = {"rows", nullptr}});
auto [j_0, x] = s.split(j, 8, {.tail = Tail::exact, .names = {nullptr, "x"}});
s.bind(a, block.x);
s.bind(b, thread.x);
s.unroll(x);
)");
}

TEST(StepsText, LooksNamesUpInTheProgram) {
  EXPECT_EQ(trace_of("s.reorder({k, i}); s.unroll(s.axis(\"i.init\"), 2); "
                     "s.assume_aligned(s.tensor(\"A\"), 16);"),
            "s.reorder({k, i});\ns.unroll(s.axis(\"i.init\"), 2);\ns.assume_aligned(A, 16);\n");
}

/// Names of a text for what has a name already, and sizes that the program lacks.
TEST(StepsText, NamesAxesTensorsAndParams) {
  EXPECT_EQ(
      trace_of(
          "const Param W(\"W\"); const Axis row = s.axis(\"i\");\n"
          "const Cache out = s.tensor(\"C\"); i = axis(\"i\"); auto [a, b] = s.split(row, W);\n"
          "s.bind(a, block.x); s.assume_aligned(out, 16);"),
      "Param W(\"W\");\nauto [a, b] = s.split(i, W);\ns.bind(a, block.x);\ns.assume_aligned(C, "
      "16);\n");
  EXPECT_EQ(syntax_error("row = axis(\"i\")\nrow = axis(\"j\")"),
            "steps.txt:2:1: there is a variable row already\n  row = axis(\"j\")\n  ^");
}

/// A look-up finds the loop of the moment, and a variable the axis that it was given.
TEST(StepsText, TellsLoopsFromVariables) {
  EXPECT_EQ(trace_of("a, b = split(i, 4) i2 = rename(a, \"i\") unroll(s.axis(\"i\"), 2)"),
            "auto [a, b] = s.split(i, 4);\nAxis i2 = s.rename(a, \"i\");\ns.unroll(i2, 2);\n");
}

TEST(StepsText, SaysHowResultsOfReductionsMeet) {
  const auto text_of = [](int factor, const std::string& combine) {
    return fmt::format(
        "auto [k_0, k_1] = s.split(k, {});\ns.reorder({{k_1, k_0}});\n"
        "s.bind(k_1, thread.x, {});\n",
        factor, combine);
  };
  for (const std::string& text :
       {text_of(32, "Combine::shuffle"),
        text_of(128, "{.method = Combine::sequential, .unrolled = true, .last_warp = true}"),
        text_of(128,
                "CombineLevels{{CombineUnit::lanes, CombineMeans::shuffle}, "
                "{CombineUnit::warps, CombineMeans::sequential, true}}")})
    EXPECT_EQ(trace_of(text), text);
  EXPECT_EQ(trace_of("s.split(k, 32) s.reorder({k_1, k_0}) s.bind(k_1, thread.x, shuffle)"),
            "auto [k_0, k_1] = s.split(k, 32);\ns.reorder({k_1, k_0});\n"
            "s.bind(k_1, thread.x, Combine::shuffle);\n");
}

TEST(StepsText, TellsPlacesInSyntaxErrors) {
  EXPECT_EQ(syntax_error("s.split(i, 4);\ns.splt(j, 4);"),
            "steps.txt:2:1: there is no primitive splt; did you mean 'split'?\n"
            "  s.splt(j, 4);\n  ^");
  EXPECT_EQ(syntax_error("s.split(q, 4);"),
            "steps.txt:1:9: no axis q; there are i, j and k\n  s.split(q, 4);\n          ^");
  EXPECT_EQ(syntax_error("ko, ki = split(k, 4)\nsplit(j, 4)\nunroll(q)"),
            "steps.txt:3:8: no axis q; there are i, j_0, j_1, ko and ki\n  unroll(q)\n         ^");
  EXPECT_EQ(syntax_error("s.split(A, 4)"),
            "steps.txt:1:9: A is a tensor, and no axis; there are i, j and k\n"
            "  s.split(A, 4)\n          ^");
  EXPECT_EQ(syntax_error("s.cache_shared(i, k)"),
            "steps.txt:1:16: i is an axis, and no tensor; there are A, B and C\n"
            "  s.cache_shared(i, k)\n                 ^");
  EXPECT_EQ(syntax_error("s.split(i)"),
            "steps.txt:1:10: expected an expression, found ')'\n  s.split(i)\n           ^");
  EXPECT_EQ(syntax_error("s.split(i, 4, {.tail = Tail::exakt})"),
            "steps.txt:1:30: exakt is no word for a tail; did you mean 'exact'?\n"
            "  s.split(i, 4, {.tail = Tail::exakt})\n                               ^");
  EXPECT_EQ(syntax_error("s.split(i, 4, {.tale = exact})"),
            "steps.txt:1:17: no option tale; there are tail and names\n"
            "  s.split(i, 4, {.tale = exact})\n                  ^");
  EXPECT_EQ(syntax_error("s.bind(i, blocks.x)"),
            "steps.txt:1:11: no iterations run on blocks.x; there are block.x, block.y, block.z, "
            "thread.x, thread.y, thread.z, cluster.x, lane, warp, warpgroup, parallel\n"
            "  s.bind(i, blocks.x)\n            ^");
  EXPECT_EQ(syntax_error("s.vectorize(i, 4)"),
            "steps.txt:1:16: expected ')', found '4'\n  s.vectorize(i, 4)\n                 ^");
  EXPECT_EQ(
      syntax_error("s.vectorize(i 4)"),
      "steps.txt:1:15: expected ',' or ')', found '4'\n  s.vectorize(i 4)\n                ^");
  EXPECT_EQ(syntax_error("s.rename(i, row)"),
            "steps.txt:1:13: expected a name in double quotes, found 'row'\n"
            "  s.rename(i, row)\n              ^");
}

TEST(StepsText, RefusesVariablesThatCppWould) {
  EXPECT_EQ(
      syntax_error("auto [i, x] = s.split(i, 4);"),
      "steps.txt:1:7: there is a variable i already\n  auto [i, x] = s.split(i, 4);\n        ^");
  EXPECT_EQ(syntax_error("int, x = s.split(i, 4);"),
            "steps.txt:1:1: no variable has the name int\n  int, x = s.split(i, 4);\n  ^");
  EXPECT_EQ(syntax_error("a, a = split(i, 4)"),
            "steps.txt:1:4: there is a variable a already\n  a, a = split(i, 4)\n     ^");
  EXPECT_EQ(refusal("auto [a, b, c] = s.split(i, 4);"),
            "steps.txt:1: error: split: 3 variables for 2 results");
  EXPECT_EQ(refusal("a = split(i, 4)"), "steps.txt:1: error: split: 1 variable for 2 results");
}

/// Names are refused where the step is that has them.
TEST(StepsText, RefusesNamesThatNoAxisCanHave) {
  EXPECT_EQ(refusal("\ns.split(i, 4, {.names = {\"a\", \"b\", \"c\"}});"),
            "steps.txt:2: error: split: 2 axes are given 3 names\n"
            "note: one name for each axis; nullptr keeps the default name");
  EXPECT_EQ(refusal("s.split(i, 4, {.names = {\"a\", \"2nd\"}});"),
            R"(steps.txt:1: error: split: '2nd' is not an identifier
  for a in 0..(M + 3) / 4 {
    for i.1 in 0..4 {                <-- here
      if (a*4 + i.1 < M) {
        for j in 0..N {
note: letters, digits and '_', not starting with a digit)");
  EXPECT_EQ(refusal("s.split(i, 4, {.names = {\"a\", \"a\"}});"),
            R"(steps.txt:1: error: split: the name a is taken
  for a in 0..(M + 3) / 4 {
    for i.1 in 0..4 {                <-- here
      if (a*4 + i.1 < M) {
        for j in 0..N {
note: a_2 is free)");
  EXPECT_EQ(refusal("s.fuse(i, j, {.name = \"k\"});"),
            R"(steps.txt:1: error: fuse: the name k is taken
  for i_j in 0..M*N {                <-- here
    C[i_j / N, i_j % N] = 0.0
    reduce k in 0..K {
note: k_2 is free)");
  EXPECT_EQ(syntax_error("s.split(i, 4, {.names = {a}})"),
            "steps.txt:1:26: expected a name in double quotes, or nullptr, found 'a'\n"
            "  s.split(i, 4, {.names = {a}})\n                           ^");
  EXPECT_EQ(syntax_error("s.fuse(i, j, {.names = {\"a\"}})"),
            "steps.txt:1:16: no option names; did you mean 'name'?\n"
            "  s.fuse(i, j, {.names = {\"a\"}})\n                 ^");
}

/// Refusals of steps are those of C++, at the line of the text.
TEST(StepsText, RefusesAsCppDoes) {
  EXPECT_EQ(refusal("s.split(i, 4);\n\ns.unroll(i);"),
            "steps.txt:3: error: unroll: axis i no longer exists; split at steps.txt:1 made it i.0 "
            "and i.1");
  EXPECT_EQ(refusal("s.specialize(k, 2)"), message_of<ScheduleError>([] {
              Schedule s(matmul());
              s.specialize(s.axis("k"), 2, {.producer_warps = 4}, {"steps.txt", 1});
            }));
}

TEST(StepsText, AppliesAllOfItOrNothing) {
  Schedule s(matmul());
  EXPECT_THROW(s.replay("s.split(i, 4);\ns.split(k, ", "steps.txt"), ParseError);
  EXPECT_EQ(s.trace_text(), "");
  s.replay("", "steps.txt");
  EXPECT_EQ(s.trace_text(), "");
}

}  // namespace steps_text_test
}  // namespace hone
