// From kernel IR to the instructions of the simulated device.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "runtime/sim/compile/emitter.h"
#include "runtime/sim/compile/index_sum.h"
#include "runtime/sim/observer.h"

namespace hone {

/// The meaning of the instruction, over a ring where it has elements of one.
Function form_of_meaning(const Instr& instr);

class SimCompiler {
 public:
  SimCompiler(SimProgram& program, const Instrumentation& watch);
  void compile_kernel();

 private:
  // compile_stmt.cpp
  void compile(const Stmt& stmt);
  void compile(const For& loop);
  void compile(const If& node);
  void compile(const Let& let);
  void compile(const Alloc& alloc);
  void compile(const Store& store);
  void update_atomically(const Store& store, const Access& access, Value value);
  void compile_barrier(const Instr& instr);
  void store_to_register(const Store& store, const Access& access);
  void store_to_memory(const Store& store, const Access& access);
  Value combine(const Store& store, Value old_value, Value value);
  uint32_t add_statement(const Stmt& stmt);
  /// Code that runs where `condition` is as wanted.
  void branch(Value condition, bool wanted, llvm::function_ref<void()> body);

  // compile_access.cpp
  uint32_t add_memory(Memory memory);
  uint32_t memory_of(const TensorPtr& tensor) const;
  void place_parts(Memory& memory) const;
  LaneIndex flat_offset(const Memory& memory, llvm::ArrayRef<IndexSum> indices);
  std::vector<IndexSum> indices_of(const Load& place);
  /// `text` is `place` as an expression.
  Access make_access(Access::Kind kind, const Load& place, const Expr& text);
  uint32_t add_access(const Access& access);
  /// Puts in an instruction of the observer, if it has one.
  void watch(Instruction::Execute execute, uint32_t detail, Slot operand = no_slot,
             Slot second = no_slot);
  /// The same for an access, where its kind of memory is watched.
  void watch(const Access& access, llvm::ArrayRef<Slot> values = {});
  bool is_in_registers(const Access& access) const;
  /// The lanes of the element that all lanes have in common, as an alias.
  Value find_register(const Access& access, DType type);
  Value load(const Access& access, DType type);

  // compile_copy.cpp
  void compile(const Copy& copy);
  Access element_access(Access::Kind kind, const Region& region, int64_t number);
  void append_vector(Instruction::Execute execute, Access access, llvm::ArrayRef<Slot> elements,
                     bool is_watched = true);
  void read_to_registers(const Copy& copy);
  llvm::SmallVector<Value, 8> read_elements(const Region& region, int64_t count);
  void write_vector(const Region& region, llvm::ArrayRef<Value> values);
  void write_elements(const Region& region, llvm::ArrayRef<Value> values);
  void write_register(const Access& access, Value value);

  // compile_instr.cpp
  void compile(const Instr& instr);
  void watch_issue(const Instr& instr);
  void compile_arrive(const Instr& arrive);
  ElementRef chunk_of_tile(ElementRef place, const Opcode& opcode, const FragmentSpread& spread,
                           int first_value) const;
  void hold_tile(const ElementRef& place, const Opcode& opcode, const FragmentSpread& spread);
  llvm::SmallVector<Slot, 8> read_tile(const ElementRef& place, const Opcode& opcode,
                                       const FragmentSpread& spread);
  llvm::SmallVector<Slot, 8> read_values(const ElementRef& place, const Opcode& opcode,
                                         const FragmentSpread& spread);
  void write_values(const ElementRef& place, const Opcode& opcode, const FragmentSpread& spread,
                    llvm::ArrayRef<Value> values);
  void compile_meaning(const Instr& instr);
  Access value_access(Access::Kind kind, ElementRef place, const Opcode& opcode, int64_t number);
  void append_plain(Instruction::Execute execute, uint32_t detail = 0);
  Access place_access(Access::Kind kind, const ElementRef& place);

  // compile_engine.cpp
  void compile_for_engines(const Instr& instr);
  void compile_in_block(const Instr& instr);
  void compile_engine(const Instr& instr);
  Access shared_access(const Operand& shared);
  void add_box(AsyncDetail& detail, const Instr& instr, llvm::ArrayRef<Operand> operands);
  void add_values(AsyncDetail& detail, const Instr& instr, llvm::ArrayRef<Operand> operands);
  llvm::SmallVector<Value, 8> read_clipped(const Instr& instr, const Operand& operand);
  void compile_groups(const Instr& instr);
  void compile_phase(const Instr& instr, Instruction::Execute execute);
  uint32_t add_phase_use(Access::Kind kind, const ElementRef& place);

  // compile_expr.cpp
  Value compile(const Expr& expr);
  std::vector<Value> compile_all(llvm::ArrayRef<Expr> exprs);
  Value compile_other(const Expr& expr);
  Value compile(const Binary& binary);
  Value compile_division(const Binary& binary);
  Value compile_logical(const Binary& binary);
  Value compile(const Select& select);
  Value compile_condition(const Expr& condition);
  Value compile(const MakeTuple& tuple);
  Value compile(const Shuffle& shuffle);
  bool differs_in_cluster(const ThreadIndex& index) const;
  bool is_uniform(const Expr& expr) const;
  bool never_fails(const Expr& expr) const;
  bool has_quotient(const Binary& division) const;
  bool is_never_negative(const Expr& expr) const;

  // compile_index.cpp
  IndexSum index_of(const Expr& expr);
  IndexSum index_of(const Unary& negation, const Expr& expr);
  IndexSum index_of(const Binary& binary, const Expr& expr);
  bool has_lanes(Slot slot) const { return program_.slots[slot] != SlotKind::uniform; }
  bool has_lanes(const IndexSum::Product& product) const;
  bool has_lanes(const IndexSum& index) const;
  Value value_of_product(const IndexSum::Product& product, int64_t coefficient);
  std::optional<Value> sum_of_products(const IndexSum& index, bool is_uniform);
  Value value_of(const IndexSum& index);
  LaneIndex lane_index_of(const IndexSum& index);
  bool watches(const Expr& step) const;
  void watch_step(BinaryOp op, const Expr& expr, const IndexSum& lhs, const IndexSum& rhs);
  void watch_variable(const AxisPtr& axis, const Expr& expr, const IndexSum& value);

  struct Axis {
    IndexSum index;
    bool is_never_negative = true;
  };

  SimProgram& program_;
  const Instrumentation& watch_;
  Emitter emitter_;
  llvm::DenseMap<const AxisNode*, Axis> axes_;
  llvm::DenseMap<const ParamNode*, Slot> params_;
  llvm::DenseMap<const TensorNode*, uint32_t> memories_;
  llvm::SmallDenseMap<const TensorNode*, Value, 2> operands_;  ///< of a user's operator
  uint32_t statement_ = 0;                                     ///< the one at hand
  std::optional<int64_t> block_;  ///< of the cluster, in whose memory it acts; none: its own
  bool moves_ = false;            ///< it moves values that it reads, as accesses say
  bool joins_ = false;
  uint32_t divergent_statement_ = no_statement;  ///< the innermost condition lanes differ in
  uint32_t open_masks_ = 0;
  int waits_ = 0;  ///< of warps for others, so far
};

}  // namespace hone
