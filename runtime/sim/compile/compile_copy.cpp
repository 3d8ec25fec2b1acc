// Vectors: a copy is one access to each side that is memory, of several elements per lane.
#include <cassert>

#include "runtime/sim/compile/compiler.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

/// The element of that number.
Expr element_of(const Region& region, int64_t number) {
  llvm::SmallVector<Expr, 4> indices;
  for (const Range& range : region.ranges)
    indices.push_back(range.is_point() || number == 0 ? range.offset : range.offset + number);
  return Load::make(region.tensor, indices);
}

bool lies_in_registers(const Region& region) { return region.tensor->scope == Scope::registers; }

}  // namespace

void SimCompiler::compile(const Copy& copy) {
  assert(copy.vector > 1 && "lowering turns other copies into loops");
  emitter_.open_statement_scope();
  moves_ = true;
  if (!lies_in_registers(copy.destination)) {
    write_vector(copy.destination, read_elements(copy.source, copy.vector));
  } else if (lies_in_registers(copy.source)) {
    write_elements(copy.destination, read_elements(copy.source, copy.vector));
  } else {
    read_to_registers(copy);
  }
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

Access SimCompiler::element_access(Access::Kind kind, const Region& region, int64_t number) {
  const Expr place = element_of(region, number);
  return make_access(kind, *llvm::cast<Load>(place.get()), place);
}

void SimCompiler::append_vector(Instruction::Execute execute, Access access,
                                llvm::ArrayRef<Slot> elements, bool is_watched) {
  access.width = static_cast<int64_t>(elements.size());
  const bool writes = access.kind == Access::Kind::write;
  if (is_watched) watch(access, writes ? elements : llvm::ArrayRef<Slot>());
  Instruction instruction;
  instruction.execute = execute;
  instruction.detail = static_cast<uint32_t>(program_.vectors.size());
  program_.vectors.push_back({add_access(access), {elements.begin(), elements.end()}});
  emitter_.append(instruction);
}

/// The lanes of registers are read to at once where all lanes have them in common.
void SimCompiler::read_to_registers(const Copy& copy) {
  const DType type = copy.source.tensor->type;
  llvm::SmallVector<Slot, 8> registers;
  llvm::SmallVector<Access, 8> written;
  for (int64_t number = 0; number < copy.vector; ++number) {
    written.push_back(element_access(Access::Kind::write, copy.destination, number));
    if (!written.back().offset.is_uniform())
      return write_elements(copy.destination, read_elements(copy.source, copy.vector));
    registers.push_back(find_register(written.back(), type).slot);
  }
  append_vector(load_vector_operation(type), element_access(Access::Kind::read, copy.source, 0),
                registers);
  for (const Access& access : written) watch(access);
}

llvm::SmallVector<Value, 8> SimCompiler::read_elements(const Region& region, int64_t count) {
  const DType type = region.tensor->type;
  llvm::SmallVector<Value, 8> values;
  llvm::SmallVector<Slot, 8> slots;
  for (int64_t number = 0; number < count; ++number) {
    values.push_back(lies_in_registers(region)
                         ? load(element_access(Access::Kind::read, region, number), type)
                         : emitter_.make_value(type, false));
    slots.push_back(values.back().slot);
  }
  if (!lies_in_registers(region))
    append_vector(load_vector_operation(type), element_access(Access::Kind::read, region, 0),
                  slots);
  return values;
}

void SimCompiler::write_vector(const Region& region, llvm::ArrayRef<Value> values) {
  llvm::SmallVector<Slot, 8> slots;
  for (const Value& value : values) slots.push_back(value.slot);
  append_vector(store_vector_operation(region.tensor->type),
                element_access(Access::Kind::write, region, 0), slots);
}

void SimCompiler::write_elements(const Region& region, llvm::ArrayRef<Value> values) {
  for (size_t number = 0; number < values.size(); ++number)
    write_register(element_access(Access::Kind::write, region, static_cast<int64_t>(number)),
                   values[number]);
}

void SimCompiler::write_register(const Access& access, Value value) {
  Instruction instruction;
  if (access.offset.is_uniform()) {
    instruction.execute = store_register_operation(value.type);
    instruction.operands = {find_register(access, value.type).slot, value.slot, no_slot};
  } else {
    instruction.execute = store_registers_operation(value.type);
    instruction.operands[0] = value.slot;
    instruction.detail = add_access(access);
  }
  emitter_.append(instruction);
  watch(access);
}

}  // namespace hone
