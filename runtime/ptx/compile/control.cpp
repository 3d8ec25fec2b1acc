// Jumps, calls, barriers, fences.

#include "runtime/ptx/machine/control.h"

#include "fmt/format.h"
#include "runtime/ptx/compile/function_compiler.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/builtins.h"

namespace hone::ptx {
namespace {

using Kind = Operand::Kind;

void compile_bra(FunctionCompiler& compiler, const Instruction& instruction) {
  const std::string& label = instruction.operands.front().name;
  const uint32_t block = compiler.block_of(label);
  if (block == ~uint32_t{0})  // behind the last instruction
    compiler.emit(instruction, run_exit, Op::Kind::control);
  else
    compiler.emit(instruction, run_branch, Op::Kind::control, block);
}

void compile_brx(FunctionCompiler& compiler, const Instruction& instruction) {
  const auto table = compiler.function.targets.find(instruction.operands.back().name);
  if (table == compiler.function.targets.end())
    return compiler.refuse(instruction, "its table of targets is missing");
  std::vector<uint32_t> targets;
  for (const std::string& label : table->second) targets.push_back(compiler.block_of(label));
  const Ref index = compiler.value(instruction, instruction.operands.front(), Type::b32);
  Op& op = compiler.emit(instruction, run_branch_by_index, Op::Kind::control,
                         static_cast<uint32_t>(compiler.program.targets.size()));
  op.sources[0] = index;
  compiler.program.targets.push_back(std::move(targets));
}

template <Op::Execute execute>
void compile_plainly(FunctionCompiler& compiler, const Instruction& instruction) {
  compiler.emit(instruction, execute, Op::Kind::control);
}

// ---- Calls --------------------------------------------------------------------------------------

llvm::SmallVector<Ref, 8> areas_of(FunctionCompiler& compiler, const Instruction& instruction,
                                   const Operand& list) {
  llvm::SmallVector<Ref, 8> areas;
  for (const Operand& part : list.parts) {
    const auto symbol = part.is(Kind::symbol) ? compiler.find_symbol(part.name) : std::nullopt;
    if (symbol && symbol->kind == Symbol::Kind::area)
      areas.push_back(Ref::reg(symbol->area));
    else if (part.is(Kind::sink))
      areas.push_back(Ref());
    else
      compiler.refuse(instruction, "a parameter is no .param variable");
  }
  return areas;
}

/// Finds the function: by name, or by a register with its address.
bool set_callee(FunctionCompiler& compiler, const Instruction& instruction, const Operand& callee,
                CallDetail& call) {
  if (callee.is(Kind::reg)) {
    call.address = compiler.destination(callee);
    return true;
  }
  const auto alias = compiler.common.module.aliases.find(callee.name);
  const std::string& name =
      alias == compiler.common.module.aliases.end() ? callee.name : alias->second;
  const auto known = compiler.common.functions.find(name);
  const bool is_there =
      known != compiler.common.functions.end() &&
      (compiler.common.module.functions[known->second].has_body || is_builtin(name));
  if (!is_there) {
    compiler.refuse(instruction, callee.name.starts_with("__cudaCDP2")
                                     ? "a kernel launches kernels, which is not supported"
                                     : fmt::format("the function {} has no body", callee.name));
    return false;
  }
  call.function = static_cast<int64_t>(known->second);
  return true;
}

/// call (results), function, (parameters), prototype
void compile_call(FunctionCompiler& compiler, const Instruction& instruction) {
  CallDetail call;
  const Operand* callee = nullptr;
  for (const Operand& operand : instruction.operands) {
    if (operand.is(Kind::vector))
      (callee ? call.params : call.returns) = areas_of(compiler, instruction, operand);
    else if (!callee)
      callee = &operand;
  }
  if (!callee || !set_callee(compiler, instruction, *callee, call)) return;
  compiler.emit(instruction, run_call, Op::Kind::control,
                static_cast<uint32_t>(compiler.program.calls.size()));
  compiler.program.calls.push_back(std::move(call));
  Op join;
  join.execute = run_join;
  join.kind = Op::Kind::control;
  compiler.code.ops.push_back(join);
  compiler.code.instruction_of.push_back(compiler.code.instruction_of.back());
}

// ---- Barriers -----------------------------------------------------------------------------------

BarrierDetail::Kind kind_of(const Instruction& instruction) {
  using BarrierKind = BarrierDetail::Kind;
  if (instruction.has("arrive")) return BarrierKind::arrive;
  if (!instruction.has("red")) return BarrierKind::sync;
  return instruction.has("popc")  ? BarrierKind::red_popc
         : instruction.has("and") ? BarrierKind::red_and
                                  : BarrierKind::red_or;
}

void compile_warp_barrier(FunctionCompiler& compiler, const Instruction& instruction) {
  const Ref members = compiler.value(instruction, instruction.operands.front(), Type::b32);
  compiler.emit(instruction, run_warp_barrier, Op::Kind::control).sources[0] = members;
}

void compile_cluster_barrier(FunctionCompiler& compiler, const Instruction& instruction) {
  compiler.emit(instruction, run_cluster_barrier, Op::Kind::control,
                instruction.has("arrive") ? 1 : 2);
}

/// bar.red has a destination first, and the predicate last.
void compile_bar(FunctionCompiler& compiler, const Instruction& instruction) {
  if (instruction.has("warp")) return compile_warp_barrier(compiler, instruction);
  if (instruction.has("cluster")) return compile_cluster_barrier(compiler, instruction);
  BarrierDetail detail;
  detail.kind = kind_of(instruction);
  const bool reduces = instruction.has("red");
  const auto& operands = instruction.operands;
  const size_t first = reduces ? 1 : 0, end = operands.size() - (reduces ? 1 : 0);
  detail.id = compiler.value(instruction, operands[first], Type::b32);
  if (first + 1 < end) detail.threads = compiler.value(instruction, operands[first + 1], Type::b32);
  if (reduces) detail.value = compiler.predicate(instruction, operands.back());
  Op& op = compiler.emit(instruction, run_barrier, Op::Kind::control,
                         static_cast<uint32_t>(compiler.program.barriers.size()));
  if (reduces) op.destination = compiler.destination(operands.front());
  compiler.program.barriers.push_back(detail);
}

// ---- Fences -------------------------------------------------------------------------------------

/// The other proxies see what threads write.
void compile_fence(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool is_of_proxy = instruction.has("proxy");
  compiler.emit(instruction,
                !is_of_proxy               ? run_fence
                : instruction.has("async") ? run_fence_of_engines
                                           : run_nothing,
                Op::Kind::control);
}

const FunctionCompiler::Family control_handlers = {{"bra", compile_bra},
                                                   {"brx", compile_brx},
                                                   {"call", compile_call},
                                                   {"ret", compile_plainly<run_return>},
                                                   {"exit", compile_plainly<run_exit>},
                                                   {"trap", compile_plainly<run_trap>},
                                                   {"brkpt", compile_plainly<run_nothing>},
                                                   {"bar", compile_bar},
                                                   {"barrier", compile_bar},
                                                   {"membar", compile_plainly<run_fence>},
                                                   {"fence", compile_fence},
                                                   {"nanosleep", compile_plainly<run_pause>},
                                                   {"setmaxnreg", compile_plainly<run_nothing>},
                                                   {"griddepcontrol", compile_plainly<run_nothing>},
                                                   {"pmevent", compile_plainly<run_nothing>}};

}  // namespace

const FunctionCompiler::Family& control_family() { return control_handlers; }

}  // namespace hone::ptx
