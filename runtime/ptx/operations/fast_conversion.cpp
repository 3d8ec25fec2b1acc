// The conversions that programs make most, as loops that become vector code.
#include <cmath>

#include "runtime/ptx/operations/conversion.h"
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

// ---- Integers -----------------------------------------------------------------------------------

/// In registers that may be wider than the types.
template <class To, class ToRegister, class From, class FromRegister>
struct CastInteger {
  ToRegister operator()(FromRegister value) const {
    return static_cast<ToRegister>(static_cast<To>(static_cast<From>(value)));
  }
};

/// Calls `use.operator()<T, Register>()` for a type in its own register, or where `may_be_wide` in
/// one of 32 bits, too; null for others.
template <bool may_be_wide, class Use>
Op::Execute with_register(Type type, int bytes, const Use& use) {
  const auto of_narrow = [&]<class T>() -> Op::Execute {
    if (bytes == 2) return use.template operator()<T, uint16_t>();
    if constexpr (may_be_wide)
      if (bytes == 4) return use.template operator()<T, uint32_t>();
    return nullptr;
  };
  if (type == Type::u8) return of_narrow.template operator()<uint8_t>();
  if (type == Type::s8) return of_narrow.template operator()<int8_t>();
  if (type == Type::u16) return of_narrow.template operator()<uint16_t>();
  if (type == Type::s16) return of_narrow.template operator()<int16_t>();
  if (bytes != bytes_of(type)) return nullptr;
  return with_integer(type, [&]<class T>() -> Op::Execute {
    if constexpr (sizeof(T) > 2) return use.template operator()<T, std::make_unsigned_t<T>>();
    return nullptr;
  });
}

Op::Execute cast_integer(const Conversion& cast) {
  return with_register<true>(cast.from, cast.from_bytes, [&]<class From, class FromRegister>() {
    return with_register<false>(cast.to, cast.to_bytes, [&]<class To, class ToRegister>() {
      return executes<Elementwise<CastInteger<To, ToRegister, From, FromRegister>>>();
    });
  });
}

template <class Real, class From, class Register>
struct RealOfInteger {
  Real operator()(Register value) const { return static_cast<Real>(static_cast<From>(value)); }
};

Op::Execute real_of_integer(const Conversion& conversion) {
  if (conversion.rounding != Rounding::nearest) return nullptr;
  return with_register<false>(
      conversion.from, conversion.from_bytes, [&]<class From, class Register>() {
        return conversion.to == Type::f32
                   ? executes<Elementwise<RealOfInteger<float, From, Register>>>()
                   : executes<Elementwise<RealOfInteger<double, From, Register>>>();
      });
}

// ---- Rounding to integers -----------------------------------------------------------------------

template <Rounding rounding, class T>
T rounded_to_integer(T value) {
  if constexpr (rounding == Rounding::nearest) return std::nearbyint(value);
  if constexpr (rounding == Rounding::zero) return std::trunc(value);
  if constexpr (rounding == Rounding::down) return std::floor(value);
  return std::ceil(value);
}

/// The nearest integer of the type; of NaN, the values that PTX says.
template <class T, class Real, Rounding rounding>
struct IntegerOfReal {
  static constexpr bool is_long = sizeof(T) == 8 || sizeof(Real) == 8;
  static constexpr T of_nan = is_long ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
  static constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  static constexpr double beyond = 2.0 * (T{1} << (std::numeric_limits<T>::digits - 1));

  T operator()(Real value) const {
    const double whole = rounded_to_integer<rounding>(static_cast<double>(value));
    const bool is_below = whole < static_cast<double>(least), is_beyond = whole >= beyond;
    const bool is_inside = whole >= static_cast<double>(least) && !is_beyond;
    const T inside = static_cast<T>(is_inside ? whole : 0);
    return is_inside ? inside : is_below ? least : is_beyond ? most : of_nan;
  }
};

template <class Real, Rounding rounding>
struct IntegralReal {
  Real operator()(Real value) const {
    return finished(rounded_to_integer<rounding>(value), Finish{});
  }
};

template <class Use>
Op::Execute with_rounding(Rounding rounding, const Use& use) {
  switch (rounding) {
    case Rounding::nearest:
      return use.template operator()<Rounding::nearest>();
    case Rounding::zero:
      return use.template operator()<Rounding::zero>();
    case Rounding::down:
      return use.template operator()<Rounding::down>();
    default:
      return use.template operator()<Rounding::up>();
  }
}

template <class Real>
Op::Execute integer_of_real(const Conversion& conversion) {
  return with_rounding(conversion.rounding, [&]<Rounding rounding>() {
    return with_integer(conversion.to, []<class T>() -> Op::Execute {
      if constexpr (sizeof(T) == 2)
        return nullptr;
      else
        return executes<Elementwise<IntegerOfReal<T, Real, rounding>>>();
    });
  });
}

template <class Real>
Op::Execute integral_real(const Conversion& conversion) {
  return with_rounding(conversion.rounding, []<Rounding rounding>() {
    return executes<Elementwise<IntegralReal<Real, rounding>>>();
  });
}

Op::Execute rounding_conversion(const Conversion& conversion) {
  const bool is_f32 = conversion.from == Type::f32;
  if (!is_f32 && conversion.from != Type::f64) return nullptr;
  if (conversion.to == conversion.from)
    return is_f32 ? integral_real<float>(conversion) : integral_real<double>(conversion);
  if (is_real(conversion.to) || bytes_of(conversion.to) < 4) return nullptr;
  return is_f32 ? integer_of_real<float>(conversion) : integer_of_real<double>(conversion);
}

// ---- Floating point -----------------------------------------------------------------------------

template <class Half>
struct FloatOfHalf {
  float operator()(Half value) const { return finished(wide(value), Finish{}); }
};

template <class Half>
struct HalfOfFloat {
  Half operator()(float value) const { return narrow<Half>(value); }
};

struct FloatOfDouble {
  float operator()(double value) const { return finished(static_cast<float>(value), Finish{}); }
};

struct DoubleOfFloat {
  double operator()(float value) const {
    const auto real = std::bit_cast<uint64_t>(static_cast<double>(value));
    return std::bit_cast<double>(with_plain_nan<double>(real));
  }
};

/// The first operand is that of the upper half.
template <class Half>
struct HalvesOfFloats {
  Pair<Half> operator()(float high, float low) const {
    return {narrow<Half>(low), narrow<Half>(high)};
  }
};

Op::Execute real_of_real(const Conversion& conversion) {
  const auto is = [&](Type to, Type from) {
    return conversion.to == to && conversion.from == from;
  };
  if (conversion.rounding != Rounding::nearest) return nullptr;
  if (is(Type::f32, Type::f16)) return executes<Elementwise<FloatOfHalf<F16>>>();
  if (is(Type::f32, Type::bf16)) return executes<Elementwise<FloatOfHalf<Bf16>>>();
  if (is(Type::f16, Type::f32)) return executes<Elementwise<HalfOfFloat<F16>>>();
  if (is(Type::bf16, Type::f32)) return executes<Elementwise<HalfOfFloat<Bf16>>>();
  if (is(Type::f32, Type::f64)) return executes<Elementwise<FloatOfDouble>>();
  if (is(Type::f64, Type::f32)) return executes<Elementwise<DoubleOfFloat>>();
  return nullptr;
}

bool has_modifiers(const Conversion& conversion) {
  return conversion.sat || conversion.relu || conversion.is_finite || conversion.ftz;
}

bool has_wide_registers(const Conversion& conversion) {
  return conversion.to_bytes > std::max(bytes_of(conversion.to), 2) ||
         conversion.from_bytes > std::max(bytes_of(conversion.from), 2);
}

}  // namespace

Op::Execute fast_conversion(const Conversion& conversion) {
  const bool is_of_real = is_real(conversion.from), is_to_real = is_real(conversion.to);
  if (!is_of_real && !is_to_real) return conversion.sat ? nullptr : cast_integer(conversion);
  Conversion plain = conversion;
  // The nearest integer and the one towards 0 are the same for subnormal numbers and for zeros.
  const bool is_direct =
      conversion.rounding == Rounding::nearest || conversion.rounding == Rounding::zero;
  if (!is_to_real && is_direct) plain.ftz = false;
  if (has_modifiers(plain) || has_wide_registers(plain)) return nullptr;
  if (plain.is_integral) return rounding_conversion(plain);
  const bool is_large = plain.to == Type::f32 || plain.to == Type::f64;
  if (!is_of_real) return is_large ? real_of_integer(plain) : nullptr;
  return real_of_real(plain);
}

Op::Execute fast_pair_conversion(const Conversion& conversion) {
  if (conversion.rounding != Rounding::nearest || has_modifiers(conversion)) return nullptr;
  if (conversion.to == Type::f16) return executes<Elementwise<HalvesOfFloats<F16>>>();
  if (conversion.to == Type::bf16) return executes<Elementwise<HalvesOfFloats<Bf16>>>();
  return nullptr;
}

}  // namespace hone::ptx
