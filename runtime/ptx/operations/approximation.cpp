// The functions that GPUs approximate. The simulated device has no tables of theirs: it computes in
// double and rounds once, so its results are at least as near as those of any GPU.
#include <cmath>
#include <numbers>

#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

struct InverseOf {
  double operator()(double a) const { return 1 / a; }
};

struct RootOf {
  double operator()(double a) const { return std::sqrt(a); }
};

struct InverseRootOf {
  double operator()(double a) const { return 1 / std::sqrt(a); }
};

struct SineOf {
  double operator()(double a) const { return std::sin(a); }
};

struct CosineOf {
  double operator()(double a) const { return std::cos(a); }
};

struct LogarithmOf {
  double operator()(double a) const { return std::log2(a); }
};

struct PowerOf {
  double operator()(double a) const { return std::exp2(a); }
};

struct TangentOf {
  double operator()(double a) const { return std::tanh(a); }
};

// ---- f32 ----------------------------------------------------------------------------------------

template <class F, Finish finish>
struct ApproximateFloat {
  float operator()(float a) const {
    const double value = F{}(operand_of(a, finish));
    return finished(static_cast<float>(value), finish);
  }
};

template <class F>
Operation approximate(const Form& form) {
  if (!form.has(Modifier::approx)) return refusal(form, "a form without .approx");
  return form.has(Modifier::ftz) ? uniform<ApproximateFloat<F, Finish{true}>>(Type::f32)
                                 : uniform<ApproximateFloat<F, Finish{}>>(Type::f32);
}

/// `full`: for all divisors. Or else the divisor's inverse is 0 from 2^126, as PTX says.
template <bool full, Finish finish>
struct ApproximateQuotient {
  float operator()(float a, float b) const {
    a = operand_of(a, finish);
    b = operand_of(b, finish);
    const bool is_large = !full && std::abs(b) > 0x1p126f;
    const float divisor = is_large ? std::copysign(INFINITY, b) : b;
    return finished(a / divisor, finish);
  }
};

Operation quotient(const Form& form) {
  const bool full = form.has(Modifier::full), ftz = form.has(Modifier::ftz);
  if (full == form.has(Modifier::approx))
    return refusal(form, "a quotient without .approx or .full");
  if (full)
    return ftz ? uniform<ApproximateQuotient<true, Finish{true}>>(Type::f32)
               : uniform<ApproximateQuotient<true, Finish{}>>(Type::f32);
  return ftz ? uniform<ApproximateQuotient<false, Finish{true}>>(Type::f32)
             : uniform<ApproximateQuotient<false, Finish{}>>(Type::f32);
}

// ---- f64 ----------------------------------------------------------------------------------------

/// `upper`: of the upper halves of the operand and the result alone.
template <class F, bool upper>
struct ApproximateDouble {
  static double upper_half(double value) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) >> 32 << 32);
  }
  double operator()(double a) const {
    if (!upper) return F{}(a);
    constexpr Finish finish = {.ftz = true};
    return upper_half(finished(F{}(operand_of(upper_half(a), finish)), finish));
  }
};

template <class F>
Operation approximate_f64(const Form& form) {
  if (!form.has(Modifier::approx)) return refusal(form, "a form without .approx");
  return form.has(Modifier::ftz) ? uniform<ApproximateDouble<F, true>>(Type::f64)
                                 : uniform<ApproximateDouble<F, false>>(Type::f64);
}

// ---- f16 and bf16 -------------------------------------------------------------------------------

/// ftz, which ex2 of bf16 has, is of no effect on bf16: it has the exponents of f32.
template <class F, class Half>
struct ApproximateHalf {
  Half operator()(Half a) const { return narrow<Half>(F{}(wide(a))); }
};

template <class F>
Operation approximate_half(const Form& form) {
  if (!form.has(Modifier::approx)) return refusal(form, "a form without .approx");
  switch (form.type()) {
    case Type::f16:
      return uniform<ApproximateHalf<F, F16>>(Type::f16);
    case Type::bf16:
      return uniform<ApproximateHalf<F, Bf16>>(Type::bf16);
    case Type::f16x2:
      return uniform<Twice<ApproximateHalf<F, F16>>>(Type::b32);
    default:
      return uniform<Twice<ApproximateHalf<F, Bf16>>>(Type::b32);
  }
}

constexpr Types of_f32 = {Type::f32}, of_f64 = {Type::f64};
constexpr Types of_halves = {Type::f16, Type::f16x2, Type::bf16, Type::bf16x2};
constexpr Modifiers approx = {Modifier::approx}, approx_and_ftz = {Modifier::approx, Modifier::ftz};
constexpr Modifiers approx_or_full = {Modifier::approx, Modifier::full, Modifier::ftz};

constexpr Entry entries_of_approximations[] = {
    {"div", of_f32, approx_or_full, quotient},
    {"rcp", of_f32, approx_and_ftz, approximate<InverseOf>},
    {"sqrt", of_f32, approx_and_ftz, approximate<RootOf>},
    {"rsqrt", of_f32, approx_and_ftz, approximate<InverseRootOf>},
    {"sin", of_f32, approx_and_ftz, approximate<SineOf>},
    {"cos", of_f32, approx_and_ftz, approximate<CosineOf>},
    {"lg2", of_f32, approx_and_ftz, approximate<LogarithmOf>},
    {"ex2", of_f32, approx_and_ftz, approximate<PowerOf>},
    {"tanh", of_f32, approx, approximate<TangentOf>},
    {"rcp", of_f64, approx_and_ftz, approximate_f64<InverseOf>},
    {"rsqrt", of_f64, approx_and_ftz, approximate_f64<InverseRootOf>},
    {"ex2", of_halves, approx_and_ftz, approximate_half<PowerOf>},
    {"tanh", of_halves, approx, approximate_half<TangentOf>},
};

}  // namespace

llvm::ArrayRef<Entry> approximation_entries() { return entries_of_approximations; }

}  // namespace hone::ptx
