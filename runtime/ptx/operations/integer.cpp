// Arithmetic on integers.
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/wrapping.h"

namespace hone::ptx {
namespace {

/// The nearest of the type.
template <class T>
struct Saturated {
  T operator()(int64_t value) const {
    constexpr int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return static_cast<T>(value < least ? least : value > most ? most : value);
  }
};

struct AddSaturated {
  int32_t operator()(int32_t a, int32_t b) const { return Saturated<int32_t>{}(int64_t{a} + b); }
};

struct SubtractSaturated {
  int32_t operator()(int32_t a, int32_t b) const { return Saturated<int32_t>{}(int64_t{a} - b); }
};

// ---- Products -----------------------------------------------------------------------------------

/// Of the last 24 bits, the first `high` 32 bits of the product's 48 or the last.
template <class T, bool high>
struct Multiply24 {
  static int64_t factor(T value) { return static_cast<T>(static_cast<uint32_t>(value) << 8) >> 8; }
  T operator()(T a, T b) const { return static_cast<T>(factor(a) * factor(b) >> (high ? 16 : 0)); }
};
template <class T>
using Multiply24Low = Multiply24<T, false>;
template <class T>
using Multiply24High = Multiply24<T, true>;

template <template <class> class Product, class T, class Sum>
struct MultiplyAdd {
  using Result = decltype(Product<T>{}(T{}, T{}));
  Result operator()(T a, T b, Result c) const { return Sum{}(Product<T>{}(a, b), c); }
};

Type wide_type(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    default:
      return Type::s64;
  }
}

/// The product of two factors, or its sum with a third operand.
template <template <class> class Product, class T>
Operation product(const Form& form, bool has_addend) {
  using Result = decltype(Product<T>{}(T{}, T{}));
  const Type type = form.type(), result = sizeof(Result) > sizeof(T) ? wide_type(type) : type;
  if (!has_addend) return elementwise<Product<T>>({result, type, type});
  return elementwise<MultiplyAdd<Product, T, Add<Result>>>({result, type, type, result});
}

template <template <class> class Product>
Operation saturated_product(const Form& form) {
  if (form.type() != Type::s32) return refusal(form, ".sat");
  return uniform<MultiplyAdd<Product, int32_t, AddSaturated>>(Type::s32);
}

template <bool has_addend>
Operation product_of_24_bits(const Form& form) {
  const bool is_high = form.has(Modifier::hi);
  if (form.has(Modifier::sat))
    return is_high ? saturated_product<Multiply24High>(form) : refusal(form, ".sat");
  return with_integer(form.type(), [&]<class T>() -> Operation {
    if constexpr (sizeof(T) != 4)
      return {};
    else if (is_high)
      return product<Multiply24High, T>(form, has_addend);
    else
      return product<Multiply24Low, T>(form, has_addend);
  });
}

template <class T>
Operation whole_product(const Form& form, bool has_addend) {
  if constexpr (sizeof(T) == 8)
    return refusal(form, ".wide");
  else
    return product<MultiplyWide, T>(form, has_addend);
}

template <bool has_addend>
Operation any_product(const Form& form) {
  constexpr Modifiers parts = {Modifier::lo, Modifier::hi, Modifier::wide};
  if (!form.modifiers.has_any(parts)) return refusal(form, "a product without .lo, .hi or .wide");
  const bool is_high = form.has(Modifier::hi);
  if (form.has(Modifier::sat))
    return is_high ? saturated_product<MultiplyHigh>(form) : refusal(form, ".sat");
  return with_integer(form.type(), [&]<class T>() {
    if (form.has(Modifier::wide)) return whole_product<T>(form, has_addend);
    return is_high ? product<MultiplyHigh, T>(form, has_addend)
                   : product<MultiplyLow, std::make_unsigned_t<T>>(form, has_addend);
  });
}

// ---- Quotients ----------------------------------------------------------------------------------

template <class T>
bool is_overflow(T a, T b) {
  return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}

/// By zero, a value that PTX does not specify: all ones. The least number by -1 wraps around.
template <class T>
struct Divide {
  T operator()(T a, T b) const {
    const bool is_plain = b != 0 && !is_overflow(a, b);
    const T quotient = static_cast<T>(a / (is_plain ? b : T{1}));
    return b == 0 ? static_cast<T>(-1) : quotient;
  }
};

template <class T>
struct Remainder {
  T operator()(T a, T b) const {
    const bool is_plain = b != 0 && !is_overflow(a, b);
    const T remainder = static_cast<T>(a % (is_plain ? b : T{1}));
    return b == 0 ? static_cast<T>(-1) : remainder;
  }
};

// ---- Others -------------------------------------------------------------------------------------

template <class T>
struct Absolute {
  T operator()(T a) const { return a < 0 ? Subtract<T>{}(0, a) : a; }
};

template <class T>
struct Negate {
  T operator()(T a) const { return Subtract<T>{}(0, a); }
};

template <class T>
struct Least {
  T operator()(T a, T b) const { return b < a ? b : a; }
};

template <class T>
struct Greatest {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

/// 0 where the result is negative.
template <class F, class T>
struct WithoutNegatives {
  T operator()(T a, T b) const { return std::max(F{}(a, b), T{0}); }
};

template <class T>
struct AddDifference {
  T operator()(T a, T b, T c) const {
    return Add<T>{}(c, a < b ? Subtract<T>{}(b, a) : Subtract<T>{}(a, b));
  }
};

template <template <class> class F, class Saturating>
Operation sum(const Form& form) {
  if (!form.has(Modifier::sat)) return of_size<F>(form);
  if (form.type() != Type::s32) return refusal(form, ".sat");
  return uniform<Saturating>(Type::s32);
}

template <template <class> class F>
Operation extreme(const Form& form) {
  if (!form.has(Modifier::relu)) return of_integer<F>(form);
  if (form.type() != Type::s32) return refusal(form, ".relu");
  return uniform<WithoutNegatives<F<int32_t>, int32_t>>(Type::s32);
}

template <template <class> class F>
Operation extremes_of_pairs(const Form& form) {
  if (form.type() == Type::s16x2)
    return form.has(Modifier::relu)
               ? uniform<Twice<WithoutNegatives<F<int16_t>, int16_t>>>(Type::b32)
               : uniform<Twice<F<int16_t>>>(Type::b32);
  if (form.has(Modifier::relu)) return refusal(form, ".relu");
  return uniform<Twice<F<uint16_t>>>(Type::b32);
}

Operation sums_of_pairs(const Form&) { return uniform<Twice<Add<uint16_t>>>(Type::b32); }

constexpr Types integers = {Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64};
constexpr Types signed_integers = {Type::s16, Type::s32, Type::s64};
constexpr Types pairs = {Type::u16x2, Type::s16x2};
constexpr Types words = {Type::u32, Type::s32};
constexpr Modifiers parts = {Modifier::lo, Modifier::hi, Modifier::wide};
constexpr Modifiers halves = {Modifier::lo, Modifier::hi};
constexpr Modifiers sat = {Modifier::sat}, relu = {Modifier::relu};

constexpr Entry entries_of_integers[] = {
    {"add", integers, sat, sum<Add, AddSaturated>},
    {"sub", integers, sat, sum<Subtract, SubtractSaturated>},
    {"add", pairs, {}, sums_of_pairs},
    {"mul", integers, parts, any_product<false>},
    {"mad", integers, parts | sat, any_product<true>},
    {"mul24", words, halves, product_of_24_bits<false>},
    {"mad24", words, halves | sat, product_of_24_bits<true>},
    {"div", integers, {}, of_integer<Divide>},
    {"rem", integers, {}, of_integer<Remainder>},
    {"abs", signed_integers, {}, of_integer<Absolute>},
    {"neg", signed_integers, {}, of_integer<Negate>},
    {"min", integers, relu, extreme<Least>},
    {"max", integers, relu, extreme<Greatest>},
    {"min", pairs, relu, extremes_of_pairs<Least>},
    {"max", pairs, relu, extremes_of_pairs<Greatest>},
    {"sad", integers, {}, of_integer<AddDifference>},
};

}  // namespace

llvm::ArrayRef<Entry> integer_entries() { return entries_of_integers; }

}  // namespace hone::ptx
