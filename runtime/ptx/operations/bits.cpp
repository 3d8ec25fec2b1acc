// Bitwise logic and shifts.
#include "runtime/ptx/operations/elementwise.h"

namespace hone::ptx {
namespace {

template <class T>
constexpr uint32_t width = 8 * sizeof(T);

template <class T>
struct BitAnd {
  T operator()(T a, T b) const { return a & b; }
};

template <class T>
struct BitOr {
  T operator()(T a, T b) const { return a | b; }
};

template <class T>
struct BitXor {
  T operator()(T a, T b) const { return a ^ b; }
};

template <class T>
struct BitNot {
  T operator()(T a) const { return static_cast<T>(~a); }
};

template <class T>
struct LogicalNot {
  T operator()(T a) const { return a == 0 ? 1 : 0; }
};

/// All lanes of predicates at once.
template <class F>
struct PredicateBits {
  static void run(Warp& warp, const Op& op) {
    const LaneMask first = Source<bool>(warp, op, 0).holds;
    if constexpr (std::is_invocable_v<F, LaneMask>)
      write_mask(warp, op.destination, F{}(first));
    else
      write_mask(warp, op.destination, F{}(first, Source<bool>(warp, op, 1).holds));
  }
};

/// Of registers, or of predicates.
template <template <class> class F>
Operation bitwise(const Form& form) {
  if (form.type() != Type::pred) return of_size<F>(form);
  Operation operation = uniform<F<LaneMask>>(Type::pred);
  operation.execute = executes<PredicateBits<F<LaneMask>>>();
  return operation;
}

// ---- lop3 ---------------------------------------------------------------------------------------

/// The bits of `if_set` at the set bits of `choose`.
uint32_t choose_bits(uint32_t choose, uint32_t if_set, uint32_t if_clear) {
  return if_clear ^ (choose & (if_clear ^ if_set));
}

/// Bit 4 a + 2 b + c of the table is the result of the bits a, b and c.
struct LookUp {
  uint32_t table;

  uint32_t entry(int number) const { return (table >> number & 1) != 0 ? ~0u : 0; }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t neither = choose_bits(c, entry(1), entry(0));
    const uint32_t only_b = choose_bits(c, entry(3), entry(2));
    const uint32_t only_a = choose_bits(c, entry(5), entry(4));
    const uint32_t both = choose_bits(c, entry(7), entry(6));
    return choose_bits(a, choose_bits(b, both, only_a), choose_bits(b, only_b, neither));
  }
};

constexpr uint32_t joins_by_or = 1 << 8;  ///< in the detail, behind the table

/// The predicate is that the result has a bit, and or or a third one; see operation.h.
struct LookUpWithPredicate {
  static void run(Warp& warp, const Op& op) {
    const LookUp look_up{op.detail};
    const Source<uint32_t> a(warp, op, 0), b(warp, op, 1), c(warp, op, 2);
    const Source<bool> third(warp, op, 3);
    const auto value = [&](int lane) { return look_up(a[lane], b[lane], c[lane]); };
    const LaneMask is_set = mask_of([&](int lane) { return value(lane) != 0; });
    const bool by_or = (op.detail & joins_by_or) != 0;
    const LaneMask result = by_or ? is_set | third.holds : is_set & third.holds;
    if (op.destination.exists()) write_lanes<uint32_t>(warp, op.destination, value);
    write_mask(warp, op.sources[4], result);
  }
};

Operation lop3(const Form& form) {
  const auto& operands = form.instruction.operands;
  if (operands.size() < 5 || !operands[4].is(Operand::Kind::integer))
    return refusal(form, "a table that is no number");
  const auto table = static_cast<uint32_t>(operands[4].integer) & 0xff;
  const OperandTypes types = {Type::b32, Type::b32, Type::b32, Type::b32, Type::none};
  const bool by_or = form.has(Modifier::disjunction);
  if (!by_or && !form.has(Modifier::conjunction)) return elementwise<LookUp>(types, table);
  Operation operation{executes<LookUpWithPredicate>(), table | (by_or ? joins_by_or : 0), types};
  operation.types.push_back(Type::pred);
  return operation;
}

// ---- Shifts -------------------------------------------------------------------------------------

template <class T>
struct ShiftLeft {
  T operator()(T a, uint32_t count) const {
    return count < width<T> ? static_cast<T>(a << (count & (width<T> - 1))) : 0;
  }
};

/// A signed type fills with its sign.
template <class T>
struct ShiftRight {
  T operator()(T a, uint32_t count) const {
    return static_cast<T>(a >> std::min(count, width<T> - 1) >>
                          (count >= width<T> && !std::is_signed_v<T> ? 1 : 0));
  }
};

template <template <class> class F>
Operation shift(const Form& form) {
  const Type type = form.type();
  return with_integer(type, [&]<class T>() { return elementwise<F<T>>({type, type, Type::u32}); });
}

/// Of the 64 bits of b and a.
template <bool left, bool clamps>
struct Funnel {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t count = clamps ? std::min(c, 32u) : c & 31;
    const uint64_t whole = uint64_t{b} << 32 | a;
    return static_cast<uint32_t>(left ? whole << count >> 32 : whole >> count);
  }
};

Operation funnel(const Form& form) {
  const bool left = form.has(Modifier::l), clamps = form.has(Modifier::clamp);
  if (left == form.has(Modifier::r) || clamps == form.has(Modifier::wrap))
    return refusal(form, "a shift without its direction and mode");
  if (left)
    return clamps ? uniform<Funnel<true, true>>(Type::b32)
                  : uniform<Funnel<true, false>>(Type::b32);
  return clamps ? uniform<Funnel<false, true>>(Type::b32)
                : uniform<Funnel<false, false>>(Type::b32);
}

// ---- prmt ---------------------------------------------------------------------------------------

uint32_t byte_of(uint64_t bytes, uint32_t number) {
  return static_cast<uint32_t>(bytes >> (8 * (number & 7))) & 0xff;
}

/// Four bits for each byte of the result: its number, and whether to repeat its sign instead.
struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (uint32_t n = 0; n < 4; ++n) {
      const uint32_t choice = selector >> (4 * n);
      const uint32_t byte = byte_of(bytes, choice);
      const uint32_t chosen = (choice & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0;
      result |= chosen << (8 * n);
    }
    return result;
  }
};

constexpr Modifier permute_modes[] = {Modifier::f4e, Modifier::b4e, Modifier::rc8,
                                      Modifier::ecl, Modifier::ecr, Modifier::rc16};
/// By mode and the last two bits of the selector: the numbers of the bytes, the first one last.
constexpr uint16_t permutations[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
};

struct PermuteByMode {
  uint32_t mode;

  uint32_t operator()(uint32_t a, uint32_t b, uint32_t selector) const {
    return Permute{}(a, b, permutations[mode][selector & 3]);
  }
};

Operation permute(const Form& form) {
  for (uint32_t mode = 0; mode < std::size(permute_modes); ++mode)
    if (form.has(permute_modes[mode])) return uniform<PermuteByMode>(Type::b32, mode);
  return uniform<Permute>(Type::b32);
}

constexpr Types bit_types = {Type::b16, Type::b32, Type::b64};
constexpr Types bits_and_predicates = {Type::pred, Type::b16, Type::b32, Type::b64};
constexpr Types shifted_types = {Type::b16, Type::b32, Type::b64, Type::u16, Type::u32,
                                 Type::u64, Type::s16, Type::s32, Type::s64};
constexpr Types b32_alone = {Type::b32};
constexpr Modifiers all_permute_modes = {Modifier::f4e, Modifier::b4e, Modifier::rc8,
                                         Modifier::ecl, Modifier::ecr, Modifier::rc16};
constexpr Modifiers funnel_modes = {Modifier::l, Modifier::r, Modifier::wrap, Modifier::clamp};

constexpr Entry entries_of_bits[] = {
    {"and", bits_and_predicates, {}, bitwise<BitAnd>},
    {"or", bits_and_predicates, {}, bitwise<BitOr>},
    {"xor", bits_and_predicates, {}, bitwise<BitXor>},
    {"not", bits_and_predicates, {}, bitwise<BitNot>},
    {"cnot", bit_types, {}, of_size<LogicalNot>},
    {"lop3", b32_alone, {Modifier::conjunction, Modifier::disjunction}, lop3},
    {"shl", bit_types, {}, shift<ShiftLeft>},
    {"shr", shifted_types, {}, shift<ShiftRight>},
    {"shf", b32_alone, funnel_modes, funnel},
    {"prmt", b32_alone, all_permute_modes, permute},
};

}  // namespace

llvm::ArrayRef<Entry> bit_entries() { return entries_of_bits; }

}  // namespace hone::ptx
