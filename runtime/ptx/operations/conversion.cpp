#include "runtime/ptx/operations/conversion.h"

#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

// ---- Lanes --------------------------------------------------------------------------------------

uint64_t load_bits(const Warp& warp, Ref ref, ptrdiff_t bytes, int lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, warp.at<std::byte>(ref) + bytes * lane, static_cast<size_t>(bytes));
  return bits;
}

void store_bits(const Warp& warp, Ref ref, ptrdiff_t bytes, int lane, uint64_t bits) {
  std::memcpy(warp.at<std::byte>(ref) + bytes * lane, &bits, static_cast<size_t>(bytes));
}

/// Of any types.
struct ConvertLanes {
  static void run(Warp& warp, const Op& op) {
    const Conversion conversion = Conversion::of_detail(op.detail);
    for_each_lane(warp.active, [&](int lane) {
      const uint64_t bits = load_bits(warp, op.sources[0], conversion.from_bytes, lane);
      store_bits(warp, op.destination, conversion.to_bytes, lane, conversion.extended_from(bits));
    });
  }
};

uint64_t packed(const Conversion& conversion, uint64_t high, uint64_t low) {
  return conversion.bits_from(high) << (8 * bytes_of(conversion.to)) | conversion.bits_from(low);
}

/// The halves of the result are of two registers.
struct ConvertTwo {
  static void run(Warp& warp, const Op& op) {
    const Conversion conversion = Conversion::of_detail(op.detail);
    for_each_lane(warp.active, [&](int lane) {
      const uint64_t high = load_bits(warp, op.sources[0], conversion.from_bytes, lane);
      const uint64_t low = load_bits(warp, op.sources[1], conversion.from_bytes, lane);
      store_bits(warp, op.destination, conversion.to_bytes, lane, packed(conversion, high, low));
    });
  }
};

/// The halves of the result are of those of a register.
struct ConvertHalves {
  static void run(Warp& warp, const Op& op) {
    const Conversion conversion = Conversion::of_detail(op.detail);
    const int size = 8 * bytes_of(conversion.from);
    for_each_lane(warp.active, [&](int lane) {
      const uint64_t bits = load_bits(warp, op.sources[0], conversion.from_bytes, lane);
      const uint64_t low = bits & ((uint64_t{1} << size) - 1);
      store_bits(warp, op.destination, conversion.to_bytes, lane,
                 packed(conversion, bits >> size, low));
    });
  }
};

// ---- Forms --------------------------------------------------------------------------------------

struct RoundingModifier {
  Modifier modifier;
  Rounding rounding;
  bool is_integral;
};
constexpr RoundingModifier rounding_modifiers[] = {
    {Modifier::rn, Rounding::nearest, false}, {Modifier::rz, Rounding::zero, false},
    {Modifier::rm, Rounding::down, false},    {Modifier::rp, Rounding::up, false},
    {Modifier::rna, Rounding::away, false},   {Modifier::rni, Rounding::nearest, true},
    {Modifier::rzi, Rounding::zero, true},    {Modifier::rmi, Rounding::down, true},
    {Modifier::rpi, Rounding::up, true},
};

/// Of a packed type, the type of its values; `none` of others.
Type part_of(Type type) {
  switch (type) {
    case Type::f16x2:
      return Type::f16;
    case Type::bf16x2:
      return Type::bf16;
    case Type::e4m3x2:
      return Type::e4m3;
    case Type::e5m2x2:
      return Type::e5m2;
    default:
      return Type::none;
  }
}

int register_bytes(Type type) { return std::max(bytes_of(type), 2); }

Conversion conversion_of(const Form& form, Type to, Type from) {
  Conversion conversion = {.to = to, .from = from};
  for (const RoundingModifier& known : rounding_modifiers)
    if (form.has(known.modifier)) {
      conversion.rounding = known.rounding;
      conversion.is_integral = known.is_integral;
    }
  conversion.ftz = form.has(Modifier::ftz);
  conversion.sat = form.has(Modifier::sat);
  conversion.relu = form.has(Modifier::relu);
  conversion.is_finite = form.has(Modifier::satfinite);
  return conversion;
}

Operation convert_value(const Form& form) {
  Conversion conversion = conversion_of(form, form.type(), form.type(1));
  const Type to = form.register_type(0, conversion.to);
  const Type from = form.register_type(1, conversion.from);
  conversion.to_bytes = register_bytes(to);
  conversion.from_bytes = register_bytes(from);
  if (is_real(conversion.from) && !is_real(conversion.to) && !conversion.is_integral)
    return refusal(form, "a conversion without .rni, .rzi, .rmi or .rpi");
  const Op::Execute fast = fast_conversion(conversion);
  return {fast ? fast : executes<ConvertLanes>(), conversion.detail(), {to, from}};
}

Operation convert_pair(const Form& form) {
  const Type to = part_of(form.type()), from = part_of(form.type(1));
  const bool is_of_two = form.type(1) == Type::f32;
  if (to == Type::none || (from == Type::none && !is_of_two))
    return refusal(form, "a conversion between these types");
  Conversion conversion = conversion_of(form, to, is_of_two ? Type::f32 : from);
  conversion.to_bytes = bytes_of(form.type());
  conversion.from_bytes = bytes_of(form.type(1));
  if (!is_of_two)
    return {executes<ConvertHalves>(), conversion.detail(), {form.type(), form.type(1)}};
  const Op::Execute fast = fast_pair_conversion(conversion);
  return {fast ? fast : executes<ConvertTwo>(),
          conversion.detail(),
          {form.type(), Type::f32, Type::f32}};
}

constexpr Types integer_values = {Type::u8, Type::u16, Type::u32, Type::u64,
                                  Type::s8, Type::s16, Type::s32, Type::s64};
constexpr Types real_values = {Type::f16, Type::bf16, Type::f32, Type::f64};
constexpr Types single_values = integer_values | real_values;

Operation convert(const Form& form) {
  const Type to = form.type(), from = form.type(1);
  if (part_of(to) != Type::none || part_of(from) != Type::none) return convert_pair(form);
  const bool is_to_tf32 = to == Type::tf32 && from == Type::f32;
  if (!is_to_tf32 && !(single_values.has(to) && single_values.has(from)))
    return refusal(form, "a conversion between these types");
  return convert_value(form);
}

// ---- cvt.pack -----------------------------------------------------------------------------------

/// The detail is the size in bits, and `packs_signed`.
constexpr uint32_t packs_signed = 1 << 8, packs_size = packs_signed - 1;

struct PackTwo {
  uint32_t detail;

  uint32_t operator()(int32_t a, int32_t b) const { return packed(a, b); }
  uint32_t packed(int32_t a, int32_t b) const {
    const uint32_t size = detail & packs_size;
    return clamped(a) << size | clamped(b);
  }
  /// The nearest number of so many bits.
  uint32_t clamped(int32_t value) const {
    const uint32_t size = detail & packs_size;
    const bool with_sign = (detail & packs_signed) != 0;
    const int32_t most = (1 << (with_sign ? size - 1 : size)) - 1,
                  least = with_sign ? -most - 1 : 0;
    return static_cast<uint32_t>(std::clamp(value, least, most)) & ((1u << size) - 1);
  }
};

/// c, moved up by both sizes, and the two.
struct PackOnto {
  uint32_t detail;

  uint32_t operator()(int32_t a, int32_t b, uint32_t c) const {
    const uint32_t size = detail & packs_size;
    return c << (2 * size) | PackTwo{detail}.packed(a, b);
  }
};

/// cvt.pack.sat.s4.s32.b32: the types of few bits are modifiers, as nothing else has them.
Operation pack(const Form& form) {
  static constexpr llvm::StringLiteral names[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16"};
  const auto& modifiers = form.instruction.modifiers;
  const auto* name = llvm::find_if(
      names, [&](llvm::StringRef known) { return modifiers.size() > 2 && modifiers[2] == known; });
  if (name == std::end(names) || modifiers[1] != "sat" || !form.instruction.has("s32"))
    return refusal(form, "a conversion between these types");
  uint32_t size = 0;
  name->drop_front().getAsInteger(10, size);
  const uint32_t detail = size | (name->front() == 's' ? packs_signed : 0);
  if (size == 16) return elementwise<PackTwo>({Type::b32, Type::s32, Type::s32}, detail);
  return elementwise<PackOnto>({Type::b32, Type::s32, Type::s32, Type::b32}, detail);
}

constexpr Modifiers of_conversions = {
    Modifier::rn,  Modifier::rz,        Modifier::rm,  Modifier::rp,  Modifier::rna,
    Modifier::rni, Modifier::rzi,       Modifier::rmi, Modifier::rpi, Modifier::ftz,
    Modifier::sat, Modifier::satfinite, Modifier::relu};
constexpr Modifiers of_packing = {Modifier::pack, Modifier::sat, Modifier::few_bits};
constexpr Types conversion_results = {
    Type::u8,   Type::u16,   Type::u32,    Type::u64,    Type::s8,    Type::s16,
    Type::s32,  Type::s64,   Type::f16,    Type::bf16,   Type::f32,   Type::f64,
    Type::tf32, Type::f16x2, Type::bf16x2, Type::e4m3x2, Type::e5m2x2};

constexpr Entry entries_of_conversions[] = {
    {"cvt", conversion_results, of_conversions, convert, 2},
    {"cvt", integer_values, of_packing, pack, 3},
};

}  // namespace

// ---- Conversion ---------------------------------------------------------------------------------

uint32_t Conversion::detail() const {
  const auto flags =
      static_cast<uint32_t>(is_integral | ftz << 1 | sat << 2 | relu << 3 | is_finite << 4);
  return static_cast<uint32_t>(to) | static_cast<uint32_t>(from) << 5 |
         static_cast<uint32_t>(rounding) << 10 | flags << 13 |
         static_cast<uint32_t>(to_bytes) << 18 | static_cast<uint32_t>(from_bytes) << 22;
}

Conversion Conversion::of_detail(uint32_t detail) {
  const uint32_t flags = detail >> 13;
  return {.to = static_cast<Type>(detail & 31),
          .from = static_cast<Type>(detail >> 5 & 31),
          .rounding = static_cast<Rounding>(detail >> 10 & 7),
          .is_integral = (flags & 1) != 0,
          .ftz = (flags & 2) != 0,
          .sat = (flags & 4) != 0,
          .relu = (flags & 8) != 0,
          .is_finite = (flags & 16) != 0,
          .to_bytes = static_cast<int>(detail >> 18 & 15),
          .from_bytes = static_cast<int>(detail >> 22 & 15)};
}

uint64_t Conversion::bits_from(uint64_t bits) const {
  if (ftz && from == Type::f32) bits = flushed<float>(static_cast<uint32_t>(bits));
  Number number = number_of(from, bits);
  if (is_integral) number = integral(number, rounding);
  if (relu && number.negative && number.kind != Number::Kind::nan) number = {};
  if (!is_real(to)) {
    const uint64_t all = ~uint64_t{0} >> (64 - 8 * bytes_of(to));
    return is_real(from) || sat ? clamped_bits(number, to, from) : wrapped_bits(number) & all;
  }
  const uint64_t result = real_bits(sat ? saturated(number) : number, to, rounding, is_finite);
  return ftz && to == Type::f32 ? flushed<float>(static_cast<uint32_t>(result)) : result;
}

uint64_t Conversion::extended_from(uint64_t bits) const {
  const uint64_t result = bits_from(bits);
  if (is_real(to) || !is_signed(to)) return result;
  const int spare = 64 - 8 * bytes_of(to);
  return static_cast<uint64_t>(static_cast<int64_t>(result << spare) >> spare);
}

llvm::ArrayRef<Entry> conversion_entries() { return entries_of_conversions; }

}  // namespace hone::ptx
