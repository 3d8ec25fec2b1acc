// The words for the memory hierarchy: tiles, copies, layouts, vectors and promises.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace schedule_memory_test {

struct Matmul {
  Param M{"M"}, N{"N"}, K{"K"};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Program program{"matmul", C(i, j) = sum(k, A(i, k) * B(k, j))};
};

/// A schedule of blocks of 8 x 8, 2 x 4 elements a thread, in k-steps of 8.
struct Blocks {
  Matmul m;
  Schedule s;
  Axis tx, ko, ki;
};

Blocks blocks_of(const Matmul& m) {
  Schedule s(m.program);
  auto [by, bx, iy, jx] = s.tile({m.i, m.j}, {8, 8});
  auto [ty, tx, yi, xi] = s.tile({iy, jx}, {2, 4});
  auto [ko, ki] = s.split(m.k, 8);
  s.reorder({by, bx, ty, tx, ko, ki, yi, xi});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  return {m, s, tx, ko, ki};
}

/// The message of the ScheduleError of `action`, but for the place of the call.
std::string refusal(const std::function<void()>& action) {
  const std::string message = message_of<ScheduleError>(action);
  const size_t start = message.find("error: ");
  return start == std::string::npos ? message : message.substr(start);
}

TEST(ScheduleMemory, OfAMatmulInSharedMemoryAndRegisters) {
  Blocks b = blocks_of({});
  Schedule& s = b.s;
  s.assume_aligned(b.m.A, 16);
  s.assume_aligned(b.m.B, 16);
  s.cache_registers(b.m.C, b.tx);
  const Cache As = s.cache_shared(b.m.A, b.ko, {.vectorize = 4});
  const Cache Bs = s.cache_shared(b.m.B, b.ko, {.vectorize = 4, .layout = Layout().pad(4)});
  s.layout(As, Layout::column_major().pad(4));
  s.cache_registers(As, b.ki);
  s.cache_registers(Bs, b.ki, {.vectorize = 4});
  EXPECT_EQ(
      to_string(s.function()),
      R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) where K % 4 == 0, N % 4 == 0 {
  for i.0 in 0..(M + 7) / 8 @block.y {
    for j.0 in 0..(N + 7) / 8 @block.x {
      for i.1.0 in 0..4 @thread.y {
        for j.1.0 in 0..2 @thread.x {
          alloc C.reg: f32[2, 4] @registers
          for i.1.1.init in 0..2 @unroll {
            for j.1.1.init in 0..4 @unroll {
              C.reg[i.1.1.init, j.1.1.init] = 0.0
            }
          }
          reduce k.0 in 0..(K + 7) / 8 {
            alloc A.shared: f32[8, 8] @order(1, 0) @pad(4) @shared
            copy A.shared[0 .. +8, 0 .. +8] <- A[i.0*8 .. +8, k.0*8 .. +8] @vector(4)
            alloc B.shared: f32[8, 8] @pad(4) @shared
            copy B.shared[0 .. +8, 0 .. +8] <- B[k.0*8 .. +8, j.0*8 .. +8] @vector(4)
            reduce k.1 in 0..8 {
              alloc A.reg: f32[2] @registers
              copy A.reg[0 .. +2] <- A.shared[i.1.0*2 .. +2, k.1]
              alloc B.reg: f32[4] @registers
              copy B.reg[0 .. +4] <- B.shared[k.1, j.1.0*4 .. +4] @vector(4)
              for i.1.1 in 0..2 @unroll {
                for j.1.1 in 0..4 @unroll {
                  C.reg[i.1.1, j.1.1] += A.reg[i.1.1] * B.reg[j.1.1]
                }
              }
            }
          }
          copy C[i.0*8 + i.1.0*2 .. +2, j.0*8 + j.1.0*4 .. +4] <- C.reg[0 .. +2, 0 .. +4]
        }
      }
    }
  }
})");
  expect_same_values(b.m.program.function(), s.function());
}

TEST(ScheduleMemory, ReturnsTilesThatStandForTensors) {
  Blocks b = blocks_of({});
  const Cache As = b.s.cache_shared(b.m.A, b.ko);
  const Tensor& tile = As;
  EXPECT_EQ(tile.name(), "A.shared");
  EXPECT_EQ(As.tensor.name(), "A.shared");
  EXPECT_EQ(b.s.tensor("A.shared").node(), tile.node());
  EXPECT_EQ(b.s.cache_registers(As, b.ki).tensor.name(), "A.reg");
  EXPECT_EQ(b.s.cache_registers(b.m.C, b.tx).tensor.name(), "C.reg");
}

TEST(ScheduleMemory, KnowsATileUnderItsNameAfterALayout) {
  // The tile that the handle was made for is another one by then.
  Blocks b = blocks_of({});
  const Cache As = b.s.cache_shared(b.m.A, b.ko);
  b.s.layout(As, Layout().pad(1));
  EXPECT_NE(b.s.tensor("A.shared").node(), As.tensor.node());
  b.s.layout(As, Layout().pad(4));
  EXPECT_EQ(b.s.tensor("A.shared").node()->layout.padding, 4);
  EXPECT_EQ(b.s.copy_loops(As).size(), 2u);
}

TEST(ScheduleMemory, SchedulesACopyInTheSameWords) {
  Blocks b = blocks_of({});
  Schedule& s = b.s;
  s.assume_aligned(b.m.A, 16);
  const Cache As = s.cache_shared(b.m.A, b.ko);
  const std::vector<Axis> copy = s.copy_loops(As);
  ASSERT_EQ(copy.size(), 2u);
  EXPECT_EQ(to_string(copy[1].extent()), "8");
  auto [vectors, lane] = s.split(copy[1], 4);
  s.vectorize(lane);
  auto [rounds, rows] = s.split(copy[0], 4);
  s.bind(rows, thread.y);
  s.bind(vectors, thread.x);
  s.unroll(rounds);
  expect_same_values(b.m.program.function(), s.function());
  EXPECT_EQ(s.axis("A.shared.1.1").node(), lane.node());
}

TEST(ScheduleMemory, WritesATileBackInParts) {
  Tensor X("X", f32, {64, 32}), Y("Y", f32, {64, 32});
  Axis i("i", 64), j("j", 32);
  const Program program("twice", Y(i, j) = X(i, j) * 2.0);
  Schedule s(program);
  auto [b, row] = s.split(i, 64);
  s.bind(b, block.x);
  auto [g, r] = s.split(row, 32);
  s.bind({g, r}, thread.x);
  const Cache tile = s.cache_shared(Y, b);
  s.write_back_at(tile, g);
  expect_same_values(program.function(), s.function());
  EXPECT_TRUE(llvm::StringRef(to_string(s.function()))
                  .contains("copy Y[i.0*64 + i.1.0*32 .. +32, 0 .. +32] <- "
                            "Y.shared[i.1.0*32 .. +32, 0 .. +32]"))
      << to_string(s.function());
}

TEST(ScheduleMemory, WritesATileBackInLoops) {
  Param N("N");
  Tensor X("X", f32, {N}), Y("Y", f32, {N});
  Axis i("i", N);
  const Program program("twice", Y(i) = X(i) * 2.0);
  Schedule s(program);
  auto [b, t] = s.split(i, 32);
  s.bind(b, block.x);
  const Cache tile = s.cache_shared(Y, b);
  s.bind(t, thread.x);
  const std::vector<Axis> copy = s.copy_loops(tile, Direction::write_back);
  ASSERT_EQ(copy.size(), 1u);
  s.bind(copy[0], thread.x);
  EXPECT_EQ(to_string(s.function()), R"(func twice[N](X: f32[N], Y: f32[N]) {
  for i.0 in 0..(N + 31) / 32 @block.x {
    alloc Y.shared: f32[32] @shared
    for i.1 in 0..32 @thread.x {
      if (i.0*32 + i.1 < N) {
        Y.shared[i.1] = X[i.0*32 + i.1] * 2.0
      }
    }
    for Y.shared.0 in 0..32 @thread.x {
      if (i.0*32 + Y.shared.0 < N) {
        Y[i.0*32 + Y.shared.0] = Y.shared[Y.shared.0]
      }
    }
  }
})");
  expect_same_values(program.function(), s.function());
}

TEST(ScheduleMemory, VectorizesAnElementwiseProgram) {
  Param N("N");
  Tensor X("X", f32, {N}), Y("Y", f32, {N});
  Axis i("i", N);
  const Program program("twice", Y(i) = X(i) * 2.0);
  Schedule s(program);
  s.assume(N % 4 == 0);
  auto [t, v] = s.split(i, 4);
  s.vectorize(v);
  EXPECT_EQ(to_string(s.function()), R"(func twice[N](X: f32[N], Y: f32[N]) where N % 4 == 0 {
  for i.0 in 0..N / 4 {
    for i.1 in 0..4 @vectorize {
      Y[i.0*4 + i.1] = X[i.0*4 + i.1] * 2.0
    }
  }
})");
}

TEST(ScheduleMemory, WritesIterationsOut) {
  Matmul m;
  Schedule s(m.program);
  auto [ko, ki] = s.split(m.k, 2, {.tail = Tail::pad});
  s.write_out(ki);
  EXPECT_EQ(to_string(s.function()),
            R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k.0 in 0..(K + 1) / 2 {
        C[i, j] += A[i, k.0*2] * B[k.0*2, j]
        C[i, j] += select(k.0*2 + 1 < K, A[i, k.0*2 + 1], 0.0) * select(k.0*2 + 1 < K, B[k.0*2 + 1, j], 0.0)
      }
    }
  }
})");
  expect_same_values(m.program.function(), s.function());
}

TEST(ScheduleMemory, SaysWhereACallWasRefused) {
  Blocks b = blocks_of({});
  const std::string before = fmt::format("{}", b.s);
  const int here = __LINE__ + 2;
  const std::string message =
      message_of<ScheduleError>([&] { b.s.cache_shared(b.m.A, b.ko, {.vectorize = 4}); });
  EXPECT_EQ(
      message,
      fmt::format("{}:{}: ", __FILE__, here) +
          R"(error: cache_shared: A cannot move 4 elements at a time: rows of A are K elements apart, which is not proved to be a multiple of 4
  for i.0 in 0..(M + 7) / 8 @block.y {
    for j.0 in 0..(N + 7) / 8 @block.x {
      for i.1.0 in 0..4 @thread.y {
        for j.1.0 in 0..2 @thread.x {
          reduce k.0 in 0..(K + 7) / 8 {  <-- here
            reduce k.1 in 0..8 {
              for i.1.1 in 0..2 {
note: assume(K % 4 == 0) promises it, and launches check it)");
  EXPECT_EQ(fmt::format("{}", b.s), before);
  EXPECT_EQ(refusal([&] { b.s.layout(b.m.A, Layout().pad(1)); }),
            R"(error: layout: A is an argument, whose layout is part of its declaration
note: a schedule lays out the tiles that it makes)");
  EXPECT_EQ(refusal([&] { b.s.copy_loops(b.m.A); }), "error: copy_loops: no copy fills A");
  EXPECT_EQ(refusal([&] { b.s.assume(b.m.M + 1); }), "error: assume: M + 1 is not a condition");
  EXPECT_EQ(refusal([&] { b.s.assume_aligned(b.m.A, 3); }),
            R"(error: assume_aligned: 3 bytes are no alignment of A, whose elements have 4 bytes
note: an access has 2, 4, 8 or 16 bytes)");
  EXPECT_EQ(refusal([&] { b.s.vectorize(b.ki); }),
            R"(error: vectorize: k.1 is a reduction axis: its iterations update the same elements
  for i.0 in 0..(M + 7) / 8 @block.y {
    for j.0 in 0..(N + 7) / 8 @block.x {
      for i.1.0 in 0..4 @thread.y {
        for j.1.0 in 0..2 @thread.x {
          reduce k.0 in 0..(K + 7) / 8 {
            reduce k.1 in 0..8 {     <-- here
              for i.1.1 in 0..2 {
                for j.1.1 in 0..4 {
note: cache what it reads in registers, and vectorize that copy)");
  EXPECT_EQ(refusal([&] { b.s.tensor("A.shared"); }),
            "error: tensor: matmul has no tensor A.shared");
}

/// Every step that makes or changes tiles, or promises something.
Schedule all_steps(const Matmul& m) {
  auto [matmul, s, tx, ko, ki] = blocks_of(m);
  s.assume(m.M >= 2);
  s.assume_aligned(m.A, 16);
  s.assume_aligned(m.B, 16);
  s.cache_registers(m.C, tx);
  const Cache As = s.cache_shared(m.A, ko, {.layout = Layout::column_major()});
  const Cache Bs = s.cache_shared(m.B, ko, {.vectorize = 4});
  s.layout(Bs, Layout().swizzle({.chunk = 4, .period = 2, .rows = 2}));
  s.layout(Bs, Layout::order({IndexDigit(0) / 4, IndexDigit(0) % 4, 1})
                   .swizzle({.chunk = 4, .period = 2, .rows = 2, .digit = 2, .by = 0}));
  const std::vector<Axis> copy = s.copy_loops(As);
  auto [vectors, lane] = s.split(copy[1], 4, {.tail = Tail::exact});
  s.vectorize(lane);
  s.copy_loops(s.tensor("C.reg"), Direction::write_back, {.names = {"row"}});
  auto [half, rest] = s.split(ki, 4, {.tail = Tail::pad});
  s.write_out(half);
  return s;
}

constexpr const char* all_text = R"(auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {8, 8});
auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {2, 4});
auto [k_0, k_1] = s.split(k, 8);
s.reorder({i_0, j_0, i_1_0, j_1_0, k_0, k_1, i_1_1, j_1_1});
s.bind(i_0, block.y);
s.bind(j_0, block.x);
s.bind(i_1_0, thread.y);
s.bind(j_1_0, thread.x);
s.assume(M >= 2);
s.assume_aligned(A, 16);
s.assume_aligned(B, 16);
s.cache_registers(C, j_1_0);
auto A_shared = s.cache_shared(A, k_0, {.layout = Layout::order({1, 0})});
auto B_shared = s.cache_shared(B, k_0, {.vectorize = 4});
s.layout(B_shared, Layout().swizzle({.chunk = 4, .period = 2, .rows = 2}));
s.layout(B_shared, Layout::order({IndexDigit(0) / 4, IndexDigit(0) % 4, 1}).swizzle({.chunk = 4, .period = 2, .rows = 2, .digit = 2, .by = 0}));
auto [A_shared_0, A_shared_1] = s.copy_loops(A_shared);
auto [A_shared_1_0, A_shared_1_1] = s.split(A_shared_1, 4, {.tail = Tail::exact});
s.vectorize(A_shared_1_1);
auto [row, C_reg_1] = s.copy_loops(s.tensor("C.reg"), Direction::write_back, {.names = {"row"}});
auto [k_1_0, k_1_1] = s.split(k_1, 4, {.tail = Tail::pad});
s.write_out(k_1_0);
)";

TEST(ScheduleMemory, PrintsAsTheCallsThatMadeIt) {
  const Matmul m;
  EXPECT_EQ(all_steps(m).trace_text(), all_text);
  expect_same_values(m.program.function(), all_steps(m).function());
}

TEST(ScheduleMemory, ReplaysInAnotherProgram) {
  const Matmul m, other;
  const Schedule s = all_steps(m);
  Schedule replayed(other.program);
  replayed.replay(s.trace());
  EXPECT_EQ(fmt::format("{}", replayed), fmt::format("{}", s));
  EXPECT_EQ(replayed.trace_text(), s.trace_text());
}

TEST(ScheduleMemory, ReplaysAllOfItOrNothing) {
  const Matmul m;
  const Schedule s = all_steps(m);
  Param M("M"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, 6}), C("C", f32, {M, 6});
  Axis i("i", M), j("j", 6);
  ReduceAxis k("k", K);
  Schedule other(Program("narrow", C(i, j) = sum(k, A(i, k) * B(k, j))));
  const std::string before = fmt::format("{}", other);
  EXPECT_EQ(refusal([&] { other.replay(s.trace()); }),
            "error: assume_aligned: rows of B are 6 elements apart, which is no multiple of 4");
  EXPECT_EQ(fmt::format("{}", other), before);
}

}  // namespace schedule_memory_test
}  // namespace hone
