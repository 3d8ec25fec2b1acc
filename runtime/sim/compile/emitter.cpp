#include "runtime/sim/compile/emitter.h"

#include "runtime/sim/access.h"
#include "runtime/sim/memory.h"

namespace hone {
namespace {

SlotKind kind_of_slot(DType type, bool is_uniform) {
  if (is_uniform) return SlotKind::uniform;
  switch (lane_bytes(type)) {
    case 1:
      return SlotKind::lanes_of_1;
    case 2:
      return SlotKind::lanes_of_2;
    case 4:
      return SlotKind::lanes_of_4;
    case 8:
      return SlotKind::lanes_of_8;
    case 16:
      return SlotKind::lanes_of_16;
    default:
      return SlotKind::lanes_of_32;
  }
}

Instruction make_instruction(Instruction::Execute execute, llvm::ArrayRef<Value> operands,
                             uint32_t detail) {
  Instruction instruction;
  instruction.execute = execute;
  instruction.detail = detail;
  for (size_t number = 0; number < operands.size(); ++number)
    instruction.operands[number] = operands[number].slot;
  return instruction;
}

ElementBytes bytes_of(const Scalar& value) {
  ElementBytes bytes{};
  write_element(bytes.data(), value);
  return bytes;
}

bool all_uniform(llvm::ArrayRef<Value> operands) {
  return llvm::all_of(operands, [](const Value& operand) { return operand.is_uniform; });
}

}  // namespace

Emitter::Key Emitter::key_of(const Instruction& instruction) {
  return {reinterpret_cast<uintptr_t>(instruction.execute), instruction.operands,
          instruction.detail};
}

Emitter::Emitter(SimProgram& program) : program_(program) { open_code_scope(); }

// ---- Scopes -------------------------------------------------------------------------------------

uint32_t Emitter::open_code_scope() {
  const auto code = static_cast<uint32_t>(program_.codes.size());
  program_.codes.emplace_back();
  scopes_.emplace_back().code = code;
  return code;
}

void Emitter::open_statement_scope() {
  const uint32_t code = scopes_.back().code;
  scopes_.emplace_back().code = code;
}

void Emitter::close_scope() {
  Scope closed = std::move(scopes_.back());
  scopes_.pop_back();
  if (scopes_.empty()) return;
  Scope& outer = scopes_.back();
  for (const Slot slot : closed.owned)
    outer.free[static_cast<size_t>(program_.slots[slot])].push_back(slot);
  for (int kind = 0; kind < slot_kinds; ++kind)
    outer.free[kind].insert(outer.free[kind].end(), closed.free[kind].begin(),
                            closed.free[kind].end());
}

// ---- Slots --------------------------------------------------------------------------------------

std::optional<Slot> Emitter::take_free_slot(SlotKind kind, size_t scope) {
  for (size_t owner = scope + 1; owner-- > 0;) {
    std::vector<Slot>& free = scopes_[owner].free[static_cast<size_t>(kind)];
    if (free.empty()) continue;
    const Slot slot = free.back();
    free.pop_back();
    return slot;
  }
  return std::nullopt;
}

Slot Emitter::make_slot(SlotKind kind, size_t scope) {
  Slot slot = static_cast<Slot>(program_.slots.size());
  if (const std::optional<Slot> free = take_free_slot(kind, scope)) {
    slot = *free;
  } else {
    program_.slots.push_back(kind);
    scope_of_slot_.push_back(scope);
  }
  scope_of_slot_[slot] = scope;
  scopes_[scope].owned.push_back(slot);
  return slot;
}

Slot Emitter::make_slot(DType type, bool is_uniform, size_t scope) {
  return make_slot(kind_of_slot(type, is_uniform), scope);
}

Value Emitter::make_value(DType type, bool is_uniform) {
  return {make_slot(type, is_uniform, scopes_.size() - 1), type, is_uniform};
}

Slot Emitter::make_alias() { return make_slot(SlotKind::alias, scopes_.size() - 1); }

/// Constants are written before the launch, so their slots are never shared.
Value Emitter::constant(const Scalar& value) {
  const auto [known, is_new] = constants_.try_emplace({value.type, bytes_of(value)}, no_slot);
  if (is_new) {
    known->second = static_cast<Slot>(program_.slots.size());
    program_.slots.push_back(SlotKind::uniform);
    scope_of_slot_.push_back(0);
    program_.constants.push_back({known->second, value});
  }
  return {known->second, value.type, true};
}

size_t Emitter::innermost(llvm::ArrayRef<Slot> operands) const {
  size_t scope = 0;
  for (const Slot operand : operands)
    if (operand != no_slot) scope = std::max(scope, scope_of_slot_[operand]);
  return scope;
}

// ---- Instructions -------------------------------------------------------------------------------

Instruction Emitter::prepare(const Operation& operation, llvm::ArrayRef<Value> operands,
                             uint32_t detail) {
  if (all_uniform(operands)) return make_instruction(operation.uniform, operands, detail);
  llvm::SmallVector<Value, 3> lanes;
  for (const Value& operand : operands) lanes.push_back(broadcast(operand));
  return make_instruction(operation.lanes, lanes, detail);
}

Value Emitter::emit_once(Instruction instruction, DType type, bool is_uniform) {
  const size_t scope = innermost(instruction.operands);
  const auto [known, is_new] = scopes_[scope].known.try_emplace(key_of(instruction), no_slot);
  if (is_new) {
    known->second = instruction.destination = make_slot(type, is_uniform, scope);
    code_of(scope).push_back(instruction);
  }
  return {known->second, type, is_uniform};
}

Value Emitter::compute(const Operation& operation, DType type, llvm::ArrayRef<Value> operands,
                       uint32_t detail) {
  return emit_once(prepare(operation, operands, detail), type, all_uniform(operands));
}

Value Emitter::compute_here(const Operation& operation, DType type, llvm::ArrayRef<Value> operands,
                            uint32_t detail) {
  Instruction instruction = prepare(operation, operands, detail);
  const Value result = make_value(type, all_uniform(operands));
  instruction.destination = result.slot;
  append(instruction);
  return result;
}

void Emitter::move(Value destination, Value source) {
  const Value value = destination.is_uniform ? source : broadcast(source);
  Instruction instruction = prepare(move_operation(value.type), value, 0);
  instruction.destination = destination.slot;
  append(instruction);
}

Value Emitter::broadcast(Value value) {
  if (!value.is_uniform) return value;
  return emit_once(make_instruction(broadcast_operation(value.type), value, 0), value.type, false);
}

uint32_t Emitter::base_of(Value lanes) {
  const size_t scope = scope_of_slot_[lanes.slot];
  Instruction instruction = make_instruction(summarise_base, lanes, 0);
  const auto next = static_cast<uint32_t>(program_.bases.size());
  const auto [known, is_new] = scopes_[scope].known.try_emplace(key_of(instruction), next);
  if (is_new) {
    program_.bases.push_back(lanes.slot);
    instruction.detail = next;
    code_of(scope).push_back(instruction);
  }
  return known->second;
}

void Emitter::append(const Instruction& instruction) {
  code_of(scopes_.size() - 1).push_back(instruction);
}

void Emitter::redirect(Value value, Slot alias) {
  Code& code = code_of(scopes_.size() - 1);
  const bool is_private = scope_of_slot_[value.slot] == scopes_.size() - 1;
  const bool is_alias = program_.slots[value.slot] == SlotKind::alias;
  if (code.empty() || code.back().destination != value.slot || !is_private || is_alias) return;
  Instruction redirection;
  redirection.execute = redirect_to_register;
  redirection.operands = {value.slot, alias, no_slot};
  code.insert(code.end() - 1, redirection);
}

}  // namespace hone
