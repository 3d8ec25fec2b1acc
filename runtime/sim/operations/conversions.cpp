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

/// Any conversion, by way of ir/scalar/scalar.h.
template <DType to, DType from>
Lane<to> convert_scalar(Lane<from> value) {
  const Scalar result = convert(to, scalar_of<from>(value));
  if constexpr (is_float_lane<to>) return static_cast<Lane<to>>(result.real);
  return static_cast<Lane<to>>(result.integer);
}

/// True if converting between the types of the lanes and then narrowing rounds once and never
/// leaves the range.
template <DType to, DType from>
constexpr bool converts_by_lane() {
  constexpr bool to_float = is_float_lane<to>;
  constexpr bool from_float = is_float_lane<from>;
  if (to == DType::boolean) return true;
  if (from_float && !to_float) return false;
  if (is_ring(to)) return true;
  const bool is_narrow_float = to_float && to != DType::f64 && to != DType::f32;
  return !is_narrow_float || std::is_same_v<Lane<from>, float>;
}

template <DType to, DType from>
struct Convert {
  /// Of the ring, or of its part of 8 bits.
  static double element_of(Lane<from> value) {
    if constexpr (is_ring(from)) return value;
    if constexpr (is_float_lane<from>) return ring_element(double{value});
    return ring_element(static_cast<int64_t>(value));
  }

  Lane<to> operator()(Lane<from> value) const {
    if constexpr (to == DType::boolean) return value != 0;
    if constexpr (is_ring(to)) return narrow<to>(element_of(value));
    if constexpr (!converts_by_lane<to, from>()) return convert_scalar<to, from>(value);
    return narrow<to>(static_cast<Lane<to>>(value));
  }
};

/// True where a tuple of that size may have such a component beside another one.
template <DType tuple, DType part>
constexpr bool is_part = sizeof(Stored<part>) < sizeof(Lane<tuple>);

/// For `lanes` lanes; the detail is where the component lies in the tuple.
template <DType tuple, DType part>
void set_component(Worker& worker, const Instruction& instruction, int lanes) {
  const auto* values = worker.at<Lane<tuple>>(instruction.operands[0]);
  const auto* components = worker.at<Lane<part>>(instruction.operands[1]);
  auto* result = worker.at<Lane<tuple>>(instruction.destination);
  for (int lane = 0; lane < lanes; ++lane) {
    const Stored<part> component = encode<part>(components[lane]);
    Lane<tuple> value = values[lane];
    std::memcpy(value.bytes.data() + instruction.detail, &component, sizeof component);
    result[lane] = value;
  }
}

template <DType tuple, DType part>
void take_component(Worker& worker, const Instruction& instruction, int lanes) {
  const auto* values = worker.at<Lane<tuple>>(instruction.operands[0]);
  auto* result = worker.at<Lane<part>>(instruction.destination);
  for (int lane = 0; lane < lanes; ++lane) {
    Stored<part> component;
    std::memcpy(&component, values[lane].bytes.data() + instruction.detail, sizeof component);
    result[lane] = decode<part>(component);
  }
}

/// `run` for one uniform value, and for all lanes.
template <void (*run)(Worker&, const Instruction&, int)>
Operation for_each_lane() {
  return {[](Worker& worker, const Instruction& instruction) { run(worker, instruction, 1); },
          [](Worker& worker, const Instruction& instruction) {
            run(worker, instruction, worker.padded_lanes);
          }};
}

/// Calls `use.operator()<tuple, part>()` for the types of a tuple and of a component.
template <class Use>
Operation with_component(DType tuple, unsigned position, Use use) {
  return with_tuple_type(tuple, [&]<DType t>() {
    return with_number_type(component_type(tuple, position), [&]<DType part>() -> Operation {
      if constexpr (is_part<t, part>) return use.template operator()<t, part>();
      llvm_unreachable("a component as large as its tuple");
    });
  });
}

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
  return with_number_type(to, [from]<DType t>() {
    return with_number_type(from, []<DType f>() { return cast<t, f>(); });
  });
}

Operation move_operation(DType type) {
  return with_type(type, []<DType t>() { return elementwise_if_active<Same<t>, Lane<t>>(); });
}

Instruction::Execute broadcast_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return broadcast<t>; });
}

Operation set_component_operation(DType tuple, unsigned position) {
  return with_component(tuple, position, []<DType t, DType part>() {
    return for_each_lane<set_component<t, part>>();
  });
}

Operation component_operation(DType tuple, unsigned position) {
  return with_component(tuple, position, []<DType t, DType part>() {
    return for_each_lane<take_component<t, part>>();
  });
}

}  // namespace hone
