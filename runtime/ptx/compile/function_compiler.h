// Compiles one function. What it knows about instructions is spread over families: values.cpp,
// memory.cpp, control.cpp, exchange.cpp; each is a table from opcodes to handlers.
#pragma once

#include <map>
#include <set>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "runtime/ptx/compile/order.h"
#include "runtime/ptx/compile/symbols.h"
#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

class ConstantPool {
 public:
  explicit ConstantPool(std::vector<std::byte>& bytes) : bytes_(bytes) {}
  /// 32 lanes of a value of that many bytes.
  Ref get(uint64_t bits, int bytes);
  /// A predicate that holds nowhere, or everywhere.
  Ref predicate(bool holds) { return get(holds ? ~uint64_t{0} : 0, 4); }

 private:
  std::vector<std::byte>& bytes_;
  std::map<std::pair<int, uint64_t>, Ref> known_;
};

/// The data that the functions of a module have in common.
struct ModuleCompiler {
  const Module& module;
  const Addresses& addresses;
  Program& program;
  SharedLayout shared;
  ConstantPool constants;
  std::map<std::string, size_t> functions;  ///< by name
};

class FunctionCompiler {
 public:
  using Handler = void (*)(FunctionCompiler&, const Instruction&);
  using Family = llvm::StringMap<Handler>;

  FunctionCompiler(ModuleCompiler& module, size_t number);
  Code compile();

  // ---- For handlers

  /// Refuses a form: "ld.foo.u32: .foo is not known".
  void refuse(const Instruction& instruction, const std::string& why);
  /// Adds an op with the guard of the instruction.
  Op& emit(const Instruction& instruction, Op op);
  Op& emit(const Instruction& instruction, Op::Execute execute, Op::Kind kind, uint32_t detail = 0);

  /// The register, or a constant of that type; none for `_`. Of special registers and symbols, a
  /// new register that is filled before.
  Ref value(const Instruction& instruction, const Operand& operand, Type type);
  /// The register that is written; none for `_`.
  Ref destination(const Operand& operand);
  Ref predicate(const Instruction& instruction, const Operand& operand);
  Type type_of(const Operand& operand) const { return function.registers[operand.reg].type; }
  /// Bytes of a register in a lane, or of a literal those of `otherwise`.
  int register_bytes(const Operand& operand, int otherwise) const;
  Ref new_register(int bytes);
  std::optional<Symbol> find_symbol(const std::string& name) const;
  /// Fills a new register, or gives a constant, with the address of a symbol.
  Ref address_of(const Instruction& instruction, const Symbol& symbol, int64_t offset, int bytes);
  uint32_t block_of(const std::string& label) const;
  Place place(const Instruction& instruction) const {
    return {static_cast<uint32_t>(number),
            static_cast<uint32_t>(&instruction - function.instructions.data())};
  }

  ModuleCompiler& common;
  Program& program;
  const size_t number;
  const Function& function;
  Code code;
  Ref carry{};

 private:
  void place_registers();
  void place_variables();
  void add_areas();
  void compile(const Instruction& instruction);
  void compile_block(size_t block, size_t next_block);
  void resolve_jumps();
  Ref area(const Variable& variable);

  std::map<std::string, Symbol> symbols_;
  std::vector<BasicBlock> blocks_;
  std::vector<uint32_t> first_op_;     ///< by block
  std::map<size_t, size_t> block_at_;  ///< by first instruction
  std::set<std::string> refused_;
};

/// The parts of an operand in braces, or the operand.
inline llvm::ArrayRef<Operand> parts_of(const Operand& operand) {
  return operand.is(Operand::Kind::vector) ? llvm::ArrayRef<Operand>(operand.parts)
                                           : llvm::ArrayRef<Operand>(operand);
}

/// By opcode, what the family makes of an instruction.
const FunctionCompiler::Family& value_family();
const FunctionCompiler::Family& memory_family();
const FunctionCompiler::Family& control_family();
const FunctionCompiler::Family& exchange_family();
const FunctionCompiler::Family& copy_family();
const FunctionCompiler::Family& mbarrier_family();
const FunctionCompiler::Family& matrix_family();
const FunctionCompiler::Family& wgmma_family();
const FunctionCompiler::Family& image_family();

/// Anything else: registers from registers.
void compile_operation(FunctionCompiler& compiler, const Instruction& instruction);

}  // namespace hone::ptx
