// Conversions between all pairs of types, on every device alike: integers wrap around, a float is
// rounded once, and of an integer type it becomes the nearest value that the type holds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "ir/scalar/scalar.h"
#include "runtime/compile.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace conversions_test {

std::vector<Device> devices() {
  std::vector<Device> all = {Device::host(), Device::simulated()};
  if (Device::best().kind() == DeviceKind::cuda) all.push_back(Device::best());
  return all;
}

template <class T>
std::vector<T> converted(const std::vector<double>& values, const Device& device) {
  const auto size = static_cast<int64_t>(values.size());
  const Tensor X("X", f64, {size}), Y("Y", dtype_of<T>, {size});
  const Axis i("i", size);
  const Array<T> result({size}, device);
  compile(Schedule(Program("convert", Y(i) = cast(dtype_of<T>, X(i)))), {.device = device})(
      Array<double>(values, {size}, device), result);
  return result.to_vector();
}

template <class T>
void expect_the_nearest_values() {
  const T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  const auto below = std::ldexp(static_cast<double>(least) - 1, 1);
  for (const Device& device : devices())
    EXPECT_EQ(converted<T>({-1e30, -INFINITY, below, 1e30, INFINITY, 1.9, 0.5, -0.5, 100}, device),
              (std::vector<T>{least, least, least, greatest, greatest, 1, 0, 0, 100}))
        << to_string(device);
}

TEST(Conversions, TakeTheNearestIntegerThatTheTypeHolds) {
  expect_the_nearest_values<int32_t>();
  expect_the_nearest_values<int64_t>();
  expect_the_nearest_values<int8_t>();
  expect_the_nearest_values<uint8_t>();
}

TEST(Conversions, CutOffTowardsZero) {
  for (const Device& device : devices())
    EXPECT_EQ(converted<int32_t>({-2.9, 2.9, 2147483646.5, -2147483648.5}, device),
              (std::vector<int32_t>{-2, 2, 2147483646, std::numeric_limits<int32_t>::min()}));
}

// ---- All pairs of types -------------------------------------------------------------------------

constexpr DType types[] = {f64, f32, f16, bf16, tf32, f8e4m3, f8e5m2, i64, i32, i8, u8, boolean};

/// Halfway between two values of a narrower type, the smallest distance beyond, the limits of types
/// and what is next to them, and what is no number.
std::vector<Scalar> critical_values(DType type) {
  std::vector<double> values = {0, -0.0, 0.5, 0.9, 1.5, 2.5, 127.6, 255.9, INFINITY, NAN, 1e300};
  for (const double whole :
       {0x1p7, 0x1p8, 448., 464., 0x1p11, 0x1p15, 57344., 61440., 65504., 65520., 0x1p16, 0x1p24,
        16842752., 50462720., 0x1p31, 0x1p32, 0x1p53, 0x1p63})
    for (const double step : {-1.0, -0.5, 0.0, 0.5, 1.0}) values.push_back(whole + step);
  for (const double half :
       {0x1p-3, 0x1p-4, 0x1p-8, 0x1p-9, 0x1p-11, 0x1p-12, 0x1p-24, 0x1p-25, 0x1p-26})
    for (const double step : {-0x1p-40, 0.0, 0x1p-50}) {
      values.push_back(1 + half + step);
      values.push_back(half * 0x1p-14 + step * 0x1p-30);
    }
  values.push_back(0x1.ffffffp127);
  std::vector<int64_t> integers = {
      16842753, (int64_t{1} << 53) + 1, (int64_t{1} << 62) + (int64_t{1} << 38) + 1,
      (int64_t{1} << 62) + (int64_t{1} << 54) + 1, std::numeric_limits<int64_t>::max()};
  std::vector<Scalar> scalars;
  for (const double value : values)
    for (const double sign : {1, -1})
      scalars.push_back(convert(type, Scalar::of_float(f64, sign * value)));
  for (const int64_t value : integers)
    for (const int64_t sign : {1, -1})
      scalars.push_back(convert(type, Scalar::of_int(i64, sign * value)));
  return scalars;
}

/// Y0(i) = cast(f64, X(i)), Y1(i) = cast(f32, X(i))...
Program conversions_from(DType from, llvm::ArrayRef<DType> to, int64_t size) {
  const Tensor X("X", from, {size});
  std::vector<Definition> definitions;
  for (const DType type : to) {
    const std::string number = std::to_string(definitions.size());
    const Axis i("i" + number, size);
    definitions.push_back(Tensor("Y" + number, type, {size})(i) = cast(type, X(i)));
  }
  return Program("conversions", definitions);
}

bool is_same(const Scalar& lhs, const Scalar& rhs) {
  if (!is_float(lhs.type)) return lhs.integer == rhs.integer;
  return (std::isnan(lhs.real) && std::isnan(rhs.real)) ||
         (lhs.real == rhs.real && std::signbit(lhs.real) == std::signbit(rhs.real));
}

AnyArray array_of(const std::vector<Scalar>& values, const Device& device) {
  const auto size = static_cast<int64_t>(values.size());
  AnyArray array(values[0].type, {size}, Device::host(), Fill::uninitialized);
  auto* bytes = static_cast<std::byte*>(array.data());
  for (int64_t n = 0; n < size; ++n) write_element(bytes + n * size_of(values[n].type), values[n]);
  return array.to(device);
}

/// The conversions to `to` that the device does not make as ir/scalar/scalar.h has them.
std::vector<std::string> wrong_conversions(DType from, llvm::ArrayRef<DType> to,
                                           const Device& device) {
  const std::vector<Scalar> values = critical_values(from);
  const auto size = static_cast<int64_t>(values.size());
  std::vector<AnyArray> arrays = {array_of(values, device)};
  for (const DType type : to) arrays.emplace_back(type, std::vector{size}, device);
  compile(Schedule(conversions_from(from, to, size)), {.device = device}).run(arrays);
  std::vector<std::string> wrong;
  for (size_t n = 0; n < to.size(); ++n) {
    const AnyArray results = arrays[n + 1].to(Device::host());
    const auto* bytes = static_cast<const std::byte*>(results.data());
    for (int64_t at = 0; at < size; ++at) {
      const Scalar got = read_element(to[n], bytes + at * size_of(to[n]));
      const Scalar wanted = convert(to[n], values[at]);
      if (!is_same(got, wanted))
        wrong.push_back(fmt::format("{} {} as {}: {}, not {}", name(from).str(),
                                    to_string(values[at]), name(to[n]).str(), to_string(got),
                                    to_string(wanted)));
    }
  }
  return wrong;
}

TEST(Conversions, OfAllPairsOfTypesAreThoseOfScalars) {
  for (const Device& device : devices()) {
    std::vector<DType> to(std::begin(types), std::end(types));
    const auto is_narrow = [](DType t) { return is_float(t) && t != f64 && t != f32; };
    if (device == Device::host()) llvm::erase_if(to, is_narrow);
    for (const DType from : to)
      EXPECT_EQ(wrong_conversions(from, to, device), std::vector<std::string>())
          << to_string(device);
  }
}

/// Of the kernel that makes this conversion alone.
std::string cuda_text(DType to, DType from, const std::string& name = "f") {
  const Axis i("i", 8);
  const Tensor X("X", from, {8}), Y("Y", to, {8});
  return emit_cuda(lower(Schedule(Program(name, Y(i) = cast(to, X(i))))).kernels.front());
}

std::string cuda_conversion(DType to, DType from) {
  const std::string text = cuda_text(to, from);
  const size_t start = text.find("Y[i] = ") + 7;
  return text.substr(start, text.find(';', start) - start);
}

TEST(Conversions, RoundOnceInCuda) {
  EXPECT_EQ(cuda_conversion(bf16, i32), "__int2bfloat16_rn(X[i])");
  EXPECT_EQ(cuda_conversion(bf16, i64), "__ll2bfloat16_rn(X[i])");
  EXPECT_EQ(cuda_conversion(bf16, i8), "__float2bfloat16((float)(X[i]))");
  EXPECT_EQ(cuda_conversion(bf16, f64), "__double2bfloat16(X[i])");
  EXPECT_EQ(cuda_conversion(f16, f64), "__double2half(X[i])");
  EXPECT_EQ(cuda_conversion(f16, i64), "__float2half((float)(X[i]))");
  EXPECT_EQ(cuda_conversion(f16, bf16), "__float2half(__bfloat162float(X[i]))");
}

TEST(Conversions, CallFunctionsOfTheTextForFloatsOfTensorCores) {
  EXPECT_EQ(cuda_conversion(tf32, f32), "float_to_tf32(X[i])");
  EXPECT_EQ(cuda_conversion(f32, tf32), "tf32_to_float(X[i])");
  EXPECT_EQ(cuda_conversion(tf32, f64), "float_to_tf32(odd_float_of_f64(X[i]))");
  EXPECT_EQ(cuda_conversion(tf32, i32), "float_to_tf32(odd_float_of_i64(X[i]))");
  EXPECT_EQ(cuda_conversion(f8e4m3, i32), "float_to_f8e4m3((float)(X[i]))");
  EXPECT_EQ(cuda_conversion(f8e4m3, tf32), "float_to_f8e4m3(tf32_to_float(X[i]))");
  EXPECT_EQ(cuda_conversion(f64, f8e5m2), "(double)(f8e5m2_to_float(X[i]))");
}

/// A GPU makes 0 of a NaN, but for one that is a double, or that becomes a long long.
TEST(Conversions, MakeZeroOfANaNInCuda) {
  EXPECT_EQ(cuda_conversion(i32, f32), "(int)(X[i])");
  EXPECT_EQ(cuda_conversion(i32, f64), "truncated_i32(X[i])");
  EXPECT_EQ(cuda_conversion(i64, f32), "truncated_i64(X[i])");
  EXPECT_EQ(cuda_conversion(i64, f16), "truncated_i64(__half2float(X[i]))");
  EXPECT_EQ(cuda_conversion(i8, f64), "(signed char)(min(max(truncated_i32(X[i]), -128), 127))");
  EXPECT_EQ(cuda_conversion(u8, f16),
            "(unsigned char)(min(max((int)(__half2float(X[i])), 0), 255))");
  EXPECT_EQ(cuda_conversion(boolean, f64), "(bool)(X[i])");
  EXPECT_NE(cuda_text(i64, f32).find(R"(
template <class Float>
static __device__ long long truncated_i64(Float x) {
  return x != x ? 0 : (long long)x;
}
)"),
            std::string::npos);
}

TEST(Conversions, CompileForTheOldestAndANewArchitecture) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  std::string includes = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n", kernels;
  for (const DType from : types)
    for (const DType to : types) {
      const std::string name = fmt::format("f{}_{}", static_cast<int>(from), static_cast<int>(to));
      std::string text = cuda_text(to, from, name);
      for (size_t at; (at = text.find("#include")) != std::string::npos;)
        text.erase(at, text.find('\n', at) - at);
      kernels += text;
    }
  CompileJob job;
  job.source = includes + kernels;
  job.name = "f";
  for (const char* arch : {"sm_75", "sm_90"}) {
    job.arch = arch;
    const Compiled compiled = nvrtc_compile(job);
    EXPECT_FALSE(compiled.cubin.empty()) << arch;
    EXPECT_TRUE(compiled.warnings.empty()) << arch << ": " << compiled.warnings.front();
  }
}

}  // namespace conversions_test
}  // namespace hone
