// mov: of registers, and between a register and its parts.
#include "runtime/ptx/operations/elementwise.h"

namespace hone::ptx {
namespace {

template <class T>
struct Same {
  T operator()(T value) const { return value; }
};

struct CopyPredicate {
  static void run(Warp& warp, const Op& op) {
    write_mask(warp, op.destination, Source<bool>(warp, op, 0).holds);
  }
};

struct Bits128 {
  uint64_t low, high;
};

Operation copy(Type type) {
  if (type == Type::pred) return {executes<CopyPredicate>(), 0, {type, type}};
  if (type == Type::b128) return uniform<Same<Bits128>>(type);
  return with_size(type, [&]<class T>() { return uniform<Same<T>>(type); });
}

/// A part of 8 bits takes 16 of its register.
template <class Part>
using RegisterOf = std::conditional_t<sizeof(Part) == 1, uint16_t, Part>;

/// The first part is the lowest.
template <class Whole, class Part>
struct PackParts {
  static constexpr size_t count = sizeof(Whole) / sizeof(Part);

  static void run(Warp& warp, const Op& op) {
    std::array<const RegisterOf<Part>*, count> parts;
    for (size_t n = 0; n < count; ++n) parts[n] = warp.at<RegisterOf<Part>>(op.sources[n]);
    write_lanes<Whole>(warp, op.destination, [&](int lane) {
      std::array<Part, count> whole;
      for (size_t n = 0; n < count; ++n) whole[n] = static_cast<Part>(parts[n][lane]);
      return std::bit_cast<Whole>(whole);
    });
  }
};

template <class Whole, class Part>
struct UnpackParts {
  static constexpr size_t count = sizeof(Whole) / sizeof(Part);

  static void run(Warp& warp, const Op& op) {
    Whole values[lanes];  // a part may be the same register
    std::memcpy(values, warp.at<Whole>(op.sources[0]), sizeof values);
    for (size_t n = 0; n < count; ++n) {
      const Ref part = n == 0 ? op.destination : op.sources[n];
      if (!part.exists()) continue;
      write_lanes<RegisterOf<Part>>(warp, part, [&](int lane) {
        return RegisterOf<Part>{std::bit_cast<std::array<Part, count>>(values[lane])[n]};
      });
    }
  }
};

struct PartForm {
  Type whole;
  size_t count;
  Type part;
  Op::Execute (*pack)(), (*unpack)();
};

template <class Whole, class Part>
constexpr PartForm part_form(Type whole, Type part) {
  return {whole, sizeof(Whole) / sizeof(Part), part, executes<PackParts<Whole, Part>>,
          executes<UnpackParts<Whole, Part>>};
}

constexpr PartForm part_forms[] = {
    part_form<uint16_t, uint8_t>(Type::b16, Type::b8),
    part_form<uint32_t, uint8_t>(Type::b32, Type::b8),
    part_form<uint32_t, uint16_t>(Type::b32, Type::b16),
    part_form<uint64_t, uint16_t>(Type::b64, Type::b16),
    part_form<uint64_t, uint32_t>(Type::b64, Type::b32),
    part_form<Bits128, uint64_t>(Type::b128, Type::b64),
    part_form<Bits128, uint32_t>(Type::b128, Type::b32),
};

Operation move_parts(const Form& form, bool packs) {
  const size_t count = form.instruction.operands[packs ? 1 : 0].parts.size();
  for (const PartForm& known : part_forms)
    if (bytes_of(known.whole) == bytes_of(form.type()) && known.count == count)
      return packs ? Operation{known.pack(), 0, {known.whole, known.part}}
                   : Operation{known.unpack(), 0, {known.part, known.whole}};
  return refusal(form, std::to_string(count) + " parts");
}

/// A symbol is a constant, and a special register any other one.
Operation move(const Form& form) {
  const auto& operands = form.instruction.operands;
  if (operands.size() == 2 && form.type() != Type::pred)
    for (const size_t n : {0, 1})
      if (operands[n].is(Operand::Kind::vector)) return move_parts(form, n == 1);
  return copy(form.type());
}

constexpr Types moved_types = {Type::pred, Type::b16, Type::b32, Type::b64, Type::b128,
                               Type::u16,  Type::u32, Type::u64, Type::s16, Type::s32,
                               Type::s64,  Type::f16, Type::f32, Type::f64};

constexpr Entry entries_of_moves[] = {{"mov", moved_types, {}, move}};

}  // namespace

llvm::ArrayRef<Entry> move_entries() { return entries_of_moves; }

}  // namespace hone::ptx
