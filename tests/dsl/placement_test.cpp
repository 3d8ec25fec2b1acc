#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/dsl/operands.h"

namespace hone {
namespace dsl_placement_test {

struct Softmax {
  Param M{"M"}, N{"N"};
  Tensor X{"X", f32, {M, N}}, top{"top", f32, {M}}, S{"S", f32, {M}}, Y{"Y", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", N};
  Program program{"softmax", top(i) = max(k, X(i, k)), S(i) = sum(k, exp(X(i, k) - top(i))),
                  Y(i, j) = exp(X(i, j) - top(i)) / S(i)};
};

struct Blur {
  Param N{"N"};
  Tensor X{"X", f32, {N + 4}}, T{"T", f32, {N + 2}}, Y{"Y", f32, {N}};
  Axis n{"n", N + 2}, i{"i", N};
  Program program{"blur", T(n) = X(n) + X(n + 1) + X(n + 2), Y(i) = T(i) + T(i + 1) + T(i + 2)};
};

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const ScheduleError& error) {
    return error.message() + "; " + error.note();
  }
  return "no refusal";
}

TEST(Placement, ComputesASoftmaxRowByRow) {
  const Softmax m;
  Schedule s(m.program);
  const Axis row = s.axis(m.Y, m.i);
  s.compute_at(m.S, row);
  const Tensor top = s.compute_at(m.top, row);
  EXPECT_EQ(top.name(), "top");
  EXPECT_EQ(top.node()->scope, Scope::registers);
  EXPECT_EQ(fmt::format("{}", s), R"(func softmax[M, N](X: f32[M, N], Y: f32[M, N]) {
  for i.Y in 0..M {
    alloc top: f32[] @registers
    top[] = -inf
    reduce k in 0..N {
      top[] max= X[i.Y, k]
    }
    alloc S: f32[] @registers
    S[] = 0.0
    reduce k.S in 0..N {
      S[] += exp(X[i.Y, k.S] - top[])
    }
    for j in 0..N {
      Y[i.Y, j] = exp(X[i.Y, j] - top[]) / S[]
    }
  }
})");
}

TEST(Placement, SaysWhatToPlaceFirst) {
  const Softmax m;
  Schedule s(m.program);
  EXPECT_EQ(refusal([&] { s.compute_at(m.top, s.axis("i.Y")); }),
            "top[i.S] is read here, outside of i.Y; none: top is read by the nests of S and Y; "
            "compute S there first");
}

TEST(Placement, HandlesStayValid) {
  const Blur b;
  Schedule s(b.program);
  auto [i_0, i_1] = s.split(b.i, 8);
  s.compute_at(b.T, i_0, {.scope = Scope::shared});
  s.bind(i_0, block.x);
  s.bind(i_1, thread.x);
  s.bind(s.axis(b.T, b.n), thread.x);
  s.layout(b.T, Layout().pad(2));
  s.cache_registers(b.T, i_1);
  EXPECT_EQ(fmt::format("{}", s), R"(func blur[N](X: f32[N + 4], Y: f32[N]) {
  for i.0 in 0..(N + 7) / 8 @block.x {
    alloc T: f32[10] @pad(2) @shared
    for n in 0..10 @thread.x {
      if (i.0*8 + n < N + 2) {
        T[n] = X[i.0*8 + n] + X[i.0*8 + n + 1] + X[i.0*8 + n + 2]
      }
    }
    for i.1 in 0..8 @thread.x {
      if (i.0*8 + i.1 < N) {
        alloc T.reg: f32[3] @registers
        copy T.reg[0 .. +3] <- T[i.1 .. +3]
        Y[i.0*8 + i.1] = T.reg[0] + T.reg[1] + T.reg[2]
      }
    }
  }
})");
}

TEST(Placement, TheTraceMakesTheSameProgram) {
  const Blur m;
  Schedule s(m.program);
  auto [i_0, i_1] = s.split(m.i, 8);
  s.compute_at(m.T, i_0, {.scope = Scope::shared});
  s.bind(m.n, thread.x);
  EXPECT_EQ(s.trace_text(), R"(auto [i_0, i_1] = s.split(i, 8);
s.compute_at(T, i_0, {.scope = Scope::shared});
s.bind(n, thread.x);
)");
  const Blur other;
  Schedule replayed(other.program);
  replayed.replay(s.trace());
  EXPECT_EQ(fmt::format("{}", replayed), fmt::format("{}", s));
  EXPECT_EQ(replayed.trace_text(), s.trace_text());
}

TEST(Placement, TheTraceLeavesOutWhatIsNotSaid) {
  const Softmax m;
  Schedule s(m.program);
  s.compute_at(m.S, s.axis("i.Y"));
  EXPECT_EQ(s.trace_text(), "s.compute_at(S, s.axis(\"i.Y\"));\n");
}

TEST(Placement, InlinesATensor) {
  const Blur m;
  Schedule s(m.program);
  s.inline_tensor(m.T);
  EXPECT_EQ(s.trace_text(), "s.inline_tensor(T);\n");
  EXPECT_EQ(fmt::format("{}", s), R"(func blur[N](X: f32[N + 4], Y: f32[N]) {
  for i in 0..N {
    Y[i] = X[i] + X[i + 1] + X[i + 2] + (X[i + 1] + X[i + 2] + X[i + 3]) + (X[i + 2] + X[i + 3] + X[i + 4])
  }
})");
}

TEST(Placement, FusesAnEpilogueAndSchedulesBothTogether) {
  const Matrices m;
  Tensor E("E", f32, {m.N}), D("D", f32, {m.M, m.N});
  const Program program("dense", m.C(m.i, m.j) = sum(m.k, m.A(m.i, m.k) * m.B(m.k, m.j)),
                        D(m.i, m.j) = max(m.C(m.i, m.j) + E(m.j), 0.0f));
  Schedule s(program);
  s.fuse_epilogue(D);
  EXPECT_EQ(s.trace_text(), "s.fuse_epilogue(D);\n");
  auto [i_0, j_0, i_1, j_1] = s.tile({m.i, m.j}, {2, 4});
  s.reorder({i_0, j_0, m.k, i_1, j_1});
  s.cache_registers(D, j_0);
  EXPECT_EQ(fmt::format("{}", s),
            R"(func dense[M, N, K](A: f32[M, K], B: f32[K, N], E: f32[N], D: f32[M, N]) {
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      alloc D.reg: f32[2, 4] @registers
      for i.1.init in 0..2 @unroll {
        for j.1.init in 0..4 @unroll {
          D.reg[i.1.init, j.1.init] = 0.0
        }
      }
      reduce k in 0..K {
        for i.1 in 0..2 @unroll {
          for j.1 in 0..4 @unroll {
            if (i.0*2 + i.1 < M) {
              if (j.0*4 + j.1 < N) {
                D.reg[i.1, j.1] += A[i.0*2 + i.1, k] * B[k, j.0*4 + j.1]
              }
            }
          }
        }
      }
      for i.1.post in 0..2 @unroll {
        for j.1.post in 0..4 @unroll {
          if (j.0*4 + j.1.post < N) {
            D.reg[i.1.post, j.1.post] = max(D.reg[i.1.post, j.1.post] + E[j.0*4 + j.1.post], 0.0)
          }
        }
      }
      copy D[i.0*2 .. +2, j.0*4 .. +4] <- D.reg[0 .. +2, 0 .. +4]
    }
  }
})");
  Schedule replayed(program);
  replayed.replay(s.trace());
  EXPECT_EQ(fmt::format("{}", replayed), fmt::format("{}", s));
}

}  // namespace dsl_placement_test
}  // namespace hone
