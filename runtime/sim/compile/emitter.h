// Builds a SimProgram's instructions: numbers values, gives them slots, and puts those that cannot
// fail as far out of loops and branches as their operands allow.
//
// Scopes nest: the launch, the block, the bodies of loops and branches, single statements. A value
// belongs to a scope; it is there for all lanes that are active in that scope. Operations that have
// a value for any operands go to the innermost scope of their operands, and equal ones are computed
// once. A slot is used again after its scope has closed, but only within the scope around it: what
// is hoisted further out must survive the code in between.
#pragma once

#include <map>
#include <tuple>

#include "runtime/sim/operation.h"

namespace hone {

/// An element as it lies in memory, and zeros.
using ElementBytes = std::array<std::byte, widest_element>;

struct Value {
  Slot slot = no_slot;
  DType type = DType::index;
  bool is_uniform = true;
};

class Emitter {
 public:
  /// Opens the scope of the launch.
  explicit Emitter(SimProgram& program);

  /// A scope with code of its own; its number is returned.
  uint32_t open_code_scope();
  /// A scope within the code at hand.
  void open_statement_scope();
  void close_scope();

  Value constant(const Scalar& value);
  Value constant(int64_t index) { return constant(Scalar::of_int(DType::index, index)); }
  /// A value of the scope at hand that something else writes.
  Value make_value(DType type, bool is_uniform);
  Slot make_alias();

  /// An operation that has a value for any operands. Uniform operands of a lane operation are
  /// broadcast.
  Value compute(const Operation& operation, DType type, llvm::ArrayRef<Value> operands,
                uint32_t detail = 0);
  /// An operation that stays where it is, since it depends on more than its operands or may fail.
  Value compute_here(const Operation& operation, DType type, llvm::ArrayRef<Value> operands,
                     uint32_t detail = 0);
  /// Writes `source` to a value of make_value, for active lanes.
  void move(Value destination, Value source);
  /// The value in all lanes.
  Value broadcast(Value value);
  /// The value as a base of indices.
  uint32_t base_of(Value lanes);

  /// Appends to the code of the scope at hand.
  void append(const Instruction& instruction);
  /// Lets the instruction that computed `value` write to the register `alias` where it can: if it
  /// is the last one, and nothing but the statement at hand knows its value.
  void redirect(Value value, Slot alias);

  /// The depth in the nest of scopes at which the value is computed.
  size_t depth(Slot slot) const { return scope_of_slot_[slot]; }

 private:
  using Key = std::tuple<uintptr_t, std::array<Slot, 3>, uint32_t>;
  struct Scope {
    uint32_t code = 0;
    std::map<Key, uint32_t> known;  ///< the slot, or the base, that an operation has filled
    std::vector<Slot> owned;
    std::array<std::vector<Slot>, slot_kinds> free;
  };

  static Key key_of(const Instruction& instruction);
  Instruction prepare(const Operation& operation, llvm::ArrayRef<Value> operands, uint32_t detail);
  Value emit_once(Instruction instruction, DType type, bool is_uniform);
  Slot make_slot(SlotKind kind, size_t scope);
  Slot make_slot(DType type, bool is_uniform, size_t scope);
  std::optional<Slot> take_free_slot(SlotKind kind, size_t scope);
  size_t innermost(llvm::ArrayRef<Slot> operands) const;
  Code& code_of(size_t scope) { return program_.codes[scopes_[scope].code]; }

  SimProgram& program_;
  std::vector<Scope> scopes_;
  std::vector<size_t> scope_of_slot_;
  std::map<std::pair<DType, ElementBytes>, Slot> constants_;
};

}  // namespace hone
