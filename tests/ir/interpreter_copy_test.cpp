#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace interpreter_copy_test {

/// The contents of C, a 3 x 4 matrix of -1, after a copy from A, which counts from 1:
///
///   1  2  3  4
///   5  6  7  8
///   9 10 11 12
Values copy(const std::string& copy) {
  return run(
      "func f(A: f32[3, 4], C: f32[3, 4]) { for o in 0..5 { if (o == 2) { " + copy + " } } }",
      {{"A", counting(f32, {3, 4})}, {"C", buffer_of(f32, {3, 4}, Values(12, -1))}});
}

TEST(InterpreterCopy, MovesARectangle) {
  EXPECT_EQ(copy("copy C[0 .. +2, 1 .. +2] <- A[1 .. +2, 2 .. +2]"), (Values{-1, 7, 8, -1,    //
                                                                             -1, 11, 12, -1,  //
                                                                             -1, -1, -1, -1}));
}

TEST(InterpreterCopy, TakesItsOffsetsFromTheAxes) {
  EXPECT_EQ(copy("copy C[o .. +1, o .. +2] <- A[o - 1 .. +1, o*2 - 4 .. +2]"),
            (Values{-1, -1, -1, -1,  //
                    -1, -1, -1, -1,  //
                    -1, -1, 5, 6}));
}

TEST(InterpreterCopy, WritesNothingBeforeTheDestination) {
  EXPECT_EQ(copy("copy C[o - 3 .. +2, o - 4 .. +3] <- A[0 .. +2, 0 .. +3]"),
            (Values{7, -1, -1, -1,   //
                    -1, -1, -1, -1,  //
                    -1, -1, -1, -1}));
}

TEST(InterpreterCopy, WritesNothingAfterTheDestination) {
  EXPECT_EQ(copy("copy C[2 .. +2, 3 .. +3] <- A[0 .. +2, 0 .. +3]"), (Values{-1, -1, -1, -1,  //
                                                                             -1, -1, -1, -1,  //
                                                                             -1, -1, -1, 1}));
}

TEST(InterpreterCopy, ReadsZeroBeforeTheSource) {
  EXPECT_EQ(copy("copy C[0 .. +2, 0 .. +3] <- A[o - 3 .. +2, o - 4 .. +3]"),
            (Values{0, 0, 0, -1,  //
                    0, 0, 1, -1,  //
                    -1, -1, -1, -1}));
}

TEST(InterpreterCopy, ReadsZeroAfterTheSource) {
  EXPECT_EQ(copy("copy C[0 .. +2, 0 .. +3] <- A[2 .. +2, 2 .. +3]"), (Values{11, 12, 0, -1,  //
                                                                             0, 0, 0, -1,    //
                                                                             -1, -1, -1, -1}));
}

TEST(InterpreterCopy, ClipsBothSidesAtOnce) {
  EXPECT_EQ(copy("copy C[o - 3 .. +9, 0 .. +4] <- A[o - 4 .. +9, 1 .. +4]"), (Values{0, 0, 0, 0,  //
                                                                                     2, 3, 4, 0,  //
                                                                                     6, 7, 8, 0}));
}

TEST(InterpreterCopy, DoesNothingFarOutsideTheDestination) {
  EXPECT_EQ(copy("copy C[100 .. +2, 0 .. +2] <- A[0 .. +2, 0 .. +2]"), Values(12, -1));
  EXPECT_EQ(copy("copy C[o - 100 .. +2, 0 .. +2] <- A[0 .. +2, 0 .. +2]"), Values(12, -1));
  EXPECT_EQ(copy("copy C[0 .. +0, 0 .. +2] <- A[0 .. +0, 0 .. +2]"), Values(12, -1));
}

TEST(InterpreterCopy, ReadsZeroFarOutsideTheSource) {
  const Values expected = {0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  EXPECT_EQ(copy("copy C[0 .. +1, 0 .. +2] <- A[100 .. +1, 0 .. +2]"), expected);
  EXPECT_EQ(copy("copy C[0 .. +1, 0 .. +2] <- A[0 .. +1, o - 100 .. +2]"), expected);
}

TEST(InterpreterCopy, TakesTheLargestOffsetsAndExtents) {
  constexpr const char* largest = "9223372036854775807";
  EXPECT_EQ(copy(fmt::format("copy C[0 .. +{0}, {0}] <- A[{0}, 0 .. +{0}]", largest)),
            Values(12, -1));
  EXPECT_EQ(copy(fmt::format("copy C[0 .. +{0}, 1] <- A[1, 1 .. +{0}]", largest)),
            (Values{-1, 6, -1, -1,  //
                    -1, 7, -1, -1,  //
                    -1, 8, -1, -1}));
  EXPECT_EQ(copy(fmt::format("copy C[0 .. +{0}, 0] <- A[0, o - {0} .. +{0}]", largest)),
            (Values{0, -1, -1, -1,  //
                    0, -1, -1, -1,  //
                    0, -1, -1, -1}));
}

TEST(InterpreterCopy, LeavesPointsOutOfTheRegion) {
  EXPECT_EQ(copy("copy C[0 .. +3, 1] <- A[o, 0 .. +3]"), (Values{-1, 9, -1, -1,   //
                                                                 -1, 10, -1, -1,  //
                                                                 -1, 11, -1, -1}));
  EXPECT_EQ(copy("copy C[1, 2] <- A[2, 3]")[6], 12);
}

TEST(InterpreterCopy, ClipsPointsToo) {
  EXPECT_EQ(copy("copy C[3, 0 .. +4] <- A[0, 0 .. +4]"), Values(12, -1));
  EXPECT_EQ(copy("copy C[0, 0 .. +2] <- A[o - 3, 0 .. +2]"),
            (Values{0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
}

TEST(InterpreterCopy, FollowsTheLayoutsOfBothSides) {
  EXPECT_EQ(run(R"(func f(A: f32[2, 3], C: f32[2, 3] @order(1, 0)) {
                     copy C[0 .. +2, 0 .. +3] <- A[0 .. +2, 0 .. +3]
                   })",
                {{"A", counting(f32, {2, 3})}, {"C", Buffer(f32, {2, 3})}}),
            (Values{1, 4, 2, 5, 3, 6}));
}

TEST(InterpreterCopy, RefusesExtentsThatDiffer) {
  EXPECT_EQ(interpret_error(R"(func f[M, N](A: f32[M], C: f32[N]) {
                                 copy C[0 .. +N] <- A[0 .. +M]
                               })",
                            {{"A", Buffer(f32, {3})}, {"C", Buffer(f32, {4})}}),
            "copy C[0 .. +N] <- A[0 .. +M]: extent 0 is 4 on the left and 3 on the right");
}

TEST(InterpreterCopy, RefusesANegativeExtent) {
  EXPECT_EQ(interpret_error(R"(func f[N](A: f32[N], C: f32[N]) {
                                 copy C[0 .. +(N - 4)] <- A[0 .. +(N - 4)]
                               })",
                            {{"A", Buffer(f32, {3})}, {"C", Buffer(f32, {3})}}),
            "copy C[0 .. +(N - 4)] <- A[0 .. +(N - 4)]: extent 0 is -1");
}

}  // namespace interpreter_copy_test
}  // namespace hone
