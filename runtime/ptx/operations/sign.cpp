// Operations on floating point that only look at its bits: signs, the lesser and the greater,
// kinds.
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

constexpr uint32_t flushes = 1;  ///< in details

template <class T>
BitsOf<T> flushed_by(uint32_t detail, T value) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  return pick((detail & flushes) != 0, flushed<T>(bits), bits);
}

template <class T>
struct WithoutSign {
  uint32_t detail;

  T operator()(T a) const { return std::bit_cast<T>(magnitude_of<T>(flushed_by(detail, a))); }
};

template <class T>
struct OtherSign {
  uint32_t detail;

  T operator()(T a) const {
    return std::bit_cast<T>(static_cast<BitsOf<T>>(flushed_by(detail, a) ^ Layout<T>::sign));
  }
};

/// The sign of a, and the magnitude of b.
template <class T>
struct CopySign {
  T operator()(T a, T b) const {
    const auto sign = std::bit_cast<BitsOf<T>>(a) & Layout<T>::sign;
    return std::bit_cast<T>(sign | magnitude_of<T>(std::bit_cast<BitsOf<T>>(b)));
  }
};

// ---- min and max --------------------------------------------------------------------------------

/// In details, beside `flushes`.
constexpr uint32_t keeps_nan = 2, of_magnitudes = 4, joins_signs = 8;

/// Bits of the same order as the numbers, and -0 before +0, read as a signed integer.
template <class T>
auto ordered(BitsOf<T> bits) {
  const auto reversed = static_cast<BitsOf<T>>(bits ^ Layout<T>::magnitude);
  return static_cast<std::make_signed_t<BitsOf<T>>>(pick(bits >= Layout<T>::sign, reversed, bits));
}

template <class T, bool greatest>
struct Extreme {
  using Bits = BitsOf<T>;
  uint32_t detail;

  bool has(uint32_t flag) const { return (detail & flag) != 0; }
  Bits operand(T value) const {
    const Bits bits = flushed_by(detail, value);
    return pick(has(of_magnitudes), magnitude_of<T>(bits), bits);
  }
  /// A NaN loses against a number, unless it is kept.
  Bits of_two(Bits a, Bits b) const {
    const bool a_is_nan = is_nan<T>(a), b_is_nan = is_nan<T>(b);
    const bool is_a = greatest ? ordered<T>(a) > ordered<T>(b) : ordered<T>(a) < ordered<T>(b);
    const Bits number = pick(b_is_nan | (is_a & !a_is_nan), a, b);
    const bool is_kept = has(keeps_nan) & (a_is_nan | b_is_nan);
    return pick(is_kept, Bits{Layout<T>::nan}, with_plain_nan<T>(number));
  }
  T operator()(T a, T b) const {
    const auto signs = static_cast<Bits>(std::bit_cast<Bits>(a) ^ std::bit_cast<Bits>(b));
    const Bits sign = pick(has(joins_signs), static_cast<Bits>(signs & Layout<T>::sign), 0);
    return std::bit_cast<T>(static_cast<Bits>(of_two(operand(a), operand(b)) | sign));
  }
};

template <bool greatest>
struct ExtremeOfThree {
  uint32_t detail;

  float operator()(float a, float b, float c) const {
    const Extreme<float, greatest> extreme{detail};
    return std::bit_cast<float>(
        extreme.of_two(extreme.of_two(extreme.operand(a), extreme.operand(b)), extreme.operand(c)));
  }
};

// ---- By type ------------------------------------------------------------------------------------

template <template <class> class F>
Operation of_real(const Form& form, uint32_t detail) {
  switch (form.type()) {
    case Type::f16:
      return uniform<F<F16>>(Type::f16, detail);
    case Type::bf16:
      return uniform<F<Bf16>>(Type::bf16, detail);
    case Type::f16x2:
      return uniform<Twice<F<F16>>>(Type::b32, detail);
    case Type::bf16x2:
      return uniform<Twice<F<Bf16>>>(Type::b32, detail);
    case Type::f64:
      return uniform<F<double>>(Type::f64, detail);
    default:
      return uniform<F<float>>(Type::f32, detail);
  }
}

template <template <class> class F>
Operation sign_operation(const Form& form) {
  return of_real<F>(form, form.has(Modifier::ftz) ? flushes : 0);
}

Operation copy_sign(const Form& form) {
  return form.type() == Type::f64 ? uniform<CopySign<double>>(Type::f64)
                                  : uniform<CopySign<float>>(Type::f32);
}

template <class T>
using Lesser = Extreme<T, false>;
template <class T>
using Greater = Extreme<T, true>;

template <template <class> class F, class OfThree>
Operation extreme_of_reals(const Form& form) {
  const bool has_abs = form.has(Modifier::abs), joins = form.has(Modifier::xorsign);
  const uint32_t detail = (form.has(Modifier::ftz) ? flushes : 0) |
                          (form.has(Modifier::NaN) ? keeps_nan : 0) |
                          (has_abs ? of_magnitudes : 0) | (joins ? joins_signs : 0);
  const bool is_of_three = form.instruction.operands.size() == 4 && form.type() == Type::f32;
  if (is_of_three) return joins ? refusal(form, ".xorsign") : uniform<OfThree>(Type::f32, detail);
  if (joins != has_abs) return refusal(form, joins ? ".xorsign" : ".abs");
  return of_real<F>(form, detail);
}

// ---- testp --------------------------------------------------------------------------------------

enum class Kind : uint32_t { finite, infinite, number, notanumber, normal, subnormal };

template <class T>
struct IsOfKind {
  uint32_t detail;  ///< a Kind

  bool operator()(T value) const {
    const BitsOf<T> magnitude = magnitude_of<T>(std::bit_cast<BitsOf<T>>(value));
    const bool is_subnormal = magnitude < Layout<T>::least_normal && magnitude != 0;
    switch (static_cast<Kind>(detail & 7)) {
      case Kind::finite:
        return magnitude < Layout<T>::infinity;
      case Kind::infinite:
        return magnitude == Layout<T>::infinity;
      case Kind::number:
        return magnitude <= Layout<T>::infinity;
      case Kind::notanumber:
        return magnitude > Layout<T>::infinity;
      case Kind::normal:
        return magnitude < Layout<T>::infinity && !is_subnormal;
      case Kind::subnormal:
        return is_subnormal;
    }
    return false;
  }
};

constexpr Modifiers kinds = {Modifier::finite,     Modifier::infinite, Modifier::number,
                             Modifier::notanumber, Modifier::normal,   Modifier::subnormal};

Operation test_kind(const Form& form) {
  if (form.modifiers.is_empty()) return refusal(form, "a test of no kind");
  const uint32_t kind =
      static_cast<uint32_t>(form.modifiers.first()) - static_cast<uint32_t>(Modifier::finite);
  if (form.type() == Type::f64) return elementwise<IsOfKind<double>>({Type::pred, Type::f64}, kind);
  return elementwise<IsOfKind<float>>({Type::pred, Type::f32}, kind);
}

constexpr Types reals_and_halves = {Type::f16,    Type::f16x2, Type::bf16,
                                    Type::bf16x2, Type::f32,   Type::f64};
constexpr Types f32_and_f64 = {Type::f32, Type::f64};
constexpr Modifiers ftz_of_signs = {Modifier::ftz};
constexpr Modifiers of_extremes = {Modifier::ftz, Modifier::NaN, Modifier::abs, Modifier::xorsign};

constexpr Entry entries_of_signs[] = {
    {"abs", reals_and_halves, ftz_of_signs, sign_operation<WithoutSign>},
    {"neg", reals_and_halves, ftz_of_signs, sign_operation<OtherSign>},
    {"copysign", f32_and_f64, {}, copy_sign},
    {"min", reals_and_halves, of_extremes, extreme_of_reals<Lesser, ExtremeOfThree<false>>},
    {"max", reals_and_halves, of_extremes, extreme_of_reals<Greater, ExtremeOfThree<true>>},
    {"testp", f32_and_f64, kinds, test_kind},
};

}  // namespace

llvm::ArrayRef<Entry> sign_entries() { return entries_of_signs; }

}  // namespace hone::ptx
