// Casts, and values that are passed on as they are.
#include <algorithm>

#include "runtime/sim/operation.h"

namespace hone {
namespace {

template <DType type>
struct Same {
  Lane<type> operator()(Lane<type> value) const { return value; }
};

template <DType type>
Scalar scalar_of(Lane<type> value) {
  if constexpr (is_float_lane<type>) return Scalar::of_float(type, value);
  return Scalar::of_int(type, static_cast<int64_t>(value));
}

/// Any conversion, by way of ir/scalar.h.
template <DType to, DType from>
Lane<to> convert_scalar(Lane<from> value) {
  const Scalar result = convert(to, scalar_of<from>(value));
  if constexpr (is_float_lane<to>) return static_cast<Lane<to>>(result.real);
  return static_cast<Lane<to>>(result.integer);
}

/// Whether converting between the types of the lanes and then narrowing rounds once and never
/// leaves the range.
template <DType to, DType from>
constexpr bool converts_by_lane() {
  constexpr bool to_float = is_float_lane<to>;
  constexpr bool from_float = is_float_lane<from>;
  if (to == DType::boolean) return true;
  if (from_float && !to_float) return false;
  const bool to_half = to == DType::f16 || to == DType::bf16;
  return !to_half || from == DType::f32 || from == DType::f16 || from == DType::bf16;
}

template <DType to, DType from>
struct Convert {
  Lane<to> operator()(Lane<from> value) const {
    if constexpr (to == DType::boolean) return value != 0;
    if constexpr (!converts_by_lane<to, from>()) return convert_scalar<to, from>(value);
    return narrow<to>(static_cast<Lane<to>>(value));
  }
};

/// The first number in the low half.
template <class Second>
struct MakePairs {
  int64_t operator()(float first, Second second) const {
    const auto low = std::bit_cast<uint32_t>(first), high = std::bit_cast<uint32_t>(second);
    return static_cast<int64_t>(uint64_t{high} << 32 | low);
  }
};

template <class Number, unsigned position>
struct TakeComponent {
  Number operator()(int64_t pair) const {
    return std::bit_cast<Number>(static_cast<uint32_t>(pair >> (32 * position)));
  }
};

template <DType type>
void broadcast(Worker& worker, const Instruction& instruction) {
  std::fill_n(worker.at<Lane<type>>(instruction.destination), worker.padded_lanes,
              *worker.at<Lane<type>>(instruction.operands[0]));
}

template <DType to, DType from>
Operation cast() {
  if constexpr (converts_by_lane<to, from>()) return elementwise<Convert<to, from>, Lane<from>>();
  return elementwise_if_active<Convert<to, from>, Lane<from>>();
}

}  // namespace

Operation cast_operation(DType to, DType from) {
  return with_type(
      to, [from]<DType t>() { return with_type(from, []<DType f>() { return cast<t, f>(); }); });
}

Operation move_operation(DType type) {
  return with_type(type, []<DType t>() { return elementwise_if_active<Same<t>, Lane<t>>(); });
}

Instruction::Execute broadcast_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return broadcast<t>; });
}

Operation pair_operation(DType type) {
  return component_type(type, 1) == f32 ? elementwise<MakePairs<float>, float, float>()
                                        : elementwise<MakePairs<int32_t>, float, int32_t>();
}

Operation component_operation(DType type, unsigned position) {
  if (position == 0) return elementwise<TakeComponent<float, 0>, int64_t>();
  return component_type(type, 1) == f32 ? elementwise<TakeComponent<float, 1>, int64_t>()
                                        : elementwise<TakeComponent<int32_t, 1>, int64_t>();
}

}  // namespace hone
