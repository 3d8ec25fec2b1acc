// The functions: computed in double and rounded to the type, as in ir/scalar/scalar.h.
#include "ir/scalar/functions.h"
#include "runtime/sim/operation.h"

namespace hone {
namespace {

template <DType type>
Lane<type> of_type(double value) {
  return static_cast<Lane<type>>(round_to(type, value));
}

template <DType type>
double function_in(Intrinsic intrinsic, double x, double y) {
  return is_ring(type) ? ring_function(intrinsic, x, y) : function_of(intrinsic, x, y);
}

template <DType type, Intrinsic intrinsic>
struct ByDouble {
  Lane<type> operator()(Lane<type> x) const {
    return of_type<type>(function_in<type>(intrinsic, double{x}, 0));
  }
};

template <DType type>
struct Power {
  Lane<type> operator()(Lane<type> x, Lane<type> y) const {
    return of_type<type>(function_in<type>(Intrinsic::pow, double{x}, double{y}));
  }
};

template <DType type>
struct FusedMultiplyAdd {
  Lane<type> operator()(Lane<type> x, Lane<type> y, Lane<type> z) const {
    if constexpr (type == DType::f64 || type == DType::f32) return std::fma(x, y, z);
    if constexpr (is_ring(type)) return narrow<type>(x * y + z);
    const Scalar operands[] = {Scalar::of_float(type, x), Scalar::of_float(type, y),
                               Scalar::of_float(type, z)};
    return static_cast<Lane<type>>(apply(Intrinsic::fma, operands).real);
  }
};

template <DType type>
struct Magnitude {
  Lane<type> operator()(Lane<type> x) const {
    const auto bits = static_cast<std::make_unsigned_t<Lane<type>>>(x);
    return narrow<type>(static_cast<Lane<type>>(x < 0 ? 0 - bits : bits));
  }
};

template <DType type, Intrinsic intrinsic>
Operation unary() {
  return elementwise_if_active<ByDouble<type, intrinsic>, Lane<type>>();
}

template <DType type>
Operation float_intrinsic(Intrinsic intrinsic) {
  switch (intrinsic) {
    case Intrinsic::exp:
      return unary<type, Intrinsic::exp>();
    case Intrinsic::log:
      return unary<type, Intrinsic::log>();
    case Intrinsic::sqrt:
      return unary<type, Intrinsic::sqrt>();
    case Intrinsic::rsqrt:
      return unary<type, Intrinsic::rsqrt>();
    case Intrinsic::sin:
      return unary<type, Intrinsic::sin>();
    case Intrinsic::cos:
      return unary<type, Intrinsic::cos>();
    case Intrinsic::tanh:
    case Intrinsic::tanh_approx:
      return unary<type, Intrinsic::tanh>();
    case Intrinsic::erf:
      return unary<type, Intrinsic::erf>();
    case Intrinsic::abs:
      return unary<type, Intrinsic::abs>();
    case Intrinsic::floor:
      return unary<type, Intrinsic::floor>();
    case Intrinsic::ceil:
      return unary<type, Intrinsic::ceil>();
    case Intrinsic::round:
      return unary<type, Intrinsic::round>();
    case Intrinsic::pow:
      return elementwise_if_active<Power<type>, Lane<type>, Lane<type>>();
    case Intrinsic::fma:
      return elementwise_if_active<FusedMultiplyAdd<type>, Lane<type>, Lane<type>, Lane<type>>();
  }
  llvm_unreachable("unknown intrinsic");
}

}  // namespace

Operation intrinsic_operation(Intrinsic intrinsic, DType type) {
  return with_number_type(type, [intrinsic]<DType t>() {
    if constexpr (is_float_lane<t>)
      return float_intrinsic<t>(intrinsic);
    else
      return elementwise<Magnitude<t>, Lane<t>>();
  });
}

}  // namespace hone
