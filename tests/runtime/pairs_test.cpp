// Kernels over pairs of numbers, on every device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "runtime/compile.h"
#include "runtime/io/npy.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/ir/run.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace pairs_test {

using IndexedFloat = std::pair<float, int32_t>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Best {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", f32_i32, {}};
  ReduceAxis k{"k", N};
  Program program{"best", S() = argmax(k, A(k))};

  Schedule by_threads(const CombineLevels& combine) const {
    Schedule s(program);
    auto [turn, lane] = s.split(k, 64);
    s.reorder({lane, turn});
    s.bind(lane, thread.x, combine);
    return s;
  }
};

IndexedFloat largest(const Kernel& kernel, const std::vector<float>& values) {
  const Array<float> a(values, {static_cast<int64_t>(values.size())}, kernel.device());
  const Array<IndexedFloat> s({}, kernel.device());
  kernel(a, s);
  return s.to_vector().front();
}

void expect_meaning_of_argmax(const Kernel& kernel) {
  EXPECT_EQ(largest(kernel, {3, 9, 2, 9}), IndexedFloat(9, 1));
  EXPECT_EQ(largest(kernel, {-5}), IndexedFloat(-5, 0));
  EXPECT_EQ(largest(kernel, std::vector<float>(200, 1.0f)), IndexedFloat(1, 0));
  EXPECT_EQ(largest(kernel, std::vector<float>(200, -infinity)), IndexedFloat(-infinity, 0));
  EXPECT_EQ(largest(kernel, {}), IndexedFloat(-infinity, std::numeric_limits<int32_t>::max()));
  std::vector<float> values(200, 7.0f);
  values[133] = values[170] = nan;
  values[20] = infinity;
  EXPECT_TRUE(std::isnan(largest(kernel, values).first));
  EXPECT_EQ(largest(kernel, values).second, 133);
}

TEST(Pairs, ArgmaxMeansTheSameForEveryWayToCombine) {
  const Best best;
  for (const Device& device : parallel_devices())
    for (const CombineLevels& combine : all_thread_combines(64)) {
      SCOPED_TRACE(to_string(combine) + " on " + to_string(device));
      expect_meaning_of_argmax(compile(best.by_threads(combine), {.device = device}));
    }
}

TEST(Pairs, ArgmaxMeansTheSameOnTheHost) {
  expect_meaning_of_argmax(compile(Schedule(Best().program), {.device = Device::host()}));
}

/// The place of the last value would be negative.
TEST(Pairs, ArgmaxRefusesMoreValuesThanAnI32HasPlacesFor) {
  const Param n("n");
  const Tensor best("best", f32_i32, {});
  const ReduceAxis k("k", n);
  const Schedule s(Program("am", best() = argmax(k, cast(f32, select(k == n - 2, 1, 0)))));
  for (const Device& device : {Device::host(), Device::simulated()}) {
    const Kernel kernel = compile(s, {.device = device, .index_bits = 64});
    const Array<IndexedFloat> result({}, device);
    try {
      kernel.run({result}, {{"n", 2147483658}});
      FAIL() << "accepted";
    } catch (const RuntimeError& error) {
      EXPECT_EQ(error.message(),
                "am: i32(k) is up to 2147483657, and an i32 holds 2147483647 at most; n is "
                "2147483658");
    }
    kernel.run({result}, {{"n", 1000}});
    EXPECT_EQ(result.to_vector().front(), IndexedFloat(1, 998));
  }
}

/// A shuffle under a condition, which some lanes do not meet, would have no value.
TEST(Pairs, OperatorsThatChooseEvaluateBothOperands) {
  Param N("N");
  Tensor A("A", f32, {N}), S("S", f32, {});
  ReduceAxis k("k", N);
  Schedule s(Program("furthest", S() = reduce({k}, 0.0, A(k),
                                              [](Expr x, Expr y) {
                                                return select(
                                                    abs(x) > abs(y) || (abs(x) == abs(y) && x > y),
                                                    x, y);
                                              },
                                              {.name = "furthest", .associative = true})));
  auto [turn, lane] = s.split(k, 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, Combine::shuffle);
  const std::string cuda = emit_cuda(lower(s.function()).kernels.front());
  EXPECT_TRUE(llvm::StringRef(cuda).contains(R"(
static __device__ float combine_furthest(float lhs, float rhs) {
  const float x0 = fabsf(lhs);
  const float x1 = fabsf(rhs);
  return (x0 > x1) | ((x0 == x1) & (lhs > rhs)) ? lhs : rhs;
}
)")) << cuda;
  EXPECT_TRUE(llvm::StringRef(cuda).contains(
      "S_part = combine_furthest(S_part, __shfl_down_sync(0xffffffff, S_part, offset));"))
      << cuda;
}

TEST(Pairs, OperatorsBranchWhereASideMayFail) {
  const Tensor A("A", i32, {64}), S("S", i32, {});
  const ReduceAxis k("k", 64);
  const auto larger = [](Expr x, Expr y) {
    return select(x != y && (x - y) / abs(x - y) > 0, x, y);
  };
  Schedule s(Program("larger", S() = reduce({k}, INT32_MIN / 2, A(k), larger,
                                            {.name = "larger", .associative = true})));
  s.bind(k, thread.x, Combine::two_level);
  const std::string cuda = emit_cuda(lower(s.function()).kernels.front());
  EXPECT_TRUE(llvm::StringRef(cuda).contains(R"(
  const int x0 = (int)((unsigned)lhs - (unsigned)rhs);
  return (lhs != rhs && x0 / abs(x0) > 0) ? lhs : rhs;
)")) << cuda;
}

/// Copies pairs two at a time, and exchanges their numbers on the way.
Schedule exchanged(int64_t vector) {
  Param N("N");
  Tensor A("A", f32_f32, {N}), C("C", f32_f32, {N});
  Axis i("i", N);
  Schedule s(Program("exchanged", C(i) = pair(second(A(i)), first(A(i)))));
  s.assume(N % vector == 0);
  auto [o, v] = s.split(i, vector);
  s.bind(o, thread.x);
  s.vectorize(v);
  return s;
}

TEST(Pairs, MoveInVectorsOfTwo) {
  const Schedule s = exchanged(2);
  Buffers buffers = {{"A", vector_of({1, 2, 3, 4, 5, 6, 7, 8}, f32_f32)},
                     {"C", Buffer(f32_f32, {4})}};
  for (const Device& device : parallel_devices())
    EXPECT_EQ(values_of(run_kernel(compile(s, {.device = device}), {{"N", 4}}, buffers).at("C")),
              (Values{2, 1, 4, 3, 6, 5, 8, 7}));
  const std::string cuda = emit_cuda(lower(s.function()).kernels.front());
  EXPECT_TRUE(llvm::StringRef(cuda).contains("*reinterpret_cast<const int4*>(&A[")) << cuda;
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  EXPECT_FALSE(nvrtc_compile({cuda, "exchanged", "sm_90", {}, ""}).cubin.empty());
}

TEST(Pairs, ArraysAreTyped) {
  const Array<IndexedFloat> array({{1.5f, 3}, {-2.0f, 7}}, {2});
  EXPECT_EQ(array.dtype(), f32_i32);
  EXPECT_EQ(array.to_vector(), (std::vector<IndexedFloat>{{1.5f, 3}, {-2.0f, 7}}));
  EXPECT_EQ(array.describe(), "(f32, i32)[2] on host");
}

TEST(Pairs, HaveNoNpyForm) {
  EXPECT_EQ(message_of<RuntimeError>([] { write_npy("pairs.npy", Array<IndexedFloat>({4})); }),
            "cannot write pairs.npy: (f32, i32) has no .npy form; take its components apart");
}

}  // namespace pairs_test
}  // namespace hone
