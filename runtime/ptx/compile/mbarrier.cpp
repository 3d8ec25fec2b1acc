// Mbarriers: the places in shared memory that count arrivals and bytes.

#include "runtime/ptx/machine/mbarrier.h"

#include "runtime/ptx/compile/address.h"
#include "runtime/ptx/machine/control.h"

namespace hone::ptx {

Op& emit_mbarrier(FunctionCompiler& compiler, const Instruction& instruction, Op::Execute execute,
                  const Operand& address, MemoryDetail::Kind kind) {
  constexpr int64_t bytes = 8;
  const Space space = named_space(instruction);
  const AddressOperand place = address_operand(compiler, instruction, address, space);
  const uint32_t number = add_access(compiler, instruction, kind, place.space, bytes, nullptr);
  MemoryDetail& detail = compiler.program.memory[number];
  detail.offset = place.offset;
  detail.address_bytes = place.bytes;
  detail.is_mbarrier = true;
  detail.is_strong = kind == MemoryDetail::Kind::atomic;
  Op& op = compiler.emit(instruction, execute, Op::Kind::memory, number);
  op.sources[0] = place.base;
  return op;
}

namespace {

using AccessKind = MemoryDetail::Kind;

/// The operand of that number, or a number where there is none.
Ref count_at(FunctionCompiler& compiler, const Instruction& instruction, size_t n,
             int64_t otherwise) {
  if (n < instruction.operands.size())
    return compiler.value(instruction, instruction.operands[n], Type::b32);
  return compiler.common.constants.get(static_cast<uint64_t>(otherwise), 4);
}

template <Op::Execute execute, AccessKind kind>
void compile_with_count(FunctionCompiler& compiler, const Instruction& instruction) {
  const Ref count = count_at(compiler, instruction, 1, 0);
  emit_mbarrier(compiler, instruction, execute, instruction.operands[0], kind).sources[1] = count;
}

/// state, [address], count; with .expect_tx, the bytes are in place of the count. The state may be
/// left out.
void compile_arrive(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool drops = instruction.has("arrive_drop"), completes = !instruction.has("noComplete");
  const ArrivalKind kind = drops ? completes ? ArrivalKind::drops : ArrivalKind::drops_no_complete
                           : completes ? ArrivalKind::plain
                                       : ArrivalKind::no_complete;
  const size_t at = instruction.operands[0].is(Operand::Kind::address) ? 0 : 1;
  const bool expects = instruction.has("expect_tx");
  const Ref bytes = expects ? count_at(compiler, instruction, at + 1, 0) : Ref();
  const Ref count = count_at(compiler, instruction, expects ? SIZE_MAX : at + 1, 1);
  Op& op = emit_mbarrier(compiler, instruction, arrive_op(kind), instruction.operands[at],
                         AccessKind::atomic);
  op.sources[1] = count;
  op.sources[2] = bytes;
  if (at == 1) op.destination = compiler.destination(instruction.operands[0]);
}

/// predicate, [address], state or parity, and a limit of the time
void compile_test(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool by_parity = instruction.has("parity");
  const Ref phase =
      compiler.value(instruction, instruction.operands[2], by_parity ? Type::b32 : Type::b64);
  Op& op = emit_mbarrier(compiler, instruction, by_parity ? run_test_parity : run_test_state,
                         instruction.operands[1], AccessKind::atomic);
  op.sources[1] = phase;
  op.destination = compiler.destination(instruction.operands[0]);
}

void compile_pending_count(FunctionCompiler& compiler, const Instruction& instruction) {
  const Ref state = compiler.value(instruction, instruction.operands[1], Type::b64);
  Op& op = compiler.emit(instruction, run_pending_count, Op::Kind::plain);
  op.destination = compiler.destination(instruction.operands[0]);
  op.sources[0] = state;
}

void compile_mbarrier(FunctionCompiler& compiler, const Instruction& instruction) {
  static const FunctionCompiler::Family handlers = {
      {"init", compile_with_count<run_init_mbarrier, AccessKind::store>},
      {"inval", compile_with_count<run_invalidate_mbarrier, AccessKind::store>},
      {"expect_tx", compile_with_count<run_expect_bytes, AccessKind::atomic>},
      {"complete_tx", compile_with_count<run_complete_bytes, AccessKind::atomic>},
      {"arrive", compile_arrive},
      {"arrive_drop", compile_arrive},
      {"test_wait", compile_test},
      {"try_wait", compile_test},
      {"pending_count", compile_pending_count}};
  const auto known = handlers.find(instruction.modifiers.empty() ? "" : instruction.modifiers[0]);
  if (known == handlers.end()) return compiler.refuse(instruction, "the form is not known");
  known->second(compiler, instruction);
}

const FunctionCompiler::Family mbarrier_handlers = {{"mbarrier", compile_mbarrier}};

}  // namespace

const FunctionCompiler::Family& mbarrier_family() { return mbarrier_handlers; }

}  // namespace hone::ptx
