// Handles that have not been given a value are refused wherever they are handed in.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace undefined_test {

std::string refusal(const std::function<void()>& action) {
  return message_of<DefinitionError>(action);
}

const Expr none;
const std::string advice = "; give the Expr a value first";

TEST(Undefined, OperandsOfExpressions) {
  const Expr one(1.0), flag(true);
  EXPECT_EQ(refusal([&] { none + one; }), "sum of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { one* none; }), "product of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { none < none; }), "comparison of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { -none; }), "negation of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { !none; }), "logical operation of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { select(none, one, one); }), "select of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { select(flag, one, none); }),
            "select of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { cast(f32, none); }), "cast of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { exp(none); }), "exp of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { fma(one, one, none); }), "fma of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { pair(none, 1); }), "tuple of an undefined expression" + advice);
  EXPECT_EQ(refusal([&] { first(none); }), "first of an undefined expression" + advice);
}

TEST(Undefined, ExtentsIndicesAndPitches) {
  const Tensor A("A", f32, {4});
  EXPECT_EQ(refusal([] { Axis("i", none); }), "an extent of i is undefined" + advice);
  EXPECT_EQ(refusal([] { Tensor("B", f32, {4, none}); }), "an extent of B is undefined" + advice);
  EXPECT_EQ(refusal([&] { A(none); }), "an index of A is undefined" + advice);
  EXPECT_EQ(refusal([] { Layout().pitch(none); }), "the pitch of a layout is undefined" + advice);
  EXPECT_EQ(refusal([] { Axis(AxisPtr(), 4); }), "an axis is made of a null pointer");
  EXPECT_EQ(refusal([] { Tensor(TensorPtr(nullptr)); }), "a tensor is made of a null pointer");
}

TEST(Undefined, Reductions) {
  const ReduceAxis k("k", 4);
  const auto nothing = [](const auto&...) { return Expr(); };
  EXPECT_EQ(refusal([&] { sum(k, none); }), "the value of a reduction is undefined" + advice);
  EXPECT_EQ(refusal([&] { any(k, none); }), "the value of a reduction is undefined" + advice);
  EXPECT_EQ(refusal([&] { argmax(k, none); }), "the value of a reduction is undefined" + advice);
  EXPECT_EQ(refusal([&] { reduce({k}, none, 1.0, nothing); }),
            "the identity of a reduction is undefined" + advice);
  EXPECT_EQ(refusal([&] { reduce({k}, 0.0, 1.0, nullptr); }),
            "the operator of a reduction is an empty function");
  EXPECT_EQ(refusal([&] { reduce({k}, 0.0, 1.0, nothing, {.associative = true}); }),
            "the operator of a reduction is undefined" + advice);
  EXPECT_EQ(refusal([&] { sum(k, 1.0).then(nullptr); }),
            "the epilogue of a reduction is an empty function");
}

TEST(Undefined, Definitions) {
  const Tensor A("A", f32, {4});
  const Axis i("i", 4);
  EXPECT_EQ(refusal([&] { A(i) = none; }), "the value of A is undefined" + advice);
  EXPECT_EQ(refusal([&] { A(i) = Reduction(); }), "the reduction into A has no value");
  EXPECT_EQ(refusal([] { Program("f", Definition()); }),
            "a definition defines nothing; write it as C(i, j) = ...");
  EXPECT_EQ(refusal([&] {
              Program("f", Definition{A.node(), {i}, {i}, none, {}});
            }),
            "the definition of A has no value");
  const Definition unfinished = A(i) =
      sum(ReduceAxis("k", 4), 1.0).then([](const Expr&) { return Expr(); });
  EXPECT_EQ(refusal([&] { Program("f", unfinished); }),
            "the epilogue of a reduction is undefined" + advice);
}

/// A step as a user may put one together.
Step step(const char* primitive, llvm::ArrayRef<AxisPtr> axes = {}) {
  Step result(find_primitive(primitive));
  result.axes.assign(axes.begin(), axes.end());
  return result;
}

TEST(Undefined, StepsOfASchedule) {
  const Tensor A("A", f32, {4}), B("B", f32, {4});
  const Axis i("i", 4);
  Schedule s(Program("f", B(i) = A(i)));
  const std::string before = to_string(s.function());
  const auto refused = [&](const std::function<void()>& action) {
    try {
      action();
    } catch (const ScheduleError& error) {
      return error.primitive() + ": " + error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused([&] { s.split(i, none); }), "split: the factor is undefined" + advice);
  EXPECT_EQ(refused([&] { s.split_into(i, none); }),
            "split_into: the number of parts is undefined" + advice);
  EXPECT_EQ(refused([&] { s.tile({i}, {none}); }), "tile: the factor is undefined" + advice);
  EXPECT_EQ(refused([&] { s.assume(none); }), "assume: the condition is undefined" + advice);
  EXPECT_EQ(refused([&] { s.apply(step("fuse")); }),
            "fuse: a step with 0 axes and 0 factors, and it takes 2 and 0");
  EXPECT_EQ(refused([&] { s.apply(step("fold")); }), "fold: there is no primitive of that name");
  EXPECT_EQ(refused([&] { s.apply(step("unroll", {AxisPtr()})); }),
            "unroll: an axis is a null pointer");
  for (const char* primitive :
       {"layout", "swizzle", "inline_tensor", "fuse_epilogue", "copy_loops"})
    EXPECT_EQ(refused([&] { s.apply(step(primitive)); }),
              std::string(primitive) + ": the tensor is a null pointer");
  for (const char* primitive :
       {"cache_shared", "cache_registers", "compute_at", "rfactor", "write_back_at"})
    EXPECT_EQ(refused([&] { s.apply(step(primitive, {i.node()})); }),
              std::string(primitive) + ": the tensor is a null pointer");
  EXPECT_EQ(to_string(s.function()), before);
}

}  // namespace undefined_test
}  // namespace hone
