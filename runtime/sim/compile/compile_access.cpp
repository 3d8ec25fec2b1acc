// Tensors and where their elements are.
#include <cassert>

#include "ir/interpret/buffer.h"
#include "llvm/Support/SaveAndRestore.h"
#include "runtime/sim/compile/compiler.h"
#include "runtime/sim/memory.h"

namespace hone {

uint32_t SimCompiler::add_memory(Memory memory) {
  const auto number = static_cast<uint32_t>(program_.memories.size());
  memories_[memory.tensor.get()] = number;
  program_.memories.push_back(std::move(memory));
  return number;
}

/// Allocations are known by their node; a global tensor is an argument, whose number
/// is that of its memory.
uint32_t SimCompiler::memory_of(const TensorPtr& tensor) const {
  if (const auto known = memories_.find(tensor.get()); known != memories_.end())
    return known->second;
  const auto& arguments = program_.kernel.arguments;
  const auto argument = llvm::find_if(
      arguments, [&](const TensorPtr& candidate) { return candidate->id == tensor->id; });
  assert(argument != arguments.end() && "a tensor that is neither an argument nor allocated");
  return static_cast<uint32_t>(argument - arguments.begin());
}

LaneIndex SimCompiler::flat_offset(const Memory& memory, llvm::ArrayRef<IndexSum> indices) {
  if (memory.argument >= 0) {
    assert(indices.size() == 1 && "a global tensor is indexed by one flat offset");
    return lane_index_of(indices[0]);
  }
  const bool has_parts = memory.is_shared() && program_.kernel.cluster > 1;
  const bool is_in_parts = has_parts && memory.tensor->is_in_parts && !indices.empty();
  IndexSum offset;
  for (const auto& [index, extent] :
       llvm::drop_begin(llvm::zip(indices, memory.extents), is_in_parts ? 1 : 0))
    offset = offset * IndexSum::constant(extent) + index;
  if (!has_parts) return lane_index_of(offset);
  const IndexSum part = is_in_parts ? indices[0]
                        : block_    ? IndexSum::constant(*block_)
                                    : IndexSum::of(program_.block_in_cluster);
  return lane_index_of(part * IndexSum::constant(memory.part_stride) + offset);
}

/// The blocks of a cluster have tensors, or parts of one, as far apart as their shared memory.
void SimCompiler::place_parts(Memory& memory) const {
  const int64_t blocks = program_.kernel.cluster;
  memory.own_elements = memory.tensor->is_in_parts ? memory.elements / blocks : memory.elements;
  memory.part_stride =
      blocks == 1 ? memory.own_elements : program_.block_stride() / size_of(memory.tensor->type);
  memory.elements = (blocks - 1) * memory.part_stride + memory.own_elements;
}

/// A value read as an index does not go on to the element that the statement writes.
std::vector<IndexSum> SimCompiler::indices_of(const Load& place) {
  const llvm::SaveAndRestore<bool> moves(moves_, false), joins(joins_, false);
  std::vector<IndexSum> indices;
  for (const Expr& index : place.indices) indices.push_back(index_of(index));
  return indices;
}

Access SimCompiler::make_access(Access::Kind kind, const Load& place, const Expr& text) {
  Access access;
  access.kind = kind;
  access.memory = memory_of(place.tensor);
  access.statement = statement_;
  access.moves = moves_;
  access.joins = joins_;
  access.place = text;
  access.is_in_all_blocks = block_.has_value();
  const std::vector<IndexSum> indices = indices_of(place);
  access.offset = flat_offset(program_.memories[access.memory], indices);
  if (program_.memories[access.memory].argument < 0)
    for (const IndexSum& index : indices) access.indices.push_back(lane_index_of(index));
  return access;
}

uint32_t SimCompiler::add_access(const Access& access) {
  program_.accesses.push_back(access);
  return static_cast<uint32_t>(program_.accesses.size() - 1);
}

void SimCompiler::watch(const Access& access, llvm::ArrayRef<Slot> values) {
  const auto execute = is_in_registers(access) ? watch_.register_access : watch_.access;
  if (!execute) return;
  Access watched = access;
  watched.values.assign(values.begin(), values.end());
  watch(execute, add_access(watched));
}

bool SimCompiler::is_in_registers(const Access& access) const {
  return program_.memories[access.memory].tensor->scope == Scope::registers;
}

Value SimCompiler::find_register(const Access& access, DType type) {
  Instruction instruction;
  instruction.execute = find_register_operation(type);
  instruction.destination = emitter_.make_alias();
  instruction.detail = add_access(access);
  emitter_.append(instruction);
  return {instruction.destination, type, false};
}

Value SimCompiler::load(const Access& access, DType type) {
  const bool in_registers = is_in_registers(access);
  watch(access);
  if (in_registers && access.offset.is_uniform()) return find_register(access, type);
  const Value result = emitter_.make_value(type, false);
  Instruction instruction;
  instruction.execute = in_registers ? load_registers_operation(type) : load_operation(type);
  instruction.destination = result.slot;
  instruction.detail = add_access(access);
  emitter_.append(instruction);
  return result;
}

}  // namespace hone
