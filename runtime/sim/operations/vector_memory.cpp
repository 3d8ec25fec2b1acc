// Accesses of several elements per lane.
#include "runtime/sim/access.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

const Access& access_of(const Worker& worker, const VectorDetail& vector) {
  return worker.program.accesses[vector.access];
}

template <DType type>
void load_vector(Worker& worker, const Instruction& instruction) {
  const VectorDetail& vector = worker.program.vectors[instruction.detail];
  const Address from = open_access(worker, access_of(worker, vector));
  const auto* source = reinterpret_cast<const Stored<type>*>(from.data);
  for (const Slot slot : vector.elements) {
    auto* result = worker.at<Lane<type>>(slot);
    worker.mask->for_each(
        [&](int lane) { result[lane] = decode<type>(source[from.element(lane)]); });
    ++source;
  }
}

/// If several lanes write one element, the value of the last one stays.
template <DType type>
void store_vector(Worker& worker, const Instruction& instruction) {
  const VectorDetail& vector = worker.program.vectors[instruction.detail];
  const Address to = open_access(worker, access_of(worker, vector));
  auto* target = reinterpret_cast<Stored<type>*>(to.data);
  for (const Slot slot : vector.elements) {
    const auto* values = worker.at<Lane<type>>(slot);
    worker.mask->for_each([&](int lane) { target[to.element(lane)] = encode<type>(values[lane]); });
    ++target;
  }
}

}  // namespace

Instruction::Execute load_vector_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return load_vector<t>; });
}

Instruction::Execute store_vector_operation(DType type) {
  return with_type(type, []<DType t>() -> Instruction::Execute { return store_vector<t>; });
}

}  // namespace hone
