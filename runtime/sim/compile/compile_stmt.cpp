#include <algorithm>
#include <cassert>

#include "codegen/shared_memory.h"
#include "ir/memory/vectors.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "runtime/sim/collective.h"
#include "runtime/sim/compile/compiler.h"
#include "runtime/sim/control.h"
#include "runtime/sim/memory.h"

namespace hone {

SimCompiler::SimCompiler(SimProgram& program, const Instrumentation& watch)
    : program_(program), watch_(watch), emitter_(program) {
  for (const ParamPtr& param : program.kernel.params) {
    params_[param.get()] = emitter_.make_value(DType::index, true).slot;
    program.params.push_back({params_[param.get()], param->name});
  }
  for (const TensorPtr& argument : program.kernel.arguments) {
    Memory memory;
    memory.tensor = argument;
    memory.argument = static_cast<int>(program.memories.size());
    add_memory(std::move(memory));
  }
  for (Slot& slot : program.thread_index) slot = emitter_.make_value(DType::index, false).slot;
  if (program.kernel.cluster > 1)
    program.block_in_cluster = emitter_.make_value(DType::index, false).slot;
}

void SimCompiler::compile_kernel() {
  program_.block_code = emitter_.open_code_scope();
  for (Slot& slot : program_.block_index) slot = emitter_.make_value(DType::index, true).slot;
  compile(program_.kernel.body);
}

uint32_t SimCompiler::add_statement(const Stmt& stmt) {
  program_.statements.push_back(stmt);
  return static_cast<uint32_t>(program_.statements.size() - 1);
}

void SimCompiler::compile(const Stmt& stmt) {
  if (!llvm::isa<Seq>(stmt)) statement_ = add_statement(stmt);
  moves_ = joins_ = false;
  visit(
      stmt,
      [&](const Seq& node) {
        for (const Stmt& part : node.stmts) compile(part);
      },
      [&](const auto& node) { compile(node); });
}

void SimCompiler::watch(Instruction::Execute execute, uint32_t detail, Slot operand, Slot second) {
  if (!execute) return;
  Instruction instruction;
  instruction.execute = execute;
  instruction.operands = {operand, second, no_slot};
  instruction.detail = detail;
  emitter_.append(instruction);
}

// ---- Control ------------------------------------------------------------------------------------

void SimCompiler::compile(const For& loop) {
  assert(!loop.binding.is_parallel() && "lowering turns bound loops into thread indices");
  const uint32_t statement = statement_;
  const IndexSum count = index_of(loop.extent);
  watch_variable(loop.axis, loop.extent, count);
  const Value extent = value_of(count);
  assert(extent.is_uniform && "extents depend on params alone");

  Instruction instruction;
  instruction.execute = run_loop;
  instruction.operands[0] = extent.slot;
  const uint32_t code = emitter_.open_code_scope();
  instruction.destination = emitter_.make_value(DType::index, true).slot;
  axes_[loop.axis.get()] = {IndexSum::of(instruction.destination), true};
  compile(loop.body);
  emitter_.close_scope();

  instruction.detail = static_cast<uint32_t>(program_.loops.size());
  program_.loops.push_back({code, statement});
  emitter_.append(instruction);
}

void SimCompiler::branch(Value condition, bool wanted, llvm::function_ref<void()> body) {
  BranchDetail detail;
  detail.negated = !wanted;
  if (!condition.is_uniform) detail.mask = ++open_masks_;
  program_.masks = std::max(program_.masks, open_masks_);
  const int outer_waits = waits_;
  detail.code = emitter_.open_code_scope();
  body();
  emitter_.close_scope();
  detail.waits = waits_ != outer_waits;
  if (!condition.is_uniform) --open_masks_;

  Instruction instruction;
  instruction.execute = condition.is_uniform ? run_uniform_branch : run_masked_branch;
  instruction.operands[0] = condition.slot;
  instruction.detail = static_cast<uint32_t>(program_.branches.size());
  program_.branches.push_back(detail);
  emitter_.append(instruction);
}

void SimCompiler::compile(const If& node) {
  const uint32_t outer_divergence = divergent_statement_;
  const uint32_t statement = statement_;
  emitter_.open_statement_scope();
  const Value condition = compile(node.condition);
  if (!condition.is_uniform) {
    divergent_statement_ = statement;
    watch(watch_.branch, statement, condition.slot);
  }
  branch(condition, true, [&] { compile(node.body); });
  emitter_.close_scope();
  divergent_statement_ = outer_divergence;
}

/// A let costs nothing by itself: its value takes part in the sums that it is used in.
void SimCompiler::compile(const Let& let) {
  const IndexSum index = index_of(let.value);
  watch_variable(let.axis, let.value, index);
  axes_[let.axis.get()] = {index, is_never_negative(let.value)};
  compile(let.body);
}

void SimCompiler::compile_barrier(const Instr& instr) {
  const BarrierScope scope = *barrier_scope(Stmt(&instr));
  Instruction instruction;
  instruction.execute = run_barrier;
  instruction.detail = static_cast<uint32_t>(program_.barriers.size());
  program_.barriers.push_back({scope, statement_, divergent_statement_});
  emitter_.append(instruction);
  using Kind = BarrierScope::Kind;
  if (scope.kind != Kind::warp) ++waits_;
  if (scope.kind == Kind::block || scope.kind == Kind::cluster)
    watch(watch_.barrier, instruction.detail);
}

// ---- Memory -------------------------------------------------------------------------------------

namespace {

Access as_read(Access access) {
  access.kind = Access::Kind::read;
  return access;
}

bool has_shuffle(const Expr& expr) {
  return any_of(expr, [&](const Expr& part) { return llvm::isa<Shuffle>(part); });
}

}  // namespace

void SimCompiler::compile(const Alloc& alloc) {
  Memory memory;
  memory.tensor = alloc.tensor;
  memory.elements = 1;
  for (const Expr& extent : alloc.tensor->shape) {
    memory.extents.push_back(*as_int(extent));
    memory.elements *= memory.extents.back();
  }
  if (memory.is_shared()) place_parts(memory);
  Instruction instruction;
  instruction.execute = poison_operation(*alloc.tensor);
  instruction.detail = add_memory(std::move(memory));
  emitter_.append(instruction);
  watch(watch_.allocate, instruction.detail);
  compile(alloc.body);
}

void SimCompiler::compile(const Store& store) {
  emitter_.open_statement_scope();
  joins_ = has_shuffle(store.value);
  moves_ = joins_ || is_plain_move(store) ||
           (store.update == Update::set && llvm::isa<Load>(store.value));
  const Expr place = Load::make(store.tensor, store.indices);
  const auto kind = store.is_atomic ? Access::Kind::update : Access::Kind::write;
  const Access access = make_access(kind, *llvm::cast<Load>(place.get()), place);
  if (is_in_registers(access) && access.offset.is_uniform())
    store_to_register(store, access);
  else
    store_to_memory(store, access);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

Value SimCompiler::combine(const Store& store, Value old_value, Value value) {
  const DType type = store.tensor->type;
  if (store.op) {
    operands_[store.op->lhs.get()] = old_value;
    operands_[store.op->rhs.get()] = value;
    return compile(store.op->combined);
  }
  return emitter_.compute(binary_operation(combiner(store.update), type), type, {old_value, value});
}

/// The instruction that computes the value writes the register at once where all lanes are active.
void SimCompiler::store_to_register(const Store& store, const Access& access) {
  const DType type = store.tensor->type;
  const Value target = find_register(access, type);
  Value value = compile(store.value);
  if (store.update != Update::set) {
    watch(as_read(access));
    value = combine(store, target, value);
  }
  value = emitter_.broadcast(value);
  emitter_.redirect(value, target.slot);

  Instruction instruction;
  instruction.execute = store_register_operation(type);
  instruction.operands = {target.slot, value.slot, no_slot};
  emitter_.append(instruction);
  watch(access);
}

void SimCompiler::store_to_memory(const Store& store, const Access& access) {
  const DType type = store.tensor->type;
  Value value = compile(store.value);
  if (store.is_atomic) return update_atomically(store, access, value);
  if (store.update != Update::set) value = combine(store, load(as_read(access), type), value);
  const bool in_registers = is_in_registers(access);
  Instruction instruction;
  instruction.execute = in_registers ? store_registers_operation(type) : store_operation(type);
  instruction.operands[0] = emitter_.broadcast(value).slot;
  instruction.detail = add_access(access);
  if (!in_registers) watch(access, instruction.operands[0]);
  emitter_.append(instruction);
  if (in_registers) watch(access);
}

void SimCompiler::update_atomically(const Store& store, const Access& access, Value value) {
  Instruction instruction;
  instruction.execute = atomic_operation(store.tensor->type);
  instruction.operands[0] = emitter_.broadcast(value).slot;
  instruction.detail = add_access(access);
  watch(access, instruction.operands[0]);
  emitter_.append(instruction);
}

SimProgram compile_for_sim(const KernelFunction& kernel, const Instrumentation& watch) {
  SimProgram program;
  program.kernel = kernel;
  program.shared_bytes = shared_memory(kernel).bytes;
  SimCompiler(program, watch).compile_kernel();
  return program;
}

}  // namespace hone
