#include "runtime/ptx/text/module.h"

#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {

bool Instruction::has(llvm::StringRef modifier) const {
  return llvm::is_contained(modifiers, modifier);
}

std::string Instruction::name() const {
  std::string result = opcode;
  for (const std::string& modifier : modifiers) (result += '.') += modifier;
  return result;
}

int64_t Function::first_of_loop(size_t jump) const {
  const Instruction& instruction = instructions[jump];
  if (instruction.opcode != "bra" || instruction.operands.empty()) return -1;
  const auto label = labels.find(instruction.operands.front().name);
  return label == labels.end() || label->second > jump ? -1 : static_cast<int64_t>(label->second);
}

int Module::line_of_caller(const Location* at) const {
  while (at && at->caller >= 0) at = &locations[at->caller];
  return at ? at->line : 0;
}

const Function* Module::find(llvm::StringRef name) const {
  const auto alias = aliases.find(name.str());
  if (alias != aliases.end()) name = alias->second;
  const auto found =
      llvm::find_if(functions, [&](const Function& function) { return name == function.name; });
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace hone::ptx
