// Kernels over tuples of several types, on every device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "runtime/compile.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/ir/run.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace tuples_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Mean, sum of squared distances from it, and count, of parts of a row: Welford's, as Chan, Golub
/// and LeVeque put parts together.
Expr welford(const Expr& x, const Expr& y) {
  const Expr both = cast(f32, third(x) + third(y));
  const Expr share = select(both > 0.0, cast(f32, third(y)) / max(both, 1.0), 0.0);
  const Expr apart = first(y) - first(x);
  return tuple(first(x) + apart * share,
               second(x) + second(y) + apart * apart * cast(f32, third(x)) * share,
               third(x) + third(y));
}

struct Statistics {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N}}, S{"S", tuple_of({f32, f32, i32}), {M}};
  Axis i{"i", M};
  ReduceAxis k{"k", N};
  Program program{"statistics",
                  S(i) = reduce({k}, tuple(0.0, 0.0, 0), tuple(A(i, k), 0.0, cast(i32, 1)), welford,
                                {.name = "welford", .associative = true})};
};

using Moments = Tuple<float, float, int32_t>;

/// Of a row of 3, 5, 3, 5...
std::vector<Moments> statistics_of(const Kernel& kernel, int64_t rows, int64_t length) {
  std::vector<float> values;
  for (int64_t n = 0; n < rows * length; ++n) values.push_back(n % 2 == 0 ? 3.0f : 5.0f);
  const Array<float> a(values, {rows, length}, kernel.device());
  const Array<Moments> s({rows}, kernel.device());
  kernel(a, s);
  return s.to_vector();
}

TEST(Tuples, KeepMeanVarianceAndCount) {
  const Statistics p;
  for (const Device& device : parallel_devices())
    for (const CombineLevels& combine : all_thread_combines(32, p.S.node()->type)) {
      Schedule s(p.program);
      auto [turn, lane] = s.split(p.k, 32);
      s.reorder({lane, turn});
      s.bind(p.i, block.x);
      s.bind(lane, thread.x, combine);
      const std::vector<Moments> found = statistics_of(compile(s, {.device = device}), 3, 128);
      for (const Moments& moments : found)
        EXPECT_EQ(moments, (Moments{4, 128, 128})) << to_string(combine) << to_string(device);
    }
  const Kernel on_host = compile(Schedule(p.program), {.device = Device::host()});
  EXPECT_NEAR(statistics_of(on_host, 2, 9)[1].first, 37.0 / 9 + 2.0 / 9 - 2.0 / 9, 0.5);
  EXPECT_EQ(statistics_of(on_host, 2, 8), (std::vector<Moments>(2, {4, 8, 8})));
}

/// The least and the largest value, and where they are.
struct Extremes {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", tuple_of({f32, f32, i32, i32}), {}};
  ReduceAxis k{"k", N};

  static Expr both(const Expr& x, const Expr& y) {
    const Expr less = first(y) < first(x) || (first(y) == first(x) && third(y) < third(x));
    const Expr more = second(y) > second(x) || (second(y) == second(x) && fourth(y) < fourth(x));
    return tuple(select(less, first(y), first(x)), select(more, second(y), second(x)),
                 select(less, third(y), third(x)), select(more, fourth(y), fourth(x)));
  }
  Program program{"extremes", S() = reduce({k}, tuple(infinity, -infinity, INT32_MAX, INT32_MAX),
                                           tuple(A(k), A(k), cast(i32, k), cast(i32, k)), both,
                                           {.name = "extremes", .associative = true})};
};

TEST(Tuples, KeepBothExtremesAndWhereTheyAre) {
  const Extremes p;
  using Result = Tuple<float, float, int32_t, int32_t>;
  for (const Device& device : parallel_devices())
    for (const CombineLevels& combine : all_thread_combines(64, p.S.node()->type))
      for (const int64_t length : {1, 63, 64, 65, 191}) {
        Schedule s(p.program);
        auto [turn, lane] = s.split(p.k, 64);
        s.reorder({lane, turn});
        s.bind(lane, thread.x, combine);
        std::vector<float> values(length, 1.0f);
        values[length / 2] = 7;
        values[length - 1] = -2;
        const Array<float> a(values, {length}, device);
        const Array<Result> result({}, device);
        compile(s, {.device = device})(a, result);
        const auto last = static_cast<int32_t>(length - 1),
                   middle = static_cast<int32_t>(length / 2);
        EXPECT_EQ(result.to_vector().front(),
                  length == 1 ? (Result{-2, -2, 0, 0}) : (Result{-2, 7, last, middle}))
            << to_string(combine) << " of " << length << " on " << to_string(device);
      }
}

/// Without the place in this file.
std::string refusal(const std::function<void()>& step) {
  const std::string message = message_of<ScheduleError>(step);
  return message.substr(message.find("error:"));
}

TEST(Tuples, AreRefusedByAtomicUpdatesWhereTheyAreWide) {
  const Extremes p;
  Schedule s(p.program);
  EXPECT_EQ(
      refusal([&] { s.bind(p.k, thread.x, Combine::atomic); }),
      R"(error: bind: S is (f32, f32, i32, i32), and atomic updates take elements of 2, 4 or 8 bytes, and bool
  reduce k in 0..N {
    S[] extremes= (A[k], A[k], i32(k), i32(k))  <-- here
note: combine by a tree, or in narrower types)");
  EXPECT_EQ(
      refusal([&] { s.bind(p.k, block.x, Combine::atomic); }),
      R"(error: bind: S is (f32, f32, i32, i32), and atomic updates take elements of 2, 4 or 8 bytes, and bool
  reduce k in 0..N {
    S[] extremes= (A[k], A[k], i32(k), i32(k))  <-- here
note: combine by last_block, or in narrower types)");
}

/// Through shared memory and registers, and in every way that elements are moved.
TEST(Tuples, MoveThroughTiles) {
  const DType types[] = {tuple_of({i8, u8}), tuple_of({u8, boolean, i8}), tuple_of({f64, i8}),
                         tuple_of({f16, bf16, f32}), tuple_of({i64, f64, i32, boolean})};
  for (const DType type : types) {
    Param N("N");
    Tensor A("A", type, {N}), C("C", type, {N});
    Axis i("i", N);
    Schedule s(Program("moved", C(i) = A(i)));
    auto [o, rest] = s.split(i, 32);
    auto [t, e] = s.split(rest, 2);
    s.bind(o, block.x);
    s.bind(t, thread.x);
    s.cache_shared(A, o);
    s.cache_registers(C, t);
    Buffers buffers = {{"A", Buffer(type, {45})}, {"C", Buffer(type, {45})}};
    fill_with(buffers["A"], [n = 0]() mutable { return ++n % 100; });
    for (const Device& device : parallel_devices())
      EXPECT_EQ(values_of(run_kernel(compile(s, {.device = device}), {{"N", 45}}, buffers).at("C")),
                values_of(buffers["A"]))
          << name(type).str();
    if (!nvrtc_info()) continue;
    const std::string cuda = emit_cuda(lower(s.function()).kernels.front());
    EXPECT_FALSE(nvrtc_compile({cuda, "moved", "sm_90", {}, ""}).cubin.empty()) << cuda;
  }
}

TEST(Tuples, AreStructsOfAsManyBytesAsTheirArrays) {
  static_assert(sizeof(Moments) == 16 && sizeof(Tuple<int8_t, int8_t, int8_t>) == 4);
  static_assert(sizeof(Tuple<double, double, bool>) == 32);
  static_assert(sizeof(std::pair<int64_t, int32_t>) == 16);
  EXPECT_EQ(size_of(dtype_of<Moments>), 16);
  EXPECT_EQ(size_of(dtype_of<Tuple<int8_t, int8_t, int8_t>>), 4);
  EXPECT_EQ(size_of(dtype_of<Tuple<double, double, bool>>), 32);
  EXPECT_EQ(size_of(dtype_of<std::pair<int64_t, int32_t>>), 16);
  EXPECT_EQ(component_offset(dtype_of<Tuple<int8_t, int32_t, int8_t, double>>, 3), 16);
  EXPECT_EQ(Array<Moments>({2}).describe(), "(f32, f32, i32)[2] on host");
}

/// Bits of no component are 0 in what is compared and exchanged.
TEST(Tuples, AreWordsInAtomicUpdates) {
  Param N("N");
  Tensor A("A", i8, {N}), S("S", tuple_of({i8, f16, boolean}), {});
  ReduceAxis k("k", N);
  Schedule s(Program("both", S() = reduce({k}, tuple(cast(i8, 0), cast(f16, 0), false),
                                          tuple(A(k), cast(f16, 1), A(k) > 0),
                                          [](Expr x, Expr y) {
                                            return tuple(first(x) + first(y), second(x) + second(y),
                                                         third(x) || third(y));
                                          },
                                          {.name = "both", .associative = true})));
  s.bind(k, block.x, Combine::atomic);
  const std::string cuda = emit_cuda(lower(s.function()).kernels.back());
  EXPECT_TRUE(llvm::StringRef(cuda).contains(R"(
static __device__ unsigned long long bits_of(i8_f16_bool tuple) {
  return (unsigned long long)(unsigned char)(tuple.third) << 32 | (unsigned long long)__half_as_ushort(tuple.second) << 16 | (unsigned char)(tuple.first);
}

static __device__ i8_f16_bool i8_f16_bool_of(unsigned long long bits) {
  return {(signed char)((unsigned char)bits), __ushort_as_half((unsigned short)(bits >> 16)), (bool)((unsigned char)(bits >> 32))};
}
)")) << cuda;
  Buffers buffers = {{"A", vector_of({1, -2, 3, 4}, i8)}, {"S", Buffer(S.node()->type, {})}};
  for (const Device& device : parallel_devices())
    EXPECT_EQ(values_of(run_kernel(compile(s, {.device = device}), {{"N", 4}}, buffers).at("S")),
              (Values{6, 4, 1}));
}

}  // namespace tuples_test
}  // namespace hone
