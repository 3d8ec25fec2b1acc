// Asynchronous copies: they read at once, and write when their thread waits for them.
#include "runtime/sim/async_copies.h"
#include "runtime/sim/compiler.h"
#include "runtime/sim/memory.h"

namespace hone {

void SimCompiler::compile(const AsyncCopy& copy) {
  program_.has_async_copies = true;
  emitter_.open_statement_scope();
  moves_ = true;
  const llvm::SmallVector<Value, 8> values = read_clipped(copy);
  llvm::SmallVector<Slot, 8> slots;
  for (const Value& value : values) slots.push_back(value.slot);
  const Expr place = Load::make(copy.tensor, copy.indices);
  Access access = make_access(Access::Kind::write, *llvm::cast<Load>(place.get()), place);
  access.is_async = true;
  append_vector(start_copy_operation(copy.tensor->type), access, slots);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

/// The elements that the copy moves; zeros in lanes that are to have these.
llvm::SmallVector<Value, 8> SimCompiler::read_clipped(const AsyncCopy& copy) {
  const DType type = copy.tensor->type;
  const auto [element, condition] = copy.source();
  llvm::SmallVector<Value, 8> values;
  llvm::SmallVector<Slot, 8> slots;
  for (int64_t n = 0; n < copy.count; ++n) {
    values.push_back(emitter_.make_value(type, false));
    slots.push_back(values.back().slot);
  }
  const auto read = [&, element = element] {
    append_vector(load_vector_operation(type),
                  make_access(Access::Kind::read, *element, Expr(element)), slots);
  };
  if (!condition.defined()) {
    read();
    return values;
  }
  const Expr zero = llvm::cast<Select>(copy.value)->if_false;
  const Value is_inside = compile_condition(condition);
  branch(is_inside, true, read);
  branch(is_inside, false, [&] {
    for (const Value& value : values) emitter_.move(value, compile(zero));
  });
  return values;
}

void SimCompiler::compile(const CommitGroup&) {
  Instruction instruction;
  instruction.execute = commit_group;
  emitter_.append(instruction);
}

void SimCompiler::compile(const WaitGroup& wait) {
  Instruction instruction;
  instruction.execute = wait_group;
  instruction.detail = static_cast<uint32_t>(wait.pending);
  emitter_.append(instruction);
}

}  // namespace hone
