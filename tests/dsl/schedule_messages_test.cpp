// Handles that are another program's, or that steps have used up, and other slips.
#include <csignal>

#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace schedule_messages_test {

Program matmul(const Matrices& m) {
  return Program("matmul", m.C(m.i, m.j) = sum(m.k, m.A(m.i, m.k) * m.B(m.k, m.j)));
}

/// Without the place in this file, and without the loops.
std::string refusal(const std::function<void()>& action) {
  const std::string whole = message_of<ScheduleError>(action);
  const llvm::StringRef text = llvm::StringRef(whole).split("error: ").second;
  const auto [first, rest] = text.split('\n');
  const size_t note = rest.rfind("note: ");
  return first.str() + (note == llvm::StringRef::npos ? "" : "\n" + rest.substr(note).str());
}

TEST(Handles, AnAxisOfAnotherProgramIsNamedAsSuch) {
  const Matrices mine, other;
  Schedule s(matmul(mine));
  EXPECT_EQ(refusal([&] { s.split(other.i, 4); }),
            "split: i is an axis of another program, and matmul has an axis i of its own\n"
            "note: s.axis(\"i\") is that one");
  s.split(mine.i, 4);
  EXPECT_EQ(refusal([&] { s.split(other.i, 4); }),
            "split: i is an axis of another program, and matmul has an axis i of its own");
  EXPECT_EQ(refusal([&] { s.split(Axis("z", 4), 4); }),
            "split: matmul has no axis z\nnote: its axes are i.0, i.1, j and k");
}

TEST(Handles, ATensorOfAnotherProgramIsNamedAsSuch) {
  const Matrices mine, other;
  Schedule s(matmul(mine));
  EXPECT_EQ(refusal([&] { s.cache_registers(other.C, mine.j); }),
            "cache_registers: C is a tensor of another program, and matmul has a tensor C of its "
            "own\nnote: s.tensor(\"C\") is that one");
  EXPECT_EQ(refusal([&] { s.assume_aligned(Tensor("X", f32, {8}), 16); }),
            "assume_aligned: X is no tensor of matmul");
}

TEST(Handles, TensorsThatStepsReplaceAreStillTheProgramsOwn) {
  const Matrices m;
  Schedule s(matmul(m));
  auto [ko, ki] = s.split(m.k, 8);
  auto [io, ii] = s.split(m.i, 8);
  s.reorder({io, m.j, ko, ii, ki});
  const Cache tile = s.cache_shared(m.A, ko);
  s.layout(tile, Layout().pad(1));
  s.layout(tile, Layout().pad(4));
  EXPECT_NE(to_string(s.function()).find("A.shared: f32[8, 8] @pad(4) @shared"), std::string::npos);
}

TEST(Handles, AnAxisSaysWhatItHasBecome) {
  Vectors v;
  Tensor Y("Y", f32, {v.N});
  Schedule s(Program("f", v.C(v.i) = v.A(v.i), Y(v.i) = v.B(v.i)));
  s.split(s.axis(Y, v.i), 4);
  EXPECT_EQ(refusal([&] { s.axis(Y, v.i); }),
            "axis: i has become i.Y.0 and i.Y.1 in the nest of Y\n"
            "note: s.axis(\"i.Y.0\") is the first of them");
}

TEST(Handles, AnAxisIsFoundInANestThatComputesTiles) {
  const Matrices m;
  Schedule s(matmul(m));
  s.cache_registers(m.C, m.j);
  EXPECT_EQ(s.axis(m.C, m.k).name(), "k");
  EXPECT_EQ(s.axis(m.C, m.i).name(), "i");
  s.split(m.k, 8);
  EXPECT_EQ(refusal([&] { s.axis(m.C, m.k); }),
            "axis: k has become k.0 and k.1 in the nest of C\n"
            "note: s.axis(\"k.0\") is the first of them");
}

TEST(Fuse, SaysThatTheOuterAxisComesFirst) {
  const Matrices m;
  Schedule s(matmul(m));
  EXPECT_EQ(refusal([&] { s.fuse(m.j, m.i); }),
            "fuse: j stands inside i\nnote: the outer axis comes first: fuse(i, j)");
}

TEST(Unroll, MayBeAskedForWhereRegistersDidItAlready) {
  const Matrices m;
  Schedule s(matmul(m));
  auto [jo, ji] = s.split(m.j, 4, {.tail = Tail::pad});
  s.reorder({m.i, jo, m.k, ji});
  s.cache_registers(m.C, jo);
  const std::string before = to_string(s.function());
  s.unroll(ji);
  EXPECT_EQ(to_string(s.function()), before);
  EXPECT_EQ(refusal([&, ji = ji] { s.unroll(ji, 2); }),
            "unroll: j.1 is unrolled in full, since it indexes C.reg, which lives in registers\n"
            "note: registers have no addresses; split the axis first to unroll a part of it");
}

TEST(CacheShared, RefusesTilesThatAreTooManyTogether) {
  const Expr n = 512;
  Tensor A("A", f32, {n, n}), B("B", f32, {n, n}), C("C", f32, {n, n});
  Axis i("i", n), j("j", n);
  ReduceAxis k("k", n);
  Schedule s(Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))));
  auto [io, ii] = s.split(i, 128);
  auto [jo, ji] = s.split(j, 128);
  auto [ko, ki] = s.split(k, 256);
  s.reorder({io, jo, ko, ii, ji, ki});
  s.cache_shared(A, ko);
  EXPECT_EQ(refusal([&, ko = ko] { s.cache_shared(B, ko); }),
            "cache_shared: A.shared and B.shared take 262144 bytes of shared memory together, and "
            "no architecture gives a block more than 232448\n"
            "note: cache under an inner axis, or split into smaller tiles");
}

TEST(CacheShared, TilesThatFollowEachOtherShareTheirRoom) {
  const Expr n = 512;
  Tensor A("A", f32, {n}), B("B", f32, {n}), C("C", f32, {n}), D("D", f32, {n});
  Axis i("i", n);
  Schedule s(Program("two", C(i) = A(i), D(i) = B(i)));
  s.cache_shared(A, s.axis(C, i));
  s.cache_shared(B, s.axis(D, i));
}

TEST(Vectorize, RecommendsNoPromiseThatWasGiven) {
  Param N("N");
  Tensor A("A", f32, {N}), C("C", f32, {N});
  Axis i("i", N);
  Schedule s(Program("f", C(i) = select(i < N - 1, A(i), 0.0)));
  s.assume(N % 4 == 0);
  auto [o, v] = s.split(i, 4);
  EXPECT_EQ(refusal([&, v = v] { s.vectorize(v); }),
            "vectorize: A[i.0*4 + i.1] would be predicated: i.0*4 + i.1 < N - 1 is not the same in "
            "all 4 iterations of i.1");
}

TEST(Handles, AnAxisOfTheExtent0HasNoLoop) {
  Param N("N");
  Tensor A("A", f32, {N, 0}), C("C", f32, {N});
  Axis i("i", N);
  ReduceAxis k("k", 0);
  Schedule s(Program("empty", C(i) = sum(k, A(i, k))));
  for (const auto& action : {std::function<void()>([&] { s.split(k, 4); }),
                             std::function<void()>([&] { s.split(k, 4, {.tail = Tail::peel}); })})
    EXPECT_EQ(refusal(action),
              "split: k has the extent 0, so that there is no loop of it\n"
              "note: the extent of a Param may be 0 at launch, and its loop can be scheduled");
  EXPECT_EQ(refusal([&] {
              s.reorder({k, i});
            }),
            "reorder: k has the extent 0, so that there is no loop of it\n"
            "note: the extent of a Param may be 0 at launch, and its loop can be scheduled");
  EXPECT_EQ(refusal([&] { s.cache_registers(A, k); }),
            "cache_registers: k has the extent 0, so that there is no loop of it\n"
            "note: the extent of a Param may be 0 at launch, and its loop can be scheduled");
  auto [io, ii] = s.split(i, 4);
  s.bind(io, block.x);
  EXPECT_EQ(to_string(s.function()), R"(func empty[N](A: f32[N, 0], C: f32[N]) {
  for i.0 in 0..(N + 3) / 4 @block.x {
    for i.1 in 0..4 {
      if (i.0*4 + i.1 < N) {
        C[i.0*4 + i.1] = 0.0
      }
    }
  }
})");
}

// ---- Errors that nobody catches
// -------------------------------------------------------------------

void run_without_catch(const std::function<void()>& action) noexcept { action(); }

TEST(UncaughtErrors, EndTheProcessAsRefusalsDo) {
  EXPECT_EXIT(run_without_catch([] { Param("inf"); }), testing::ExitedWithCode(1),
              "^tests/dsl/schedule_messages_test.cpp:[0-9]+: error: 'inf' is no name for a param: "
              "it is a constant\n$");
  const auto step = [] {
    const Vectors v;
    Schedule(Program("add", v.C(v.i) = v.A(v.i))).split(v.i, 0);
  };
  EXPECT_EXIT(run_without_catch(step), testing::ExitedWithCode(1),
              "^tests/dsl/schedule_messages_test.cpp:[0-9]+: error: split: the factor must be "
              "positive, got 0\n");
}

TEST(UncaughtErrors, OfOthersAreLeftToThem) {
  EXPECT_EXIT(run_without_catch([] { throw std::runtime_error("mine"); }),
              testing::KilledBySignal(SIGABRT), "mine");
}

}  // namespace schedule_messages_test
}  // namespace hone
