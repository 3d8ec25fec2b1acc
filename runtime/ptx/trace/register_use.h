// The registers of a function, as its instructions use them: the types of their values, and the
// results that a line of the text leaves for others.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

class RegisterUse {
 public:
  RegisterUse(const Program& program, const Code& code);

  /// The type that instructions give to the value: of numbers, signed where none says another.
  Type type_of(uint32_t reg) const { return types_[reg]; }
  /// The register that a plain instruction computes; nothing where that is an address.
  std::optional<uint32_t> result(size_t instruction) const;
  /// The result is used by another line, or behind a jump back.
  bool leaves_line(size_t instruction) const { return leave_[instruction]; }
  /// The file and the line of an instruction; line 0: none is known.
  const std::pair<std::string, int>& line(size_t instruction) const { return lines_[instruction]; }
  /// A predicate that is nothing but the guard of branches.
  bool is_of_branches(uint32_t reg) const { return branches_.contains(reg) && !used_[reg]; }

 private:
  struct Use {
    uint32_t reg = 0;
    uint32_t instruction = 0;
    bool is_address = false;
  };

  void read(uint32_t instruction);
  void read_operand(const Operand& operand, uint32_t instruction, bool is_address);
  void read_types(const Instruction& instruction);
  void give_type(const Operand& operand, Type type);
  void share_types(const Instruction& instruction);
  void mark_addresses();
  void mark_leaving();

  const Function& function_;
  std::vector<Type> types_;
  std::vector<bool> addresses_, used_;  ///< by register
  llvm::DenseSet<uint32_t> branches_;
  std::vector<Use> uses_;
  std::vector<std::pair<std::string, int>> lines_;  ///< by instruction
  std::vector<bool> leave_;
};

/// True if the first operand is a result, or a list of them.
bool has_result(const Instruction& instruction);

/// Registers of an operand: its own, or those of its parts.
void for_each_register(const Operand& operand, llvm::function_ref<void(uint32_t)> use);

}  // namespace hone::ptx
