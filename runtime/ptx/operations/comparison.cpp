// Comparisons, and choices by them.
#include "runtime/ptx/operations/elementwise.h"
#include "runtime/ptx/operations/layout.h"

namespace hone::ptx {
namespace {

/// How a value stands to another one. A comparison holds for a set of these.
constexpr uint32_t less = 1, equal = 2, greater = 4, unordered = 8;

struct Comparison {
  Modifier modifier;
  uint32_t relations;
};
constexpr Comparison comparisons[] = {
    {Modifier::eq, equal},
    {Modifier::ne, less | greater},
    {Modifier::lt, less},
    {Modifier::le, less | equal},
    {Modifier::gt, greater},
    {Modifier::ge, greater | equal},
    {Modifier::lo, less},
    {Modifier::ls, less | equal},
    {Modifier::hi, greater},
    {Modifier::hs, greater | equal},
    {Modifier::equ, equal | unordered},
    {Modifier::neu, less | greater | unordered},
    {Modifier::ltu, less | unordered},
    {Modifier::leu, less | equal | unordered},
    {Modifier::gtu, greater | unordered},
    {Modifier::geu, greater | equal | unordered},
    {Modifier::num, less | equal | greater},
    {Modifier::nan, unordered},
};

// In details, from the first bit: the relations of the comparison, and these.
constexpr uint32_t flushes_operands = 1 << 4;
constexpr uint32_t joins_and = 1 << 5, joins_or = 1 << 6, joins_xor = 1 << 7;
/// The value of true: all ones, or 1 of a type.
constexpr uint32_t true_is_f32 = 1 << 8, true_is_f16 = 1 << 9, true_is_bf16 = 1 << 10;
constexpr uint32_t result_is_narrow = 1 << 11;  ///< 16 bits

/// As a type of C++ that has comparisons.
float comparable(F16 value) { return wide(value); }
float comparable(Bf16 value) { return wide(value); }
template <class T>
T comparable(T value) {
  return value;
}

template <class T>
auto compared(T value, uint32_t detail) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else
    return comparable((detail & flushes_operands) != 0 ? operand_of(value, Finish{.ftz = true})
                                                       : value);
}

template <class T>
bool holds(T first, T second, uint32_t detail) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  const auto a = compared(first, detail), b = compared(second, detail);
  const Bits not_less = a == b ? equal : a > b ? greater : unordered;
  const Bits relation = a < b ? Bits{less} : not_less;
  return (relation & detail) != 0;
}

/// Joined with the third operand, where there is one.
LaneMask joined(const Warp& warp, const Op& op, LaneMask mask) {
  if ((op.detail & (joins_and | joins_or | joins_xor)) == 0) return mask;
  const LaneMask third = Source<bool>(warp, op, 2).holds;
  if ((op.detail & joins_and) != 0) return mask & third;
  return (op.detail & joins_or) != 0 ? mask | third : mask ^ third;
}

template <class T>
LaneMask mask_of_comparison(const Warp& warp, const Op& op) {
  const Source<T> a(warp, op, 0), b(warp, op, 1);
  return mask_of([&](int lane) { return holds(a[lane], b[lane], op.detail); });
}

/// Every second bit.
LaneMask even_bits(uint64_t bits) {
  constexpr uint64_t groups[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                 0x00ff00ff00ff00ff, 0x0000ffff0000ffff};
  bits &= groups[0];
  for (int n = 1; n < 5; ++n) bits = (bits | bits >> (1 << (n - 1))) & groups[n];
  return static_cast<LaneMask>(bits | bits >> 16);
}

/// Of the lower and the upper values of pairs.
template <class T>
Pair<LaneMask> masks_of_pairs(const Warp& warp, const Op& op) {
  const Source<T> a(warp, op, 0), b(warp, op, 1);
  const uint64_t bits = bits_where<2 * lanes>([&](int n) { return holds(a[n], b[n], op.detail); });
  return {even_bits(bits), even_bits(bits >> 1)};
}

// ---- setp ---------------------------------------------------------------------------------------

void write_predicates(const Warp& warp, const Op& op, LaneMask first, LaneMask second) {
  const LaneMask p = joined(warp, op, first), q = joined(warp, op, second);
  if (op.destination.exists()) write_mask(warp, op.destination, p);
  if (op.sources[3].exists()) write_mask(warp, op.sources[3], q);
}

template <class T>
struct SetPredicate {
  static void run(Warp& warp, const Op& op) {
    const LaneMask mask = mask_of_comparison<T>(warp, op);
    write_predicates(warp, op, mask, ~mask);
  }
};
/// p is that of the lower values, and q of the upper ones.
template <class T>
struct SetPredicate<Pair<T>> {
  static void run(Warp& warp, const Op& op) {
    const Pair<LaneMask> masks = masks_of_pairs<T>(warp, op);
    write_predicates(warp, op, masks.low, masks.high);
  }
};

// ---- set ----------------------------------------------------------------------------------------

uint32_t pattern_of_true(uint32_t detail) {
  if ((detail & true_is_f32) != 0) return Layout<float>::one;
  if ((detail & true_is_f16) != 0) return Layout<F16>::one;
  return (detail & true_is_bf16) != 0 ? Layout<Bf16>::one : ~0u;
}

template <class T>
struct SetValue {
  static void run(Warp& warp, const Op& op) {
    const LaneMask mask = joined(warp, op, mask_of_comparison<T>(warp, op));
    const uint32_t pattern = pattern_of_true(op.detail);
    const auto value = [&](int lane) { return pick((mask >> lane & 1) != 0, pattern, 0); };
    if ((op.detail & result_is_narrow) != 0)
      write_lanes<uint16_t>(warp, op.destination,
                            [&](int lane) { return static_cast<uint16_t>(value(lane)); });
    else
      write_lanes<uint32_t>(warp, op.destination, value);
  }
};
/// A half of the result for each of the two values.
template <class T>
struct SetValue<Pair<T>> {
  static void run(Warp& warp, const Op& op) {
    const Pair<LaneMask> masks = masks_of_pairs<T>(warp, op);
    const LaneMask low = joined(warp, op, masks.low), high = joined(warp, op, masks.high);
    const uint32_t pattern = pattern_of_true(op.detail) & 0xffff;
    write_lanes<uint32_t>(warp, op.destination, [&](int lane) {
      return pick((low >> lane & 1) != 0, pattern, 0) |
             pick((high >> lane & 1) != 0, pattern << 16, 0);
    });
  }
};

// ---- Forms --------------------------------------------------------------------------------------

template <template <class> class Run>
Op::Execute comparing(Type type) {
  switch (type) {
    case Type::f16:
      return executes<Run<F16>>();
    case Type::bf16:
      return executes<Run<Bf16>>();
    case Type::f16x2:
      return executes<Run<Pair<F16>>>();
    case Type::bf16x2:
      return executes<Run<Pair<Bf16>>>();
    case Type::f32:
      return executes<Run<float>>();
    case Type::f64:
      return executes<Run<double>>();
    default:
      return with_integer(type, []<class T>() { return executes<Run<T>>(); });
  }
}

/// 0 where the form has no comparison.
uint32_t comparison_detail(const Form& form) {
  uint32_t detail = form.has(Modifier::ftz) ? flushes_operands : 0;
  if (form.has(Modifier::conjunction)) detail |= joins_and;
  if (form.has(Modifier::disjunction)) detail |= joins_or;
  if (form.has(Modifier::exclusion)) detail |= joins_xor;
  for (const Comparison& comparison : comparisons)
    if (form.has(comparison.modifier)) return detail | comparison.relations;
  return 0;
}

/// Adds the predicate that the result is joined with.
OperandTypes compared_types(Type result, Type operand, uint32_t detail) {
  OperandTypes types = {result, operand, operand};
  if ((detail & (joins_and | joins_or | joins_xor)) != 0) types.push_back(Type::pred);
  return types;
}

Operation set_predicate(const Form& form) {
  const uint32_t detail = comparison_detail(form);
  if (detail == 0) return refusal(form, "a form without a comparison");
  return {comparing<SetPredicate>(form.type()), detail,
          compared_types(Type::pred, form.type(), detail)};
}

constexpr Types compared_reals = {Type::f16,    Type::f16x2, Type::bf16,
                                  Type::bf16x2, Type::f32,   Type::f64};
constexpr Types compared_integers = {Type::b16, Type::b32, Type::b64, Type::u16, Type::u32,
                                     Type::u64, Type::s16, Type::s32, Type::s64};

uint32_t result_detail(Type type) {
  const uint32_t narrow = bytes_of(type) == 2 ? result_is_narrow : 0;
  if (type == Type::f32) return narrow | true_is_f32;
  if (type == Type::f16 || type == Type::f16x2) return narrow | true_is_f16;
  return type == Type::bf16 || type == Type::bf16x2 ? narrow | true_is_bf16 : narrow;
}

Operation set_value(const Form& form) {
  const uint32_t detail = comparison_detail(form);
  const Type result = form.type(), operand = form.type(1);
  if (detail == 0) return refusal(form, "a form without a comparison");
  if (!(compared_reals | compared_integers).has(operand))
    return refusal(form, "a comparison of this type");
  return {comparing<SetValue>(operand), detail | result_detail(result),
          compared_types(result, operand, detail)};
}

// ---- Choices ------------------------------------------------------------------------------------

template <class T>
struct Select {
  T operator()(T a, T b, bool condition) const { return pick(condition, a, b); }
};

Operation select(const Form& form) {
  const Type type = form.type();
  return with_size(type, [&]<class T>() {
    return elementwise<Select<T>>({type, type, type, Type::pred});
  });
}

template <class T>
struct SelectBySign {
  T operator()(T a, T b, int32_t by) const { return pick(by >= 0, a, b); }
};

/// b where it is NaN.
template <class T>
struct SelectByFloat {
  uint32_t detail;

  T operator()(T a, T b, float by) const { return pick(compared(by, detail) >= 0, a, b); }
};

Operation select_by_sign(const Form& form) {
  const Type type = form.type(), by = form.type(1);
  const OperandTypes types = {type, type, type, by};
  if (by != Type::s32 && by != Type::f32) return refusal(form, "a choice by this type");
  if (by == Type::s32 && form.has(Modifier::ftz)) return refusal(form, ".ftz");
  const uint32_t detail = form.has(Modifier::ftz) ? flushes_operands : 0;
  return with_size(type, [&]<class T>() {
    return by == Type::s32 ? elementwise<SelectBySign<T>>(types)
                           : elementwise<SelectByFloat<T>>(types, detail);
  });
}

constexpr Modifiers joins = {Modifier::conjunction, Modifier::disjunction, Modifier::exclusion};
constexpr Modifiers of_integers = {Modifier::eq, Modifier::ne, Modifier::lt, Modifier::le,
                                   Modifier::gt, Modifier::ge, Modifier::lo, Modifier::ls,
                                   Modifier::hi, Modifier::hs};
constexpr Modifiers of_reals = {Modifier::eq,  Modifier::ne,  Modifier::lt,  Modifier::le,
                                Modifier::gt,  Modifier::ge,  Modifier::equ, Modifier::neu,
                                Modifier::ltu, Modifier::leu, Modifier::gtu, Modifier::geu,
                                Modifier::num, Modifier::nan, Modifier::ftz};
constexpr Types set_results = {Type::u16, Type::s16,  Type::u32,   Type::s32,   Type::f32,
                               Type::f16, Type::bf16, Type::f16x2, Type::bf16x2};
constexpr Types chosen = {Type::b16, Type::b32, Type::b64, Type::u16, Type::u32, Type::u64,
                          Type::s16, Type::s32, Type::s64, Type::f32, Type::f64};

constexpr Entry entries_of_comparisons[] = {
    {"setp", compared_integers, of_integers | joins, set_predicate},
    {"setp", compared_reals, of_reals | joins, set_predicate},
    {"set", set_results, of_integers | of_reals | joins, set_value, 2},
    {"selp", chosen, {}, select},
    {"slct", chosen, {Modifier::ftz}, select_by_sign, 2},
};

}  // namespace

llvm::ArrayRef<Entry> comparison_entries() { return entries_of_comparisons; }

}  // namespace hone::ptx
