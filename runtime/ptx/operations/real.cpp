// Arithmetic on f32 and f64, with the roundings that PTX has.
#include <cfenv>
#include <cmath>

#include "runtime/ptx/operations/arithmetic.h"
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

template <class T>
struct Quotient {
  T operator()(T a, T b) const { return a / b; }
};

template <class T>
struct FusedMultiplyAdd {
  T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};

template <class T>
struct Reciprocal {
  T operator()(T a) const { return 1 / a; }
};

template <class T>
struct SquareRoot {
  T operator()(T a) const { return std::sqrt(a); }
};

template <class F, Finish finish, class = FunctionOf<F>>
struct Finished;
template <class F, Finish finish, class Result, class... Args>
struct Finished<F, finish, Result(Args...)> {
  Result operator()(Args... args) const {
    return finished(F{}(operand_of(args, finish)...), finish);
  }
};

// ---- Rounding -----------------------------------------------------------------------------------

constexpr std::pair<Modifier, int> directed_roundings[] = {
    {Modifier::rz, FE_TOWARDZERO}, {Modifier::rm, FE_DOWNWARD}, {Modifier::rp, FE_UPWARD}};

/// The detail is the rounding of <cfenv>. What runs is a function of its own, so that no
/// computation leaves the lines between.
template <class Run>
struct Rounded {
  static void run(Warp& warp, const Op& op) {
    std::fesetround(static_cast<int>(op.detail));
    executes<Run>()(warp, op);
    std::fesetround(FE_TONEAREST);
  }
};

template <class F>
Operation rounded(const Form& form, const OperandTypes& types) {
  for (const auto& [modifier, rounding] : directed_roundings)
    if (form.has(modifier))
      return {Rounded<Elementwise<F>>::run, static_cast<uint32_t>(rounding), types};
  return elementwise<F>(types);
}

// ---- Forms --------------------------------------------------------------------------------------

/// Calls `use.operator()<finish>()` for the modifiers ftz and sat.
template <class Use>
Operation with_finish(const Form& form, const Use& use) {
  if (form.has(Modifier::sat))
    return form.has(Modifier::ftz) ? use.template operator()<Finish{true, true}>()
                                   : use.template operator()<Finish{false, true}>();
  return form.has(Modifier::ftz) ? use.template operator()<Finish{true}>()
                                 : use.template operator()<Finish{}>();
}

template <class F>
OperandTypes same_types(Type type) {
  constexpr FunctionOf<F>* function = nullptr;
  return OperandTypes(numbers_of(function).size() + 1, type);
}

template <template <class> class F>
Operation of_f32(const Form& form) {
  return with_finish(form, [&]<Finish finish>() {
    return rounded<Finished<F<float>, finish>>(form, same_types<F<float>>(Type::f32));
  });
}

template <template <class> class F>
Operation of_f64(const Form& form) {
  return rounded<F<double>>(form, same_types<F<double>>(Type::f64));
}

template <template <class> class F>
Operation of_f32x2(const Form& form) {
  const OperandTypes types = same_types<F<float>>(Type::b64);
  return form.has(Modifier::ftz) ? rounded<Twice<Finished<F<float>, Finish{true}>>>(form, types)
                                 : rounded<Twice<Finished<F<float>, Finish{}>>>(form, types);
}

template <Operation (*make)(const Form&)>
Operation with_a_rounding(const Form& form) {
  const bool has_any = form.modifiers.has_any(roundings);
  return has_any ? make(form) : refusal(form, "a form without a rounding");
}

// ---- Operands of 16 bits with results of f32 ----------------------------------------------------

template <class F, class Half>
struct WithHalf {
  float operator()(Half a, float b) const { return F{}(wide(a), b); }
};

template <class Half>
struct FusedWithHalves {
  float operator()(Half a, Half b, float c) const { return std::fma(wide(a), wide(b), c); }
};

template <class Half>
using SumWithHalf = WithHalf<Sum<float>, Half>;
template <class Half>
using DifferenceWithHalf = WithHalf<Difference<float>, Half>;

template <class F>
Operation mixed(const Form& form) {
  if (form.has(Modifier::ftz)) return refusal(form, ".ftz");
  OperandTypes types = same_types<F>(form.type(1));
  types.front() = types.back() = Type::f32;
  return form.has(Modifier::sat) ? rounded<Finished<F, Finish{false, true}>>(form, types)
                                 : rounded<Finished<F, Finish{}>>(form, types);
}

template <template <class> class F, template <class> class WithHalves>
Operation of_f32_or_mixed(const Form& form) {
  switch (form.type(1)) {
    case Type::none:
      return of_f32<F>(form);
    case Type::f16:
      return mixed<WithHalves<F16>>(form);
    case Type::bf16:
      return mixed<WithHalves<Bf16>>(form);
    default:
      return refusal(form, "." + name_of(form.type(1)).str());
  }
}

constexpr Modifiers ftz_and_sat = {Modifier::ftz, Modifier::sat}, ftz_alone = {Modifier::ftz};
constexpr Types f32_alone = {Type::f32}, f64_alone = {Type::f64}, f32x2_alone = {Type::f32x2};

constexpr Entry entries_of_reals[] = {
    {"add", f32_alone, roundings | ftz_and_sat, of_f32_or_mixed<Sum, SumWithHalf>, 2},
    {"sub", f32_alone, roundings | ftz_and_sat, of_f32_or_mixed<Difference, DifferenceWithHalf>, 2},
    {"mul", f32_alone, roundings | ftz_and_sat, of_f32<Product>},
    {"fma", f32_alone, roundings | ftz_and_sat,
     with_a_rounding<of_f32_or_mixed<FusedMultiplyAdd, FusedWithHalves>>, 2},
    {"mad", f32_alone, roundings | ftz_and_sat, with_a_rounding<of_f32<FusedMultiplyAdd>>},
    {"div", f32_alone, roundings | ftz_alone, with_a_rounding<of_f32<Quotient>>},
    {"rcp", f32_alone, roundings | ftz_alone, with_a_rounding<of_f32<Reciprocal>>},
    {"sqrt", f32_alone, roundings | ftz_alone, with_a_rounding<of_f32<SquareRoot>>},
    {"add", f64_alone, roundings, of_f64<Sum>},
    {"sub", f64_alone, roundings, of_f64<Difference>},
    {"mul", f64_alone, roundings, of_f64<Product>},
    {"fma", f64_alone, roundings, with_a_rounding<of_f64<FusedMultiplyAdd>>},
    {"mad", f64_alone, roundings, with_a_rounding<of_f64<FusedMultiplyAdd>>},
    {"div", f64_alone, roundings, with_a_rounding<of_f64<Quotient>>},
    {"rcp", f64_alone, roundings, with_a_rounding<of_f64<Reciprocal>>},
    {"sqrt", f64_alone, roundings, with_a_rounding<of_f64<SquareRoot>>},
    {"add", f32x2_alone, roundings | ftz_alone, of_f32x2<Sum>},
    {"sub", f32x2_alone, roundings | ftz_alone, of_f32x2<Difference>},
    {"mul", f32x2_alone, roundings | ftz_alone, of_f32x2<Product>},
    {"fma", f32x2_alone, roundings | ftz_alone, with_a_rounding<of_f32x2<FusedMultiplyAdd>>},
};

}  // namespace

llvm::ArrayRef<Entry> real_entries() { return entries_of_reals; }

}  // namespace hone::ptx
