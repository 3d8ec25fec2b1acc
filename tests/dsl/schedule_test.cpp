#include "dsl/schedule.h"

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace schedule_test {

struct Matmul {
  Param M{"M"}, N{"N"}, K{"K"};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Program program{"matmul", C(i, j) = sum(k, A(i, k) * B(k, j))};
};

/// The message of the ScheduleError of `action`.
std::string refusal(const std::function<void()>& action) {
  return message_of<ScheduleError>(action);
}

std::string at(int line) { return fmt::format("{}:{}: ", __FILE__, line); }

TEST(Schedule, StartsAsTheProgram) {
  const Matmul m;
  const Schedule s(m.program);
  EXPECT_EQ(fmt::format("{}", s), to_string(m.program.function()));
}

TEST(Schedule, OfAMatmulInTiles) {
  const Matmul m;
  Schedule s(m.program);
  auto [by, bx, iy, jx] = s.tile({m.i, m.j}, {16, 16});
  auto [ty, tx, yi, xi] = s.tile({iy, jx}, {4, 4});
  auto [ko, ki] = s.split(m.k, 8);
  s.reorder({by, bx, ty, tx, ko, ki, yi, xi});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(m.C, tx);
  s.unroll(ki);
  EXPECT_EQ(
      to_string(s.function()),
      to_string(parse_function(R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 15) / 16 @block.y {
    for j.0 in 0..(N + 15) / 16 @block.x {
      for i.1.0 in 0..4 @thread.y {
        for j.1.0 in 0..4 @thread.x {
          alloc C.reg: f32[4, 4] @registers
          for i.1.1.init in 0..4 @unroll {
            for j.1.1.init in 0..4 @unroll {
              C.reg[i.1.1.init, j.1.1.init] = 0.0
            }
          }
          reduce k.0 in 0..(K + 7) / 8 {
            reduce k.1 in 0..8 @unroll {
              for i.1.1 in 0..4 @unroll {
                for j.1.1 in 0..4 @unroll {
                  if (i.0*16 + i.1.0*4 + i.1.1 < M) {
                    if (j.0*16 + j.1.0*4 + j.1.1 < N) {
                      if (k.0*8 + k.1 < K) {
                        C.reg[i.1.1, j.1.1] +=
                            A[i.0*16 + i.1.0*4 + i.1.1, k.0*8 + k.1] * B[k.0*8 + k.1, j.0*16 + j.1.0*4 + j.1.1]
                      }
                    }
                  }
                }
              }
            }
          }
          copy C[i.0*16 + i.1.0*4 .. +4, j.0*16 + j.1.0*4 .. +4] <- C.reg[0 .. +4, 0 .. +4]
        }
      }
    }
  }
})")));
  expect_same_values(m.program.function(), s.function());
}

TEST(Schedule, ReturnsHandlesWithExtents) {
  const Matmul m;
  Schedule s(m.program);
  auto [outer, inner] = s.split(m.i, 4);
  EXPECT_EQ(outer.name(), "i.0");
  EXPECT_EQ(to_string(outer.extent()), "(M + 3) / 4");
  EXPECT_EQ(inner.name(), "i.1");
  EXPECT_EQ(to_string(inner.extent()), "4");
  const Axis fused = s.fuse(outer, inner);
  EXPECT_EQ(fused.name(), "i.0_i.1");
  EXPECT_EQ(s.split_into(m.j, 2)[1].name(), "j.1");
  const std::vector<Axis> parts = s.fission(s.axis("j.1"));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name(), "j.1.0");
  s.merge(parts[0], parts[1]);
  EXPECT_EQ(s.axis("j.1.0").node(), parts[0].node());
}

TEST(Schedule, SplitsUnderNames) {
  const Matmul m;
  Schedule s(m.program);
  auto [by, ty] = s.split(m.i, 4, {.names = {"by", "ty"}});
  EXPECT_EQ(by.name(), "by");
  EXPECT_EQ(ty.name(), "ty");
  EXPECT_EQ(s.axis("ty").node(), ty.node());
  auto [j0, column] = s.split(m.j, 4, {.names = {nullptr, "column"}});
  EXPECT_EQ(j0.name(), "j.0");
  EXPECT_EQ(column.name(), "column");
}

TEST(Schedule, TilesUnderNames) {
  const Matmul m;
  Schedule s(m.program);
  auto [by, j0, ty, tx] =
      s.tile({m.i, m.j}, {4, 8}, {.names = {"block_row", nullptr, "row", "column"}});
  EXPECT_EQ(by.name(), "block_row");
  EXPECT_EQ(j0.name(), "j.0");
  EXPECT_EQ(ty.name(), "row");
  EXPECT_EQ(s.axis("column").node(), tx.node());
}

TEST(Schedule, FusesUnderAName) {
  const Matmul m;
  Schedule s(m.program);
  auto [by, bx, ty, tx] = s.tile({m.i, m.j}, {4, 8});
  EXPECT_EQ(s.fuse(ty, tx, {.name = "element"}).name(), "element");
  EXPECT_EQ(s.trace().back().text, "Axis element = s.fuse(i_1, j_1, {.name = \"element\"});");
}

TEST(Schedule, FactorsUnderNames) {
  const Matmul m;
  Schedule s(m.program);
  auto [part, step] = s.split(m.k, 4, {.names = {"part", "step"}});
  auto [sums, partial, total] = s.rfactor(m.C, part, {.names = {nullptr, "total"}});
  EXPECT_EQ(partial.name(), "part");
  EXPECT_EQ(total.name(), "total");
}

TEST(Schedule, IsAsItWasAfterNamesOfTilesAreRefused) {
  const Matmul m;
  Schedule s(m.program);
  const int here = __LINE__ + 2;
  const auto tile = [&](std::vector<const char*> names) {
    s.tile({m.i, m.j}, {4, 8}, {.names = names});
  };
  EXPECT_EQ(refusal([&] {
              tile({"y", "x", "row", "column", "rest"});
            }),
            at(here) +
                "error: tile: 4 axes are given 5 names\n"
                "note: one name for each axis; nullptr keeps the default name");
  EXPECT_EQ(refusal([&] {
              tile({"y", "x", "k", nullptr});
            }),
            at(here) + R"(error: tile: the name k is taken
  for y in 0..(M + 3) / 4 {
    for x in 0..(N + 7) / 8 {
      for i.1 in 0..4 {              <-- here
        for j.1 in 0..8 {
          if (y*4 + i.1 < M) {
note: k_2 is free)");
  EXPECT_EQ(fmt::format("{}", s), to_string(m.program.function()));
  EXPECT_EQ(s.trace_text(), "");
}

TEST(Schedule, FindsAxesByName) {
  const Matmul m;
  Schedule s(m.program);
  s.reorder({m.k, m.j});
  EXPECT_EQ(s.axis("j.init").name(), "j.init");
  EXPECT_EQ(s.axis("k").node(), m.k.node());
}

TEST(Schedule, FindsTheAxisOfADefinition) {
  Param N("N");
  Tensor A("A", f32, {N}), S("S", f32, {N}), C("C", f32, {N});
  Axis i("i", N);
  Schedule s(Program("f", S(i) = A(i) * 2.0, C(i) = S(i) + 1.0));
  EXPECT_EQ(s.axis(S, i).name(), "i");
  EXPECT_EQ(s.axis(C, i).name(), "i.C");
}

TEST(Schedule, FindsTheAxisOfWhatRFactorMakes) {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {N});
  Axis j("j", N);
  ReduceAxis k("k", M);
  Schedule s(Program("f", S(j) = sum(k, A(k, j))));
  auto [blocks, rows] = s.split(k, 8);
  const RFactor parts = s.rfactor(S, blocks);
  EXPECT_EQ(s.axis(parts.tensor, j).name(), "j.rf");
  EXPECT_EQ(s.axis(S, j).name(), "j");
  s.split(s.axis(parts.tensor, j), 32);
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.axis(parts.tensor, j); });
  EXPECT_EQ(message, at(here) +
                         "error: axis: j has become j.rf.0 and j.rf.1 in the nest of S.rf\n"
                         "note: s.axis(\"j.rf.0\") is the first of them");
}

TEST(Schedule, ReturnsTheCacheTensor) {
  const Matmul m;
  Schedule s(m.program);
  EXPECT_EQ(s.cache_registers(m.C, m.j).tensor.name(), "C.reg");
}

TEST(Schedule, MayAlias) {
  const Matmul m;
  Schedule s(m.program);
  s.may_alias();
  EXPECT_TRUE(s.function().may_alias);
}

TEST(Schedule, IsAValue) {
  const Matmul m;
  Schedule s(m.program);
  const Schedule before = s;
  s.split(m.i, 4);
  EXPECT_EQ(fmt::format("{}", before), to_string(m.program.function()));
}

// ---- Refusals -----------------------------------------------------------------------------------

TEST(Schedule, RefusesAtTheLineOfTheCall) {
  const Matmul m;
  Schedule s(m.program);
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.split(m.i, 4, {.tail = Tail::exact}); });
  EXPECT_EQ(message,
            at(here) +
                R"(error: split: 4 is not proved to divide the extent M of i and the tail is 'exact'
  for i in 0..M {                    <-- here
    for j in 0..N {
      C[i, j] = 0.0
note: sizes known at launch only prove nothing; {.tail = Tail::guard} takes any factor)");
}

TEST(Schedule, RefusesAnAxisThatASplitUsedUp) {
  const Matmul m;
  Schedule s(m.program);
  s.split(m.i, 4);
  const int line = __LINE__ - 1;
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.bind(m.i, block.x); });
  EXPECT_EQ(
      message,
      at(here) + fmt::format("error: bind: axis i no longer exists; split at {}:{} made it i.0 and "
                             "i.1",
                             __FILE__, line));
}

TEST(Schedule, RefusesAnAxisThatAPeelingSplitUsedUp) {
  const Matmul m;
  Schedule s(m.program);
  s.split(m.i, 4, {.tail = Tail::peel});
  const int line = __LINE__ - 1;
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.unroll(m.i); });
  EXPECT_EQ(
      message,
      at(here) + fmt::format("error: unroll: axis i no longer exists; split at {}:{} made it i.0, "
                             "i.1 and i.tail",
                             __FILE__, line));
}

TEST(Schedule, RefusesAnAxisThatAFuseUsedUp) {
  const Matmul m;
  Schedule s(m.program);
  s.fuse(m.i, m.j);
  const int line = __LINE__ - 1;
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.reorder({m.k, m.j}); });
  EXPECT_EQ(
      message,
      at(here) + fmt::format("error: reorder: axis j no longer exists; fuse at {}:{} made it i_j",
                             __FILE__, line));
}

TEST(Schedule, RefusesAnAxisThatATileUsedUp) {
  const Matmul m;
  Schedule s(m.program);
  s.tile({m.i, m.j}, {4, 4});
  const int line = __LINE__ - 1;
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.fission(m.j); });
  EXPECT_EQ(
      message,
      at(here) + fmt::format("error: fission: axis j no longer exists; tile at {}:{} made it j.0 "
                             "and j.1",
                             __FILE__, line));
}

TEST(Schedule, TellsTheNamesOfAxesThatATileMade) {
  const Matmul m;
  Schedule s(m.program);
  s.tile({m.i, m.j}, {4, 4}, {.names = {"by", nullptr, nullptr, "column"}});
  const int line = __LINE__ - 1;
  const int here = __LINE__ + 1;
  const auto refused = [&](const Axis& axis) { return refusal([&] { s.fission(axis); }); };
  const auto message = [&](const char* axis, const char* made) {
    return at(here) +
           fmt::format("error: fission: axis {} no longer exists; tile at {}:{} made it {}", axis,
                       __FILE__, line, made);
  };
  EXPECT_EQ(refused(m.i), message("i", "by and i.1"));
  EXPECT_EQ(refused(m.j), message("j", "j.0 and column"));
}

TEST(Schedule, RefusesAnAxisThatARenameUsedUp) {
  const Matmul m;
  Schedule s(m.program);
  s.rename(m.i, "row");
  const int line = __LINE__ - 1;
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.split(m.i, 4); });
  EXPECT_EQ(
      message,
      at(here) + fmt::format("error: split: axis i no longer exists; rename at {}:{} made it row",
                             __FILE__, line));
}

TEST(Schedule, RefusesAnAxisOfAnotherProgram) {
  const Matmul m, other;
  Schedule s(m.program);
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.split(other.i, 4); });
  EXPECT_EQ(message,
            at(here) +
                "error: split: i is an axis of another program, and matmul has an axis i of "
                "its own\nnote: s.axis(\"i\") is that one");
}

TEST(Schedule, RefusesAnUnknownName) {
  const Matmul m;
  const Schedule s(m.program);
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.axis("l"); });
  EXPECT_EQ(message, at(here) + "error: axis: matmul has no axis l\nnote: its axes are i, j and k");
}

TEST(Schedule, RefusesAnAxisThatDoesNotDefineTheTensor) {
  const Matmul m;
  const Schedule s(m.program);
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.axis(m.A, m.i); });
  EXPECT_EQ(message, at(here) +
                         "error: axis: no loop of i computes A\n"
                         "note: the axes of matmul are i, j and k");
}

TEST(Schedule, IsAsItWasAfterARefusal) {
  const Matmul m;
  Schedule s(m.program);
  s.split(m.i, 4);
  const std::string text = fmt::format("{}", s), trace = s.trace_text();
  EXPECT_THROW(s.bind(m.k, thread.x), ScheduleError);
  EXPECT_EQ(fmt::format("{}", s), text);
  EXPECT_EQ(s.trace_text(), trace);
  s.bind(m.j, thread.x);
  EXPECT_EQ(s.trace().size(), 2u);
}

TEST(Schedule, IsAsItWasAfterANameIsRefused) {
  const Matmul m;
  Schedule s(m.program);
  const int here = __LINE__ + 1;
  const std::string message = refusal([&] { s.split(m.i, 4, {.names = {"by", "j"}}); });
  EXPECT_EQ(message, at(here) + R"(error: split: the name j is taken
  for by in 0..(M + 3) / 4 {
    for i.1 in 0..4 {                <-- here
      if (by*4 + i.1 < M) {
        for j in 0..N {
note: j_2 is free)");
  EXPECT_EQ(fmt::format("{}", s), to_string(m.program.function()));
  EXPECT_EQ(s.trace_text(), "");
  s.split(m.i, 4, {.names = {"by", "ty"}});
  EXPECT_EQ(s.trace().size(), 1u);
}

}  // namespace schedule_test
}  // namespace hone
