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

const Function* Module::find(llvm::StringRef name) const {
  const auto alias = aliases.find(name.str());
  if (alias != aliases.end()) name = alias->second;
  const auto found =
      llvm::find_if(functions, [&](const Function& function) { return name == function.name; });
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace hone::ptx
