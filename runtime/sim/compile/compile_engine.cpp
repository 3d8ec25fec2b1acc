// Operations of engines, by the operands of their instructions: elements in shared memory, and
// those of global memory, which are read at once or are a box. And what threads wait for: groups of
// operations, and phases.
#include "ir/memory/boxes.h"
#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/SaveAndRestore.h"
#include "runtime/sim/compile/compiler.h"
#include "runtime/sim/memory.h"
#include "runtime/sim/phases.h"

namespace hone {
namespace {

using Operands = llvm::ArrayRef<Operand>;

const Operand& shared_operand(Operands operands) {
  return *llvm::find_if(operands, [](const Operand& operand) {
    return operand.tensor->scope == Scope::shared && operand.use != Use::signals;
  });
}

const Operand& global_operand(Operands operands) {
  return *llvm::find_if(
      operands, [](const Operand& operand) { return operand.tensor->scope == Scope::global; });
}

Access::Kind kind_of(const Operand& operand) {
  if (operand.use == Use::updates) return Access::Kind::update;
  return operand.writes() ? Access::Kind::write : Access::Kind::read;
}

}  // namespace

void SimCompiler::compile_engine(const Instr& instr) {
  emitter_.open_statement_scope();
  const auto operands = instr.operands();
  const Operand& shared = shared_operand(operands);
  AsyncDetail detail;
  detail.timeline = shared.timeline;
  detail.type = shared.tensor->type;
  detail.fills = shared.writes();
  detail.bytes = shared.count * size_of(detail.type);
  if (box_move(Stmt(&instr)))
    add_box(detail, instr, operands);
  else
    add_values(detail, instr, operands);
  append_plain(start_operations, static_cast<uint32_t>(program_.operations.size()));
  program_.operations.push_back(std::move(detail));
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

/// The elements in shared memory.
Access SimCompiler::shared_access(const Operand& shared) {
  Access access = place_access(kind_of(shared), {shared.tensor, shared.indices});
  access.is_async = shared.writes();
  access.width = shared.count;
  return access;
}

void SimCompiler::add_box(AsyncDetail& detail, const Instr& instr, Operands operands) {
  const BoxMove move = *box_move(Stmt(&instr));
  Access tile = shared_access(shared_operand(operands));
  tile.box_alignment = box_alignment(move.swizzle());
  detail.shared = add_access(tile);
  if (detail.fills) watch(watch_.box_access, detail.shared);
  detail.box = tensor_map_of(move, program_.kernel);
  Access box;
  box.kind = kind_of(global_operand(operands));
  box.memory = static_cast<uint32_t>(detail.box->operand);
  box.statement = statement_;
  box.place = Load::make(program_.kernel.arguments[box.memory], move.memory.indices);
  detail.memory = add_access(box);
  if (box.kind == Access::Kind::update) detail.update = form_of_meaning(instr).body;
  for (const Operand& operand : operands)
    if (operand.use == Use::signals)
      detail.phase = add_phase_use(Access::Kind::update, {operand.tensor, operand.indices});
  for (const Expr& coordinate : coordinates_of(move, program_.kernel))
    detail.coordinates.push_back(emitter_.broadcast(compile(coordinate)).slot);
  program_.has_fences = true;
}

/// Adds the values that the lanes read at once.
void SimCompiler::add_values(AsyncDetail& detail, const Instr& instr, Operands operands) {
  moves_ = true;
  for (const Value& value : read_clipped(instr, global_operand(operands)))
    detail.values.push_back(value.slot);
  const Access access = shared_access(shared_operand(operands));
  watch(access, detail.values);
  detail.shared = add_access(access);
}

/// The elements of the operand; zeros in lanes that are to have these.
llvm::SmallVector<Value, 8> SimCompiler::read_clipped(const Instr& instr, const Operand& operand) {
  const DType type = operand.tensor->type;
  llvm::SmallVector<Value, 8> values;
  llvm::SmallVector<Slot, 8> slots;
  for (int64_t n = 0; n < operand.count; ++n) {
    values.push_back(emitter_.make_value(type, false));
    slots.push_back(values.back().slot);
  }
  const auto read = [&] {
    append_vector(load_vector_operation(type),
                  place_access(Access::Kind::read, {operand.tensor, operand.indices}), slots);
  };
  if (!operand.condition.defined()) {
    read();
    return values;
  }
  const Expr zero = llvm::cast<Select>(instr.values[0])->if_false;
  const Value is_inside = compile_condition(operand.condition);
  branch(is_inside, true, read);
  branch(is_inside, false, [&] {
    for (const Value& value : values) emitter_.move(value, compile(zero));
  });
  return values;
}

// ---- Phases and groups --------------------------------------------------------------------------

namespace {

/// The code of an instruction about an mbarrier, its last place, or of one without places; null
/// for others.
Instruction::Execute execute_of(const Opcode& opcode) {
  static const llvm::DenseMap<const Opcode*, Instruction::Execute> all = {
      {&op::fence_engine,
       [](Worker& worker, const Instruction&) {
         if (worker.observer) worker.observer->fence(worker);
       }},
      {&op::init_mbarrier, init_phases},
      {&op::arrive_mbarrier,
       [](Worker& worker, const Instruction& arrival) {
         arrive_at_phase(worker, arrival, Timeline::async_thread);
       }},
      {&op::arrive_in_blocks,
       [](Worker& worker, const Instruction& arrival) {
         arrive_at_phase(worker, arrival, Timeline::thread);
       }},
      {&op::expect_bytes, expect_bytes},
      {&op::wait_mbarrier, wait_for_phase},
      {&op::test_mbarrier, test_phase},
  };
  return all.lookup(&opcode);
}

/// True if an engine reads or writes for it. An arrival after what engines do is the thread's.
bool has_engine(const Instr& instr) {
  return llvm::any_of(instr.operands(), [](const Operand& operand) {
    return operand.timeline != Timeline::thread && (operand.reads() || operand.writes());
  });
}

}  // namespace

/// The place in the program's table for the barriers that the slots of lanes say.
uint32_t SimCompiler::add_phase_use(Access::Kind kind, const ElementRef& place) {
  const Access access = place_access(kind, place);
  Memory& memory = program_.memories[access.memory];
  if (!memory.first_barrier) {
    memory.first_barrier = program_.phase_barriers;
    program_.phase_barriers += static_cast<uint32_t>(memory.own_elements * program_.kernel.cluster);
  }
  program_.phase_uses.push_back({add_access(access), *memory.first_barrier, statement_});
  return static_cast<uint32_t>(program_.phase_uses.size() - 1);
}

/// The value, of those that have one, is a parity. Of several places the first is a flag, which
/// stays false where an observer is to see the wait that a test may spare.
void SimCompiler::compile_phase(const Instr& instr, Instruction::Execute execute) {
  emitter_.open_statement_scope();
  Instruction instruction;
  instruction.execute = execute;
  std::optional<Value> flag;
  if (instr.places.size() > 1) flag = emitter_.make_value(DType::boolean, false);
  if (flag) instruction.destination = flag->slot;
  if (!instr.values.empty())
    instruction.operands[0] = emitter_.broadcast(compile(instr.values[0])).slot;
  using Kind = Access::Kind;
  const Use use = instr.opcode.uses.back();
  const Kind kind = use == Use::awaits   ? Kind::read
                    : use == Use::begins ? Kind::write
                                         : Kind::update;
  instruction.detail = add_phase_use(kind, instr.places.back());
  if (flag && watch_.issue)
    emitter_.move(*flag, emitter_.constant(Scalar::of_int(DType::boolean, 0)));
  else
    emitter_.append(instruction);
  if (flag) write_register(place_access(Kind::write, instr.places[0]), *flag);
  emitter_.close_scope();
  if (execute == wait_for_phase) ++waits_;
}

void SimCompiler::compile_groups(const Instr& instr) {
  const Groups& groups = instr.opcode.rules.groups;
  append_plain(groups.commits() ? commit_groups : wait_for_groups,
               static_cast<uint32_t>(program_.groups.size()));
  program_.groups.push_back({groups.timeline, groups.awaits() ? instr.constants[0] : 0,
                             groups.part != Groups::Part::awaits_reads});
  program_.has_engines = true;
}

void SimCompiler::compile_for_engines(const Instr& instr) {
  if (instr.opcode.rules.groups != Groups()) return compile_groups(instr);
  const int64_t blocks = blocks_of(instr);
  if (blocks == 1) return compile_in_block(instr);
  for (int64_t block = 0; block < blocks; ++block) {
    const llvm::SaveAndRestore<std::optional<int64_t>> other(block_, block);
    compile_in_block(instr);
  }
}

void SimCompiler::compile_in_block(const Instr& instr) {
  const auto execute = execute_of(instr.opcode);
  const bool starts = has_engine(instr);
  program_.has_engines |= starts || execute;
  program_.has_fences |= &instr.opcode == &op::fence_engine;
  if (starts)
    compile_engine(instr);
  else if (execute && !instr.places.empty())
    compile_phase(instr, execute);
  else if (execute)
    append_plain(execute, instr.constants.empty() ? 0 : static_cast<uint32_t>(instr.constants[0]));
}

}  // namespace hone
