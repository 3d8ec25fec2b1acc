// Fields and counts of bits, and sums of the products of bytes.
#include "runtime/ptx/operations/elementwise.h"

namespace hone::ptx {
namespace {

constexpr uint32_t none = ~0u;

/// Bits below the number; all of them where there are not so many.
template <class T>
T low_bits(uint32_t count) {
  constexpr uint32_t size = 8 * sizeof(T);
  return count >= size ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
}

// ---- Counts -------------------------------------------------------------------------------------

template <class T>
struct CountOnes {
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::popcount(std::make_unsigned_t<T>(a)));
  }
};

template <class T>
struct CountLeadingZeros {
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::countl_zero(std::make_unsigned_t<T>(a)));
  }
};

/// The number of the first bit that is not like the sign: all ones where there is none.
template <class T, bool from_left>
struct FindBit {
  uint32_t operator()(T a) const {
    using Bits = std::make_unsigned_t<T>;
    constexpr uint32_t last = 8 * sizeof(T) - 1;
    const auto bits = static_cast<Bits>(a < 0 ? ~a : a);
    const auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
    return bits == 0 ? none : from_left ? zeros : last - zeros;
  }
};
template <class T>
using FindPosition = FindBit<T, false>;
template <class T>
using FindShift = FindBit<T, true>;

template <template <class> class F>
Operation count(const Form& form) {
  const Type type = form.type();
  return with_integer(type, [&]<class T>() -> Operation {
    if constexpr (sizeof(T) == 2)
      return {};
    else
      return elementwise<F<T>>({Type::u32, type});
  });
}

Operation find_bit(const Form& form) {
  return form.has(Modifier::shiftamt) ? count<FindShift>(form) : count<FindPosition>(form);
}

template <class T>
struct Reverse {
  T operator()(T a) const {
    constexpr int size = 8 * sizeof(T);
    for (int half = size / 2; half > 0; half /= 2) {
      // Ones in the lower half of each group of bits.
      const T lower = static_cast<T>(~T{0}) / static_cast<T>((T{1} << half) + 1);
      a = (a >> half & lower) | (a & lower) << half;
    }
    return a;
  }
};

// ---- Fields -------------------------------------------------------------------------------------

template <class T>
struct ExtractField {
  T operator()(T a, uint32_t start, uint32_t length) const {
    using Bits = std::make_unsigned_t<T>;
    constexpr uint32_t last = 8 * sizeof(T) - 1;
    start &= 0xff;
    length &= 0xff;
    const T shifted = a >> std::min(start, last) >> (start > last && std::is_unsigned_v<T> ? 1 : 0);
    const uint32_t sign_at = std::min(start + length - 1, last);
    const bool is_negative = std::is_signed_v<T> && length != 0 && (a >> sign_at & 1) != 0;
    const auto field = low_bits<Bits>(length);
    const auto bits = static_cast<Bits>(shifted);
    return static_cast<T>((bits & field) | (is_negative ? static_cast<Bits>(~field) : Bits{0}));
  }
};

template <class T>
struct InsertField {
  T operator()(T a, T b, uint32_t start, uint32_t length) const {
    constexpr uint32_t size = 8 * sizeof(T);
    start &= 0xff;
    const T field = start < size ? low_bits<T>(length & 0xff) << (start & (size - 1)) : 0;
    const T moved = a << (start & (size - 1));
    return (b & ~field) | (moved & field);
  }
};

Operation extract_field(const Form& form) {
  const Type type = form.type();
  return with_integer(type, [&]<class T>() -> Operation {
    if constexpr (sizeof(T) == 2)
      return {};
    else
      return elementwise<ExtractField<T>>({type, type, Type::u32, Type::u32});
  });
}

Operation insert_field(const Form& form) {
  const OperandTypes types = {form.type(), form.type(), form.type(), Type::u32, Type::u32};
  return form.type() == Type::b32 ? elementwise<InsertField<uint32_t>>(types)
                                  : elementwise<InsertField<uint64_t>>(types);
}

/// The n-th bit of the mask that is set, counted from a base upwards or downwards, as in PTX ISA.
struct FindNthSet {
  uint32_t operator()(uint32_t mask, uint32_t base, int32_t offset) const {
    if (base >= lanes) return none;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : none;
    const bool is_upwards = offset > 0;
    uint32_t rest = is_upwards ? mask & (~0u << base) : mask & low_bits<uint32_t>(base + 1);
    uint32_t count =
        is_upwards ? static_cast<uint32_t>(offset) : 0u - static_cast<uint32_t>(offset);
    for (; count > 1 && rest != 0; --count)
      rest &= is_upwards ? rest - 1 : low_bits<uint32_t>(31 - std::countl_zero(rest));
    if (rest == 0) return none;
    return is_upwards ? std::countr_zero(rest) : 31 - std::countl_zero(rest);
  }
};

Operation find_nth_set(const Form&) {
  return elementwise<FindNthSet>({Type::b32, Type::b32, Type::b32, Type::s32});
}

/// `length` bits from `start`.
template <bool clamps>
struct MakeMask {
  uint32_t operator()(uint32_t start, uint32_t length) const {
    const uint32_t from = clamps ? start : start & 31, size = clamps ? length : length & 31;
    return from < 32 ? low_bits<uint32_t>(size) << from : 0;
  }
};

template <class T, bool clamps>
struct ExtendSign {
  T operator()(T a, uint32_t length) const {
    const uint32_t size = clamps ? length : length & 31;
    const auto field = low_bits<uint32_t>(size), bits = static_cast<uint32_t>(a);
    const bool is_negative =
        std::is_signed_v<T> && size > 0 && size < 32 && (bits >> (size - 1) & 1) != 0;
    return static_cast<T>((bits & field) | (is_negative ? ~field : 0));
  }
};
template <class T>
using ExtendClamped = ExtendSign<T, true>;
template <class T>
using ExtendWrapped = ExtendSign<T, false>;

bool has_one_mode(const Form& form) {
  return form.has(Modifier::clamp) != form.has(Modifier::wrap);
}

Operation make_mask(const Form& form) {
  if (!has_one_mode(form)) return refusal(form, "a mask without .clamp or .wrap");
  return form.has(Modifier::clamp) ? uniform<MakeMask<true>>(Type::b32)
                                   : uniform<MakeMask<false>>(Type::b32);
}

template <template <class> class F>
Operation extension(const Form& form) {
  const OperandTypes types = {form.type(), form.type(), Type::u32};
  return form.type() == Type::s32 ? elementwise<F<int32_t>>(types)
                                  : elementwise<F<uint32_t>>(types);
}

Operation extend_sign(const Form& form) {
  if (!has_one_mode(form)) return refusal(form, "an extension without .clamp or .wrap");
  return form.has(Modifier::clamp) ? extension<ExtendClamped>(form)
                                   : extension<ExtendWrapped>(form);
}

// ---- Sums of products ---------------------------------------------------------------------------

/// Part n of so many bits.
template <class Part>
int64_t part(uint32_t word, int n) {
  return static_cast<Part>(word >> (8 * static_cast<int>(sizeof(Part)) * n));
}

/// c and the products of four bytes.
template <class A, class B>
struct Dot4 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    int64_t sum = 0;
    for (int n = 0; n < 4; ++n) sum += part<A>(a, n) * part<B>(b, n);
    return c + static_cast<uint32_t>(sum);
  }
};

/// c and the products of two halves of a with two bytes of b.
template <class A, class B, int first>
struct Dot2 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const int64_t sum = part<A>(a, 0) * part<B>(b, first) + part<A>(a, 1) * part<B>(b, first + 1);
    return c + static_cast<uint32_t>(sum);
  }
};

/// By whether a and b are signed.
template <class Unsigned, class Both, class A, class B>
Operation dot(const Form& form) {
  const Type a = form.type(), b = form.type(1);
  if (form.types.size() != 2 || (b != Type::u32 && b != Type::s32))
    return refusal(form, "a product of these types");
  if (is_signed(a)) return is_signed(b) ? uniform<Both>(a) : uniform<A>(a);
  return is_signed(b) ? uniform<B>(a) : uniform<Unsigned>(a);
}

template <int first>
Operation dot2_at(const Form& form) {
  return dot<Dot2<uint16_t, uint8_t, first>, Dot2<int16_t, int8_t, first>,
             Dot2<int16_t, uint8_t, first>, Dot2<uint16_t, int8_t, first>>(form);
}

Operation dot2(const Form& form) {
  if (form.has(Modifier::lo) == form.has(Modifier::hi))
    return refusal(form, "a product without .lo or .hi");
  return form.has(Modifier::hi) ? dot2_at<2>(form) : dot2_at<0>(form);
}

Operation dot4(const Form& form) {
  return dot<Dot4<uint8_t, uint8_t>, Dot4<int8_t, int8_t>, Dot4<int8_t, uint8_t>,
             Dot4<uint8_t, int8_t>>(form);
}

constexpr Types unsigned_and_signed = {Type::u32, Type::s32, Type::u64, Type::s64};
constexpr Types unsigned_and_signed_words = {Type::u32, Type::s32};
constexpr Types b32_and_b64 = {Type::b32, Type::b64};
constexpr Modifiers field_modes = {Modifier::clamp, Modifier::wrap};

constexpr Entry entries_of_fields[] = {
    {"popc", b32_and_b64, {}, count<CountOnes>},
    {"clz", b32_and_b64, {}, count<CountLeadingZeros>},
    {"bfind", unsigned_and_signed, {Modifier::shiftamt}, find_bit},
    {"brev", b32_and_b64, {}, of_size<Reverse>},
    {"bfe", unsigned_and_signed, {}, extract_field},
    {"bfi", b32_and_b64, {}, insert_field},
    {"fns", {Type::b32}, {}, find_nth_set},
    {"bmsk", {Type::b32}, field_modes, make_mask},
    {"szext", unsigned_and_signed_words, field_modes, extend_sign},
    {"dp4a", unsigned_and_signed_words, {}, dot4, 2},
    {"dp2a", unsigned_and_signed_words, {Modifier::lo, Modifier::hi}, dot2, 2},
};

}  // namespace

llvm::ArrayRef<Entry> field_entries() { return entries_of_fields; }

}  // namespace hone::ptx
