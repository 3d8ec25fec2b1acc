// Instructions: the ones that the simulated device has code of its own for.
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "llvm/ADT/DenseMap.h"
#include "runtime/sim/async_copies.h"
#include "runtime/sim/bulk_stores.h"
#include "runtime/sim/collective.h"
#include "runtime/sim/compiler.h"
#include "runtime/sim/meaning.h"
#include "runtime/sim/memory.h"

namespace hone {

Access SimCompiler::place_access(Access::Kind kind, const ElementRef& place) {
  const Expr text = Load::make(place.tensor, place.indices);
  return make_access(kind, *llvm::cast<Load>(text.get()), text);
}

/// An instruction whose one detail is its constant.
template <Instruction::Execute execute>
void SimCompiler::compile_plain(const Instr& instr) {
  append_plain(execute, instr.constants.empty() ? 0 : static_cast<uint32_t>(instr.constants[0]));
}

void SimCompiler::compile_fence(const Instr&) {
  program_.uses_engine = true;
  append_plain(fence_engine);
}

void SimCompiler::append_plain(Instruction::Execute execute, uint32_t detail) {
  Instruction instruction;
  instruction.execute = execute;
  instruction.detail = detail;
  emitter_.append(instruction);
}

/// One thread of the block arrives, and tells the others by the flag.
void SimCompiler::compile_arrive(const Instr& arrive) {
  emitter_.open_statement_scope();
  const Access access = place_access(Access::Kind::update, arrive.places[1]);
  watch(access);
  Instruction instruction;
  instruction.execute = arrive_operation();
  instruction.operands[0] = compile(arrive.values[0]).slot;
  const Value is_last = emitter_.make_value(DType::boolean, true);
  instruction.destination = is_last.slot;
  instruction.detail = add_access(access);
  emitter_.append(instruction);

  const Access target = place_access(Access::Kind::write, arrive.places[0]);
  Instruction store;
  store.execute = store_operation(DType::boolean);
  store.operands[0] = emitter_.broadcast(is_last).slot;
  store.detail = add_access(target);
  watch(watch_.arrival, instruction.detail, is_last.slot);
  watch(target, store.operands[0]);
  emitter_.append(store);
  emitter_.close_scope();
}

// ---- By meaning ---------------------------------------------------------------------------------

/// The value of that number, which a lane has at the place.
Access SimCompiler::value_access(Access::Kind kind, ElementRef place, int64_t number) {
  if (number > 0) place.indices.back() = place.indices.back() + number;
  return place_access(kind, place);
}

void SimCompiler::compile_meaning(const Instr& instr) {
  emitter_.open_statement_scope();
  MeaningDetail detail;
  detail.opcode = &instr.opcode;
  detail.function = parse_function(instr.opcode.rules.meaning);
  detail.statement = statement_;
  std::vector<std::pair<Access, Value>> results;
  for (const auto& [place, use, spread] :
       llvm::zip(instr.places, instr.opcode.uses, instr.opcode.rules.spreads)) {
    auto& before = detail.before.emplace_back();
    auto& after = detail.after.emplace_back();
    for (int value = 0; value < spread.values(); ++value) {
      const DType type = place.tensor->type;
      if (use != Use::writes)
        before.push_back(
            emitter_.broadcast(load(value_access(Access::Kind::read, place, value), type)).slot);
      if (use == Use::reads) continue;
      results.push_back(
          {value_access(Access::Kind::write, place, value), emitter_.make_value(type, false)});
      after.push_back(results.back().second.slot);
    }
  }
  append_plain(run_meaning, static_cast<uint32_t>(program_.meanings.size()));
  program_.meanings.push_back(std::move(detail));
  for (const auto& [access, value] : results) write_register(access, value);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

// ---- Mbarriers ----------------------------------------------------------------------------------

/// The place in the program's table for the mbarriers that the slots of lanes say.
uint32_t SimCompiler::add_mbarrier_use(Access::Kind kind, const ElementRef& place) {
  const Access access = place_access(kind, place);
  Memory& memory = program_.memories[access.memory];
  if (!memory.first_mbarrier) {
    memory.first_mbarrier = program_.mbarriers;
    program_.mbarriers += static_cast<uint32_t>(memory.elements);
  }
  program_.mbarrier_uses.push_back({add_access(access), *memory.first_mbarrier, statement_});
  return static_cast<uint32_t>(program_.mbarrier_uses.size() - 1);
}

/// The value, of those that have one, is a parity.
template <Instruction::Execute execute, Access::Kind kind>
void SimCompiler::compile_mbarrier(const Instr& instr) {
  emitter_.open_statement_scope();
  append_mbarrier(execute, kind, instr);
  emitter_.close_scope();
}

/// Appends what the instruction does to its mbarrier, its last place.
void SimCompiler::append_mbarrier(Instruction::Execute execute, Access::Kind kind,
                                  const Instr& instr, Slot destination) {
  Instruction instruction;
  instruction.execute = execute;
  instruction.destination = destination;
  if (!instr.values.empty())
    instruction.operands[0] = emitter_.broadcast(compile(instr.values[0])).slot;
  instruction.detail = add_mbarrier_use(kind, instr.places.back());
  emitter_.append(instruction);
}

void SimCompiler::compile_test(const Instr& test) {
  emitter_.open_statement_scope();
  const Value has_ended = emitter_.make_value(DType::boolean, false);
  append_mbarrier(test_mbarrier, Access::Kind::read, test, has_ended.slot);
  write_register(place_access(Access::Kind::write, test.places[0]), has_ended);
  emitter_.close_scope();
}

void SimCompiler::compile(const Instr& instr) {
  using Compile = void (SimCompiler::*)(const Instr&);
  static const llvm::DenseMap<const Opcode*, Compile> compilers = {
      {&op::barrier, &SimCompiler::compile_barrier},
      {&op::barrier_of_warp, &SimCompiler::compile_barrier},
      {&op::barrier_of_cluster, &SimCompiler::compile_barrier},
      {&op::named_barrier, &SimCompiler::compile_barrier},
      {&op::arrive, &SimCompiler::compile_arrive},
      {&op::copy_async, &SimCompiler::compile_copy_async},
      {&op::commit_group, &SimCompiler::compile_plain<commit_group>},
      {&op::wait_group, &SimCompiler::compile_plain<wait_group>},
      {&op::init_mbarrier, &SimCompiler::compile_mbarrier<init_mbarrier, Access::Kind::write>},
      {&op::arrive_mbarrier, &SimCompiler::compile_mbarrier<arrive_mbarrier, Access::Kind::update>},
      {&op::expect_bytes, &SimCompiler::compile_mbarrier<expect_bytes, Access::Kind::update>},
      {&op::wait_mbarrier, &SimCompiler::compile_mbarrier<wait_mbarrier, Access::Kind::read>},
      {&op::test_mbarrier, &SimCompiler::compile_test},
      {&op::copy_bulk, &SimCompiler::compile_bulk},
      {&op::store_bulk, &SimCompiler::compile_bulk},
      {&op::wait_stores, &SimCompiler::compile_plain<wait_stores>},
      {&op::fence_engine, &SimCompiler::compile_fence},
  };
  const auto found = compilers.find(&instr.opcode);
  if (found != compilers.end()) return (this->*found->second)(instr);
  if (instr.opcode.rules.meaning) compile_meaning(instr);  // others are a matter of GPUs
}

}  // namespace hone
