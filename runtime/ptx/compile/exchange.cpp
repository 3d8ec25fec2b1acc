// Shuffles, votes, matches and reductions of a warp.

#include "runtime/ptx/machine/exchange.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/compile/function_compiler.h"
#include "runtime/ptx/machine/access.h"

namespace hone::ptx {
namespace {

/// Adds the op; its first operand may be a pair of destinations.
Op& emit_exchange(FunctionCompiler& compiler, const Instruction& instruction, Op::Execute execute,
                  ExchangeDetail detail) {
  const Operand& first = instruction.operands.front();
  const bool is_pair = first.is(Operand::Kind::pair);
  if (is_pair) detail.second = compiler.destination(first.parts[1]);
  Op& op = compiler.emit(instruction, execute, Op::Kind::control,
                         static_cast<uint32_t>(compiler.program.exchanges.size()));
  op.destination = compiler.destination(is_pair ? first.parts[0] : first);
  compiler.program.exchanges.push_back(detail);
  return op;
}

Ref operand(FunctionCompiler& compiler, const Instruction& instruction, size_t n,
            Type type = Type::b32) {
  return compiler.value(instruction, instruction.operands[n], type);
}

/// The number of the modifier that it has; that behind the last where it has none.
int mode_of(const Instruction& instruction, std::initializer_list<const char*> modifiers) {
  const auto* const found =
      llvm::find_if(modifiers, [&](const char* modifier) { return instruction.has(modifier); });
  return static_cast<int>(found - modifiers.begin());
}

bool is_synchronous(const Instruction& instruction) { return instruction.has("sync"); }

void compile_shuffle(FunctionCompiler& compiler, const Instruction& instruction) {
  ExchangeDetail detail;
  detail.mode = mode_of(instruction, {"up", "down", "bfly"});
  if (is_synchronous(instruction)) detail.members = operand(compiler, instruction, 4);
  const Ref value = operand(compiler, instruction, 1), lane = operand(compiler, instruction, 2),
            clamp = operand(compiler, instruction, 3);
  emit_exchange(compiler, instruction, run_shuffle, detail).sources = {value, lane, clamp, Ref(),
                                                                       Ref()};
}

void compile_vote(FunctionCompiler& compiler, const Instruction& instruction) {
  ExchangeDetail detail;
  detail.mode = mode_of(instruction, {"all", "any", "uni"});
  if (is_synchronous(instruction)) detail.members = operand(compiler, instruction, 2);
  const Ref holds = compiler.predicate(instruction, instruction.operands[1]);
  emit_exchange(compiler, instruction, run_vote, detail).sources[0] = holds;
}

void compile_match(FunctionCompiler& compiler, const Instruction& instruction) {
  ExchangeDetail detail;
  detail.mode = instruction.has("all") ? 1 : 0;
  detail.type = instruction.has("b64") ? Type::b64 : Type::b32;
  detail.members = operand(compiler, instruction, 2);
  const Ref value = operand(compiler, instruction, 1, detail.type);
  emit_exchange(compiler, instruction, run_match, detail).sources[0] = value;
}

void compile_redux(FunctionCompiler& compiler, const Instruction& instruction) {
  ExchangeDetail detail;
  std::string operation;
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto type = type_named(modifier))
      detail.type = *type;
    else if (modifier != "sync")
      operation = modifier;
  }
  const Op::Execute execute = reduction_op(operation, detail.type);
  if (!execute) return compiler.refuse(instruction, "." + operation + " is not known");
  detail.members = operand(compiler, instruction, 2);
  const Ref value = operand(compiler, instruction, 1);
  emit_exchange(compiler, instruction, execute, detail).sources[0] = value;
}

void compile_elect(FunctionCompiler& compiler, const Instruction& instruction) {
  ExchangeDetail detail;
  detail.members = operand(compiler, instruction, 1);
  emit_exchange(compiler, instruction, run_elect, detail);
}

void compile_active_mask(FunctionCompiler& compiler, const Instruction& instruction) {
  Op& op = compiler.emit(instruction, run_active_mask, Op::Kind::control);
  op.destination = compiler.destination(instruction.operands.front());
}

const FunctionCompiler::Family exchange_handlers = {
    {"shfl", compile_shuffle}, {"vote", compile_vote},   {"match", compile_match},
    {"redux", compile_redux},  {"elect", compile_elect}, {"activemask", compile_active_mask}};

}  // namespace

const FunctionCompiler::Family& exchange_family() { return exchange_handlers; }

}  // namespace hone::ptx
