#include "runtime/sim/memory.h"

#include <algorithm>
#include <limits>

#include "runtime/sim/access.h"

namespace hone {
namespace {

// ---- Global and shared --------------------------------------------------------------------------

/// Elements are in memory as they are in lanes.
template <DType type>
constexpr bool is_stored_as_is = type != DType::boolean&& std::is_same_v<Lane<type>, Stored<type>>;

template <DType type>
void load_row(Lane<type>* result, const Stored<type>* source, int length, int step) {
  if (step == 0)
    std::fill_n(result, length, decode<type>(*source));
  else if constexpr (is_stored_as_is<type>)
    std::memcpy(result, source, length * sizeof *source);
  else
    std::transform(source, source + length, result, decode<type>);
}

template <DType type>
void load(Worker& worker, const Instruction& instruction) {
  const Address from = open_access(worker, access_of(worker, instruction));
  const auto* source = reinterpret_cast<const Stored<type>*>(from.data) + from.uniform;
  auto* result = worker.at<Lane<type>>(instruction.destination);
  if (!from.base) return load_row<type>(result, source, worker.lanes, 0);

  const int64_t* offsets = from.base->values;
  const Rows rows = from.base->rows;
  if (rows.length > 0 && worker.mask->is_full()) {
    for (int start = 0; start < worker.lanes; start += rows.length)
      load_row<type>(result + start, source + offsets[start], rows.length, rows.step);
    return;
  }
  worker.mask->for_each([&](int lane) { result[lane] = decode<type>(source[offsets[lane]]); });
}

template <DType type>
void store_row(Stored<type>* target, const Lane<type>* values, int length) {
  if constexpr (is_stored_as_is<type>)
    std::memcpy(target, values, length * sizeof *values);
  else
    std::transform(values, values + length, target, encode<type>);
}

template <DType type>
void store(Worker& worker, const Instruction& instruction) {
  const Address to = open_access(worker, access_of(worker, instruction));
  auto* target = reinterpret_cast<Stored<type>*>(to.data) + to.uniform;
  const auto* values = worker.at<Lane<type>>(instruction.operands[0]);
  if (!to.base) {
    *target = encode<type>(values[worker.mask->last()]);
    return;
  }

  const int64_t* offsets = to.base->values;
  const Rows rows = to.base->rows;
  if (rows.step == 1 && worker.mask->is_full()) {
    for (int start = 0; start < worker.lanes; start += rows.length)
      store_row<type>(target + offsets[start], values + start, rows.length);
    return;
  }
  worker.mask->for_each([&](int lane) { target[offsets[lane]] = encode<type>(values[lane]); });
}

// ---- Registers ----------------------------------------------------------------------------------

template <DType type>
void find_register(Worker& worker, const Instruction& instruction) {
  const Address address = open_access(worker, access_of(worker, instruction));
  worker.slots[instruction.destination] =
      address.data + address.uniform * worker.lane_stride(sizeof(Lane<type>));
}

template <DType type>
void store_register(Worker& worker, const Instruction& instruction) {
  const auto [target_slot, value_slot, unused] = instruction.operands;
  auto* target = worker.at<Lane<type>>(target_slot);
  const auto* values = worker.at<Lane<type>>(value_slot);
  if (target == values) {
    worker.slots[value_slot] = worker.slot_homes[value_slot];
    return;
  }
  if (worker.mask->is_full())
    std::copy_n(values, worker.lanes, target);
  else
    worker.mask->for_each([&](int lane) { target[lane] = values[lane]; });
}

template <DType type>
Lane<type>& register_of_lane(const Worker& worker, const Address& address, int lane) {
  const size_t stride = worker.lane_stride(sizeof(Lane<type>));
  return reinterpret_cast<Lane<type>*>(address.data + address.element(lane) * stride)[lane];
}

template <DType type>
void load_registers(Worker& worker, const Instruction& instruction) {
  const Address from = open_access(worker, access_of(worker, instruction));
  auto* result = worker.at<Lane<type>>(instruction.destination);
  worker.mask->for_each(
      [&](int lane) { result[lane] = register_of_lane<type>(worker, from, lane); });
}

template <DType type>
void store_registers(Worker& worker, const Instruction& instruction) {
  const Address to = open_access(worker, access_of(worker, instruction));
  const auto* values = worker.at<Lane<type>>(instruction.operands[0]);
  worker.mask->for_each([&](int lane) { register_of_lane<type>(worker, to, lane) = values[lane]; });
}

// ---- Allocations --------------------------------------------------------------------------------

template <DType type>
void poison_shared(Worker& worker, const Instruction& instruction) {
  if (!worker.is_whole()) return;  // others of the block may still use what was there
  const Memory& memory = worker.program.memories[instruction.detail];
  auto* const first = reinterpret_cast<Stored<type>*>(worker.places[instruction.detail].data);
  for (int64_t block = 0; block < worker.launch.cluster(); ++block)
    std::fill_n(first + block * memory.part_stride, memory.own_elements,
                encode<type>(poison<type>()));
}

template <DType type>
void poison_registers(Worker& worker, const Instruction& instruction) {
  const Place& place = worker.places[instruction.detail];
  const size_t stride = worker.lane_stride(sizeof(Lane<type>)) / sizeof(Lane<type>);
  auto* const first = reinterpret_cast<Lane<type>*>(place.data);
  for (int64_t element = 0; element < place.elements; ++element)
    std::fill_n(first + element * stride, worker.padded_lanes, poison<type>());
}

}  // namespace

Instruction::Execute load_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return load<t>; });
}

Instruction::Execute store_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return store<t>; });
}

Instruction::Execute find_register_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return find_register<t>; });
}

void redirect_to_register(Worker& worker, const Instruction& instruction) {
  const auto [value_slot, target_slot, unused] = instruction.operands;
  if (worker.mask->is_full()) worker.slots[value_slot] = worker.slots[target_slot];
}

Instruction::Execute store_register_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return store_register<t>; });
}

Instruction::Execute load_registers_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return load_registers<t>; });
}

Instruction::Execute store_registers_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return store_registers<t>; });
}

Instruction::Execute poison_operation(const TensorNode& tensor) {
  const bool in_registers = tensor.scope == Scope::registers;
  return with_type(tensor.type, [in_registers]<DType t>() -> Instruction::Execute {
    return in_registers ? poison_registers<t> : poison_shared<t>;
  });
}

}  // namespace hone
