// Mbarriers, and the registers of roles.
#include "runtime/sim/compiler.h"

namespace hone {

/// The place in the program's table for the mbarriers that the slots of lanes say.
uint32_t SimCompiler::add_mbarrier_use(Access::Kind kind, const TensorPtr& mbarriers,
                                       const Expr& slot) {
  const Expr place = Load::make(mbarriers, {slot});
  const Access access = make_access(kind, *llvm::cast<Load>(place.get()), place);
  Memory& memory = program_.memories[access.memory];
  if (!memory.first_mbarrier) {
    memory.first_mbarrier = program_.mbarriers;
    program_.mbarriers += static_cast<uint32_t>(memory.elements);
  }
  program_.mbarrier_uses.push_back({add_access(access), *memory.first_mbarrier, statement_});
  return static_cast<uint32_t>(program_.mbarrier_uses.size() - 1);
}

/// The instruction does so to these.
void SimCompiler::use_mbarrier(Access::Kind kind, const TensorPtr& mbarriers, const Expr& slot,
                               Instruction instruction) {
  instruction.detail = add_mbarrier_use(kind, mbarriers, slot);
  emitter_.append(instruction);
}

void SimCompiler::compile(const InitMbarrier& init) {
  emitter_.open_statement_scope();
  Instruction instruction;
  instruction.execute = init_mbarrier;
  use_mbarrier(Access::Kind::write, init.mbarriers, init.slot, instruction);
  emitter_.close_scope();
}

void SimCompiler::compile(const ArriveMbarrier& arrive) {
  emitter_.open_statement_scope();
  Instruction instruction;
  instruction.execute = arrive_mbarrier;
  use_mbarrier(Access::Kind::update, arrive.mbarriers, arrive.slot, instruction);
  emitter_.close_scope();
}

void SimCompiler::compile(const ExpectBytes& expect) {
  emitter_.open_statement_scope();
  Instruction instruction;
  instruction.execute = expect_bytes;
  use_mbarrier(Access::Kind::update, expect.mbarriers, expect.slot, instruction);
  emitter_.close_scope();
}

void SimCompiler::compile(const WaitMbarrier& wait) {
  emitter_.open_statement_scope();
  Instruction instruction;
  instruction.execute = wait_mbarrier;
  instruction.operands[0] = emitter_.broadcast(compile(wait.parity)).slot;
  use_mbarrier(Access::Kind::read, wait.mbarriers, wait.slot, instruction);
  emitter_.close_scope();
}

void SimCompiler::compile(const TestMbarrier& test) {
  emitter_.open_statement_scope();
  Instruction instruction;
  instruction.execute = test_mbarrier;
  instruction.operands[0] = emitter_.broadcast(compile(test.parity)).slot;
  const Value has_ended = emitter_.make_value(DType::boolean, false);
  instruction.destination = has_ended.slot;
  use_mbarrier(Access::Kind::read, test.mbarriers, test.slot, instruction);
  const Expr flag = Load::make(test.flag, {});
  write_register(make_access(Access::Kind::write, *llvm::cast<Load>(flag.get()), flag), has_ended);
  emitter_.close_scope();
}

void SimCompiler::compile(const SetRegisters&) {}

}  // namespace hone
