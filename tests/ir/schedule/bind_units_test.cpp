// Axes as digits of the number of a thread: lanes, warps, warpgroups.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace bind_units_test {

Rewriting binds(std::initializer_list<llvm::StringRef> names, Binding unit) {
  const std::vector<std::string> owned(names.begin(), names.end());
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 4> found;
    for (const std::string& name : owned) found.push_back(axis(f, name));
    return bind(f, found, unit).function;
  };
}

TEST(BindUnits, OfSeveralAxesTheSlowestComesFirst) {
  expect_rewrite(R"(func f(C: f32[4, 8]) {
                      for y in 0..4 { for x in 0..8 { C[y, x] = 1.0 } } })",
                 binds({"y", "x"}, lane), R"(func f(C: f32[4, 8]) {
  for y in 0..4 @lane(8) {
    for x in 0..8 @lane {
      C[y, x] = 1.0
    }
  }
})");
}

TEST(BindUnits, TheOrderOfDigitsIsNotThatOfLoops) {
  expect_rewrite(R"(func f(C: f32[4, 8]) {
                      for y in 0..4 { for x in 0..8 { C[y, x] = 1.0 } } })",
                 binds({"x", "y"}, lane), R"(func f(C: f32[4, 8]) {
  for y in 0..4 @lane {
    for x in 0..8 @lane(4) {
      C[y, x] = 1.0
    }
  }
})");
}

TEST(BindUnits, WarpsAroundALoopAroundLanes) {
  expect_rewrite(R"(func f(A: f32[2, 3, 32], C: f32[2, 32]) {
                      for w in 0..2 { reduce k in 0..3 { for l in 0..32 {
                        C[w, l] += A[w, k, l] } } } })",
                 [](const Function& f) { return bound(bound(f, "w", warp), "l", lane); },
                 R"(func f(A: f32[2, 3, 32], C: f32[2, 32]) {
  for w in 0..2 @warp {
    reduce k in 0..3 {
      for l in 0..32 @lane {
        C[w, l] += A[w, k, l]
      }
    }
  }
})");
}

TEST(BindUnits, DigitsOfADimension) {
  expect_rewrite(R"(func f(C: f32[3, 5]) {
                      for y in 0..3 { for x in 0..5 { C[y, x] = 1.0 } } })",
                 binds({"y", "x"}, thread_y), R"(func f(C: f32[3, 5]) {
  for y in 0..3 @thread.y(5) {
    for x in 0..5 @thread.y(1) {
      C[y, x] = 1.0
    }
  }
})");
}

TEST(BindUnits, AReductionOverLanes) {
  Binding lanes = lane;
  lanes.combine = {Combine::shuffle};
  expect_rewrite(R"(func f(A: f32[4, 8], C: f32[4]) {
                      for y in 0..4 { reduce x in 0..8 { C[y] += A[y, x] } } })",
                 binds({"y", "x"}, lanes), R"(func f(A: f32[4, 8], C: f32[4]) {
  for y in 0..4 @lane(8) {
    reduce x in 0..8 @lane combine(shuffle) {
      C[y] += A[y, x]
    }
  }
})");
}

/// Each thread of (w, y) has two neighbours of every eight of its warp's.
TEST(BindUnits, RegistersOfWhichThreadsHaveTheirDigits) {
  expect_rewrite(R"(func f(A: f32[8, 64], C: f32[8, 64]) {
                      for i in 0..8 @block.x {
                        for w in 0..2 @warp { for o in 0..4 { for y in 0..4 @lane {
                          for v in 0..2 {
                            C[i, w*32 + o*8 + y*2 + v] = A[i, w*32 + o*8 + y*2 + v] } } } } } })",
                 [](const Function& f) { return in_registers(f, "A", "i"); },
                 R"(func f(A: f32[8, 64], C: f32[8, 64]) {
  for i in 0..8 @block.x {
    alloc A.reg: f32[64] @registers
    copy A.reg[0 .. +64] <- A[i, 0 .. +64]
    for w in 0..2 @warp {
      for o in 0..4 @unroll {
        for y in 0..4 @lane {
          for v in 0..2 @unroll {
            C[i, w*32 + o*8 + y*2 + v] = A.reg[w*32 + o*8 + y*2 + v]
          }
        }
      }
    }
  }
})");
}

// ---- Refusals -----------------------------------------------------------------------------------

TEST(BindUnitRefusals, OfMoreLanesThanAWarpHas) {
  expect_refusal(
      "func f(C: f32[8, 8]) { for y in 0..8 { for x in 0..8 { C[y, x] = 1.0 } } }",
      binds({"y", "x"}, lane),
      R"(error: bind: y has 8 iterations above 8 of faster digits, and a warp has 32 lanes
  for y in 0..8 {                    <-- here
    for x in 0..8 @lane {
      C[y, x] = 1.0
note: split it, and bind the rest to warps)");
}

TEST(BindUnitRefusals, OfSizesKnownAtLaunchOnly) {
  expect_refusal(
      "func f[N](C: f32[N]) { for i in 0..N { C[i] = 1.0 } }", binds({"i"}, warp),
      R"(error: bind: i has the extent N, which is known at launch only, and a digit of the number of a thread has a constant number of values
  for i in 0..N {                    <-- here
    C[i] = 1.0
note: split off a constant number of iterations)");
}

TEST(BindUnitRefusals, OfLanesThatAreTakenInTheNest) {
  expect_refusal(
      "func f(C: f32[4, 8]) { for y in 0..4 @lane(8) { for x in 0..8 { C[y, x] = 1.0 } } }",
      [](const Function& f) { return bound(f, "x", thread_x); },
      R"(error: bind: y is bound to lane(8) already, and x is in the same nest
  for y in 0..4 @lane(8) {           <-- here
    for x in 0..8 {
      C[y, x] = 1.0
note: digits share thread.x: bind x to lane, warp or warpgroup, too)");
}

TEST(BindUnitRefusals, OfLanesBesideThreadsOfAnotherDimension) {
  expect_refusal(
      "func f(C: f32[4, 8]) { for y in 0..4 @thread.y { for x in 0..8 { C[y, x] = 1.0 } } }",
      binds({"x"}, lane),
      R"(error: bind: y is bound to thread.y, and lanes and warps are digits of the numbers of thread.x alone
  for y in 0..4 @thread.y {
    for x in 0..8 {                  <-- here
      C[y, x] = 1.0
note: bind several axes to one unit: s.bind({y, x}, lane))");
}

TEST(BindUnitRefusals, OfDigitsThatDoNotNest) {
  expect_refusal(
      R"(func f(C: f32[2, 5], D: f32[2, 8]) {
                      for b in 0..2 @block.x {
                        for x in 0..5 @lane { C[b, x] = 1.0 }
                        for y in 0..8 { D[b, y] = 1.0 }
                      } })",
      binds({"y"}, lane),
      R"(error: bind: loops of one kernel go over digits of 5 and of 8 threads, which do not divide each other
  for b in 0..2 @block.x {
    for y in 0..8 {                  <-- here
      D[b, y] = 1.0
note: digits of one number nest: split by factors that divide)");
}

TEST(BindUnitRefusals, OfLanesThatDoNotDivideAWarpOfSeveral) {
  expect_refusal(
      R"(func f(C: f32[2, 40], D: f32[2, 5]) {
                      for b in 0..2 @block.x {
                        for x in 0..40 @thread.x { C[b, x] = 1.0 }
                        for y in 0..5 { D[b, y] = 1.0 }
                      } })",
      binds({"y"}, lane),
      R"(error: bind: loops of one kernel go over digits of 5 and of 32 threads, which do not divide each other
  for b in 0..2 @block.x {
    for y in 0..5 {                  <-- here
      D[b, y] = 1.0
note: digits of one number nest: split by factors that divide)");
}

TEST(BindUnitRefusals, OfThreadsThatAreNoMultiple) {
  expect_refusal(
      R"(func f(C: f32[2, 40], D: f32[2, 32]) {
                      for b in 0..2 @block.x {
                        for x in 0..40 @thread.x { C[b, x] = 1.0 }
                        for y in 0..32 { D[b, y] = 1.0 }
                      } })",
      binds({"y"}, lane),
      R"(error: bind: a block would have 40 threads in thread.x, and other loops go over digits of 32 of them
  for b in 0..2 @block.x {
    for y in 0..32 {                 <-- here
      D[b, y] = 1.0
note: 40 is no multiple of 32)");
}

TEST(BindUnitRefusals, OfSeveralAxesForBlocks) {
  expect_refusal("func f(C: f32[4, 8]) { for y in 0..4 { for x in 0..8 { C[y, x] = 1.0 } } }",
                 binds({"y", "x"}, block_x), R"(error: bind: 2 axes would be bound to block.x
note: several axes are digits of the number of a thread: lane, warp, warpgroup or thread.x; fuse makes one axis of several)");
}

/// Another nest of the kernel has more lanes, which would not come to the exchange.
TEST(BindUnitRefusals, OfLanesThatNoLoopBringsToAnExchange) {
  Binding lanes = lane;
  lanes.combine = {Combine::shuffle};
  expect_refusal(
      R"(func f(A: f32[3, 2], C: f32[3], D: f32[3, 6]) {
                      for b in 0..3 @block.x {
                        for z in 0..6 @lane { D[b, z] = 1.0 }
                        reduce k in 0..2 { C[b] += A[b, k] }
                      } })",
      binds({"k"}, lanes),
      R"(error: bind: combine(shuffle) exchanges values within warps, and loops go over 2 of the lanes of each
  for b in 0..3 @block.x {
    reduce k in 0..2 {               <-- here
      C[b] += A[b, k]
note: bind all lanes of whole warps in the nest, or combine by a tree)");
}

TEST(BindUnitRefusals, OfLanesThatHaveNoPartners) {
  Binding lanes = lane;
  lanes.combine = {Combine::shuffle};
  expect_refusal(
      "func f(A: f32[3], C: f32[]) { reduce x in 0..3 { C[] += A[x] } }", binds({"x"}, lanes),
      R"(error: bind: combine(shuffle) exchanges values between halves of lanes, and x has 3 of lane
  reduce x in 0..3 {                 <-- here
    C[] += A[x]
note: bind all lanes of whole warps in the nest, or combine by a tree)");
  expect_refusal(
      R"(func f(A: f32[3, 4, 8], C: f32[3, 4], D: f32[3, 32]) {
                      for b in 0..3 @block.x {
                        for z in 0..32 @lane { D[b, z] = 1.0 }
                        for y in 0..3 @lane(8, 4) { reduce x in 0..8 { C[b, y] += A[b, y, x] } }
                      } })",
      binds({"x"}, lanes),
      R"(error: bind: combine(shuffle) exchanges values within warps, and y leaves lanes idle
  for b in 0..3 @block.x {
    for y in 0..3 @lane(8, 4) {
      reduce x in 0..8 {             <-- here
        C[b, y] += A[b, y, x]
note: bind all lanes of whole warps in the nest, or combine by a tree)");
}

}  // namespace bind_units_test
}  // namespace hone
