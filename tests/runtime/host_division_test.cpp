// Quotients and remainders on the host: integers wrap, and a division by zero is an error.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "dsl/schedule.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace host_division_test {

template <class T>
struct Quotients {
  Tensor A{"A", dtype_of<T>, {4}}, B{"B", dtype_of<T>, {4}};
  Tensor C{"C", dtype_of<T>, {4}}, D{"D", dtype_of<T>, {4}};
  Axis i{"i", 4};
  Program program{"divide", C(i) = A(i) / B(i), D(i) = A(i) % B(i)};

  /// The quotients, then the remainders.
  std::vector<T> of(const std::vector<T>& a, const std::vector<T>& b, const Device& device) const {
    const Array<T> quotients({4}), remainders({4});
    Schedule s(program);
    if (device.kind() == DeviceKind::simulated) s.bind(s.split(i, 2)[1], thread.x);
    compile(s, {.device = device})(Array<T>(a, {4}), Array<T>(b, {4}), quotients, remainders);
    std::vector<T> result = quotients.to_vector();
    for (const T value : remainders.to_vector()) result.push_back(value);
    return result;
  }
};

template <class T>
void expect_that_the_least_integer_wraps() {
  const T least = std::numeric_limits<T>::min();
  for (const Device& device : {Device::host(), Device::simulated()})
    EXPECT_EQ(Quotients<T>().of({least, least, 7, -7}, {-1, 1, -2, 2}, device),
              (std::vector<T>{least, least, -3, -3, 0, 0, 1, -1}))
        << to_string(device);
}

TEST(HostDivision, TheLeastIntegerByMinusOneWraps) {
  expect_that_the_least_integer_wraps<int32_t>();
  expect_that_the_least_integer_wraps<int64_t>();
  expect_that_the_least_integer_wraps<int8_t>();
}

TEST(HostDivision, AConstantDivisorMayBeMinusOne) {
  const Tensor A("A", i32, {2}), C("C", i32, {2});
  const Axis i("i", 2);
  const Program program("negate", C(i) = A(i) / IntConst::make(-1, i32));
  const Array<int32_t> c({2});
  compile(Schedule(program), {.device = Device::host()})(
      Array<int32_t>({std::numeric_limits<int32_t>::min(), 5}, {2}), c);
  EXPECT_EQ(c.to_vector(), (std::vector<int32_t>{std::numeric_limits<int32_t>::min(), -5}));
}

TEST(HostDivision, ByZeroIsAnError) {
  const std::string error = "divide: a division by zero; what its outputs hold is undefined";
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Quotients<int32_t>().of({1, 2, 3, 4}, {1, 0, 1, 1}, Device::host());
            }),
            error);
  EXPECT_EQ(thrown_message<RuntimeError>([] {
              Quotients<uint8_t>().of({1, 2, 3, 4}, {1, 0, 1, 1}, Device::host());
            }),
            error);
}

TEST(HostDivision, BySizesThatAreZeroIsRefusedWhereItIsReached) {
  const Param m("m"), n("n");
  const Tensor A("A", f32, {n}), C("C", f32, {m});
  const Axis i("i", m);
  const Program program("gather", C(i) = A(i % n));
  for (const Device& device : {Device::host(), Device::simulated()}) {
    Schedule s(program);
    if (device.kind() == DeviceKind::simulated) s.bind(i, thread.x);
    const Kernel kernel = compile(s, {.device = device});
    kernel(Array<float>({0}), Array<float>({0}));
    EXPECT_EQ(thrown_message<RuntimeError>([&] { kernel(Array<float>({0}), Array<float>({3})); }),
              "gather: i % n divides by n, and n is 0")
        << to_string(device);
  }
}

TEST(HostDivision, BySizesThatAreZeroIsTakenUnderACondition) {
  const Param m("m"), n("n");
  const Tensor A("A", f32, {n}), C("C", f32, {m});
  const Axis i("i", m);
  const Program program("gather", C(i) = select(n > 0, A(i % n), -1.0));
  const Array<float> c({3});
  compile(Schedule(program), {.device = Device::host()})(Array<float>({0}), c);
  EXPECT_EQ(c.to_vector(), std::vector<float>(3, -1));
}

/// A fused axis divides by the extent of the inner one, in none of its 0 iterations.
TEST(HostDivision, BySizesThatAreZeroIsTakenWhereThreadsHaveNoIterations) {
  const Param n("n"), m("m");
  const Axis i("i", n);
  const ReduceAxis j("j", 2), k("k", m);
  const Tensor A("A", f32, {n, 2, m}), C("C", f32, {n});
  Schedule s(Program("rows", C(i) = sum({j, k}, A(i, j, k))));
  s.bind(s.fuse(j, k), thread.x, Combine::atomic);
  const Array<float> c({3});
  compile(s, {.device = Device::simulated()})(Array<float>({3, 2, 0}), c);
  EXPECT_EQ(c.to_vector(), std::vector<float>(3, 0));
}

TEST(HostDivision, ReadsAsItIsWrittenWhereNothingCanGoWrong) {
  const Tensor A("A", i32, {2}), C("C", i32, {2});
  const Axis i("i", 2);
  const Program program("halve", C(i) = A((i + 1) % 2) / 2);
  EXPECT_EQ(compile(Schedule(program), {.device = Device::host()}).source(),
            R"(// C(i) = A((i + 1) % 2) / 2i32

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_halve(const int* restrict A, int* restrict C) {
  for (long i = 0; i < 2; ++i) {
    C[i] = A[(i + 1) % 2] / 2;
  }
}
)");
}

TEST(HostMinMax, OperandsStandOnceInTheText) {
  const Tensor A("A", i32, {40}), C("C", i32, {});
  Expr least = A(0);
  for (int n = 1; n < 40; ++n) least = min(max(least, n - 30), A(n));
  const Array<int32_t> c({});
  std::vector<int32_t> values(40);
  for (int n = 0; n < 40; ++n) values[n] = 100 - n;
  const Kernel kernel =
      compile(Schedule(Program("least", C() = least)), {.device = Device::host()});
  EXPECT_LT(kernel.source().size(), 4000u);
  kernel(Array<int32_t>(values, {40}), c);
  EXPECT_EQ(c.to_vector(), std::vector<int32_t>{61});
}

}  // namespace host_division_test
}  // namespace hone
