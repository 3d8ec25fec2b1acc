// Asynchronous copies: they read at once, and write when their thread waits for them.
#include "ir/opcodes/opcodes.h"
#include "runtime/sim/async_copies.h"
#include "runtime/sim/compiler.h"
#include "runtime/sim/memory.h"

namespace hone {

void SimCompiler::compile_copy_async(const Instr& copy) {
  program_.has_async_copies = true;
  emitter_.open_statement_scope();
  moves_ = true;
  const llvm::SmallVector<Value, 8> values = read_clipped(copy);
  llvm::SmallVector<Slot, 8> slots;
  for (const Value& value : values) slots.push_back(value.slot);
  Access access = place_access(Access::Kind::write, copy.places[0]);
  access.is_async = true;
  append_vector(start_copy_operation(copy.places[0].tensor->type), access, slots);
  emitter_.close_scope();
  watch(watch_.statement, statement_);
}

/// The elements that the copy moves; zeros in lanes that are to have these.
llvm::SmallVector<Value, 8> SimCompiler::read_clipped(const Instr& copy) {
  const DType type = copy.places[0].tensor->type;
  const auto [element, condition] = async_source(copy);
  llvm::SmallVector<Value, 8> values;
  llvm::SmallVector<Slot, 8> slots;
  for (int64_t n = 0; n < copy.constants[0]; ++n) {
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
  const Expr zero = llvm::cast<Select>(copy.values[0])->if_false;
  const Value is_inside = compile_condition(condition);
  branch(is_inside, true, read);
  branch(is_inside, false, [&] {
    for (const Value& value : values) emitter_.move(value, compile(zero));
  });
  return values;
}

}  // namespace hone
