// Arithmetic on f16 and bf16, with one rounding to the nearest.
#include <cmath>

#include "runtime/ptx/operations/arithmetic.h"
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

/// The type to compute in, so that sums and products are exact or as if rounded once. Products of
/// bf16 may be smaller than any float.
template <class Half>
using Wide = std::conditional_t<std::is_same_v<Half, F16>, float, double>;

/// The product is exact, and the sum is made ready for its second rounding.
template <class T>
struct HalfFused {
  T operator()(T a, T b, T c) const {
    const T product = a * b, sum = product + c, part = sum - product;
    const T error = (product - (sum - part)) + (c - part);
    return odd_neighbour(sum, error);
  }
};

/// F, rounded to Half. The detail is a Finish.
template <template <class> class F, class Half, class = FunctionOf<F<Wide<Half>>>>
struct RoundedToHalf;
template <template <class> class F, class Half, class W, class... Args>
struct RoundedToHalf<F, Half, W(Args...)> {
  uint32_t detail;

  template <class>
  using Operand = Half;
  Half operator()(Operand<Args>... args) const {
    const Finish finish = Finish::of_detail(detail);
    const W value = F<W>{}(static_cast<W>(wide(operand_of(args, finish)))...);
    return finished(narrow<Half>(value), finish);
  }
};

uint32_t finish_detail(const Form& form) {
  return Finish{form.has(Modifier::ftz), form.has(Modifier::sat), form.has(Modifier::relu)}
      .detail();
}

/// By the type: one value or two, with the modifiers in the detail.
template <template <class> class F>
Operation of_half(const Form& form) {
  const uint32_t detail = finish_detail(form);
  switch (form.type()) {
    case Type::f16:
      return uniform<F<F16>>(Type::f16, detail);
    case Type::bf16:
      return uniform<F<Bf16>>(Type::bf16, detail);
    case Type::f16x2:
      return uniform<Twice<F<F16>>>(Type::b32, detail);
    default:
      return uniform<Twice<F<Bf16>>>(Type::b32, detail);
  }
}

template <class Half>
using SumOfHalves = RoundedToHalf<Sum, Half>;
template <class Half>
using DifferenceOfHalves = RoundedToHalf<Difference, Half>;
template <class Half>
using ProductOfHalves = RoundedToHalf<Product, Half>;
template <class Half>
using FusedOfHalves = RoundedToHalf<HalfFused, Half>;

constexpr Types halves_f16 = {Type::f16, Type::f16x2}, halves_bf16 = {Type::bf16, Type::bf16x2};
constexpr Modifiers of_f16 = {Modifier::rn, Modifier::ftz, Modifier::noftz, Modifier::sat};
constexpr Modifiers of_bf16 = {Modifier::rn, Modifier::noftz};
constexpr Modifiers with_relu = {Modifier::relu};

constexpr Entry entries_of_halves[] = {
    {"add", halves_f16, of_f16, of_half<SumOfHalves>},
    {"sub", halves_f16, of_f16, of_half<DifferenceOfHalves>},
    {"mul", halves_f16, of_f16, of_half<ProductOfHalves>},
    {"fma", halves_f16, of_f16 | with_relu, of_half<FusedOfHalves>},
    {"add", halves_bf16, of_bf16, of_half<SumOfHalves>},
    {"sub", halves_bf16, of_bf16, of_half<DifferenceOfHalves>},
    {"mul", halves_bf16, of_bf16, of_half<ProductOfHalves>},
    {"fma", halves_bf16, of_bf16 | with_relu, of_half<FusedOfHalves>},
};

}  // namespace

llvm::ArrayRef<Entry> half_entries() { return entries_of_halves; }

}  // namespace hone::ptx
