#include "runtime/ptx/compile/address.h"

#include "llvm/ADT/StringSwitch.h"

namespace hone::ptx {

Space modifier_space(llvm::StringRef modifier) {
  return llvm::StringSwitch<Space>(modifier)
      .Cases("shared", "shared::cta", "shared::cluster", Space::shared)
      .Case("local", Space::local)
      .Case("const", Space::constant)
      .Cases("param", "param::entry", "param::func", Space::param)
      .Case("global", Space::global)
      .Default(Space::generic);
}

Space named_space(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers)
    if (const Space space = modifier_space(modifier); space != Space::generic) return space;
  return Space::generic;
}

namespace {

void set_symbol(FunctionCompiler& compiler, const Instruction& instruction, const Operand& base,
                AddressOperand& result) {
  const auto symbol = compiler.find_symbol(base.name);
  if (!symbol) return compiler.refuse(instruction, base.name + " is not declared");
  if (result.space == Space::generic) result.space = symbol->space;
  result.offset += base.integer;
  if (symbol->kind == Symbol::Kind::address || symbol->kind == Symbol::Kind::kernel_param)
    result.offset += static_cast<int64_t>(symbol->value);
  else
    result.base = compiler.address_of(instruction, *symbol, 0, 8);
}

}  // namespace

AddressOperand address_operand(FunctionCompiler& compiler, const Instruction& instruction,
                               const Operand& operand, Space space) {
  AddressOperand result;
  result.space = space;
  const bool is_address = operand.is(Operand::Kind::address);
  if (is_address) result.offset = operand.integer;
  if (is_address && operand.parts.empty()) return result;
  const Operand& base = is_address ? operand.parts.front() : operand;
  if (base.is(Operand::Kind::symbol)) {
    set_symbol(compiler, instruction, base, result);
  } else if (base.is(Operand::Kind::reg)) {
    result.base = compiler.destination(base);
    result.bytes = compiler.register_bytes(base, 8);
  } else {
    compiler.refuse(instruction, "an address is no register and no variable");
  }
  return result;
}

uint32_t add_access(FunctionCompiler& compiler, const Instruction& instruction,
                    MemoryDetail::Kind kind, Space space, int64_t bytes, const char* by) {
  MemoryDetail detail;
  detail.kind = kind;
  detail.space = space;
  detail.moved = bytes;
  detail.by = by;
  detail.place = compiler.place(instruction);
  compiler.program.memory.push_back(std::move(detail));
  return static_cast<uint32_t>(compiler.program.memory.size() - 1);
}

}  // namespace hone::ptx
