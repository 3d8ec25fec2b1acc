// The functions by which CUDA text converts tf32 and floats of 8 bits, run on the host: as a GPU
// runs them that has no instruction for it.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "codegen/emit/cuda_narrow_floats.h"
#include "fmt/format.h"
#include "ir/scalar/narrow_float.h"
#include "ir/scalar/scalar.h"
#include "runtime/host_compiler.h"

namespace hone {
namespace narrow_functions_test {

/// Words of CUDA, as C has them.
constexpr const char* of_cuda = R"(
#include <fenv.h>
#include <math.h>
#include <string.h>
#define __device__
#define min(x, y) ((x) < (y) ? (x) : (y))
static unsigned __float_as_uint(float x) { unsigned bits; memcpy(&bits, &x, 4); return bits; }
static float __uint_as_float(unsigned bits) { float x; memcpy(&x, &bits, 4); return x; }
static int __float2int_rn(float x) { return (int)rintf(x); }
static float __double2float_rz(double x) {
  const float near = (float)x;
  return fabs(near) > fabs(x) ? nextafterf(near, 0) : near;
}
static float __ll2float_rz(long long x) {
  const float near = (float)x;
  return fabsl((long double)near) > fabsl((long double)x) ? nextafterf(near, 0) : near;
}
)";

const std::set<std::string> all_functions = {
    "odd_float_of_f64", "odd_float_of_i64", "tf32_to_float",   "float_to_tf32",
    "f8e4m3_to_float",  "float_to_f8e4m3",  "f8e5m2_to_float", "float_to_f8e5m2"};

/// The functions without `static`, by their names.
const SharedLibrary& library() {
  static const SharedLibrary built = [] {
    std::string text = cuda_narrow_functions(all_functions);
    for (size_t at; (at = text.find("static ")) != std::string::npos;) text.erase(at, 7);
    return host_compile({of_cuda + text, "narrow", {}});
  }();
  return built;
}

template <class Result, class Argument>
Result call(const std::string& function, Argument argument) {
  return library().function<Result(Argument)>(function.c_str())(argument);
}

bool is_same(double lhs, double rhs) {
  return (std::isnan(lhs) && std::isnan(rhs)) ||
         (lhs == rhs && std::signbit(lhs) == std::signbit(rhs));
}

/// Floats of all exponents, on both sides of what is halfway between two floats of fewer bits.
std::vector<float> floats() {
  std::vector<float> all = {0, -0.0F, INFINITY, -INFINITY, NAN, -NAN};
  for (uint32_t upper = 0; upper < 0x10000; upper += 4)
    for (const uint32_t lower : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu, 0x3ffffu, 0x8000u})
      all.push_back(std::bit_cast<float>(upper << 16 | lower));
  return all;
}

TEST(NarrowFunctions, ReadEveryPattern) {
  for (int bits = 0; bits <= 0xff; ++bits) {
    const auto byte = static_cast<unsigned char>(bits);
    EXPECT_TRUE(is_same(call<float>("f8e4m3_to_float", byte), f8e4m3_value(byte))) << bits;
    EXPECT_TRUE(is_same(call<float>("f8e5m2_to_float", byte), f8e5m2_value(byte))) << bits;
  }
  for (const float x : floats())
    ASSERT_TRUE(is_same(call<float>("tf32_to_float", x), tf32_value(x))) << x;
}

TEST(NarrowFunctions, RoundAsScalarsDo) {
  for (const float x : floats()) {
    ASSERT_EQ(call<unsigned char>("float_to_f8e4m3", x), f8e4m3_bits(x)) << x;
    ASSERT_EQ(call<unsigned char>("float_to_f8e5m2", x), f8e5m2_bits(x)) << x;
    ASSERT_TRUE(is_same(call<float>("float_to_tf32", x), tf32_nearest(x))) << x;
  }
}

/// Two roundings would take what is just beyond halfway to the wrong side.
TEST(NarrowFunctions, RoundDoublesAndIntegersOnce) {
  std::mt19937_64 random(20240607);
  for (int trial = 0; trial < 100000; ++trial) {
    const int exponent = static_cast<int>(random() % 40) - 20;
    const double half = std::ldexp(1 + static_cast<double>(random() % 2048) / 2048, exponent);
    for (const double x : {half, std::nextafter(half, 0), -std::nextafter(half, HUGE_VAL)}) {
      const float odd = call<float>("odd_float_of_f64", x);
      ASSERT_TRUE(is_same(call<float>("float_to_tf32", odd), tf32_nearest(x))) << x;
      ASSERT_EQ(call<unsigned char>("float_to_f8e4m3", odd), f8e4m3_bits(x)) << x;
      ASSERT_EQ(call<unsigned char>("float_to_f8e5m2", odd), f8e5m2_bits(x)) << x;
    }
    const int shift = 13 + static_cast<int>(random() % 38);
    const auto whole = static_cast<long long>(2048 + random() % 2048) << shift;
    for (const long long x : {whole, whole - 1, -whole - 1}) {
      const float odd = call<float>("odd_float_of_i64", x);
      const double wanted = convert(tf32, Scalar::of_int(i64, x)).real;
      ASSERT_TRUE(is_same(call<float>("float_to_tf32", odd), wanted)) << x;
    }
  }
}

}  // namespace narrow_functions_test
}  // namespace hone
