#include "runtime/ptx/compile/symbols.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/ptx/machine/block.h"

namespace hone::ptx {
namespace {

bool is_static_shared(const Variable& variable) {
  return variable.space == Space::shared && variable.bytes > 0;
}

bool names(const Operand& operand, const SharedLayout& layout) {
  return layout.of_module.count(operand.name) > 0 ||
         llvm::any_of(operand.parts, [&](const Operand& part) { return names(part, layout); });
}

bool names_any(const Function& function, const SharedLayout& layout) {
  return llvm::any_of(function.instructions, [&](const Instruction& instruction) {
    return llvm::any_of(instruction.operands,
                        [&](const Operand& operand) { return names(operand, layout); });
  });
}

void add_callees(const Module& module, const Function& function, std::set<const Function*>& seen) {
  if (!seen.insert(&function).second) return;
  for (const Instruction& instruction : function.instructions) {
    if (instruction.opcode != "call") continue;
    for (const Operand& operand : instruction.operands)
      if (operand.is(Operand::Kind::symbol))
        if (const Function* callee = module.find(operand.name)) add_callees(module, *callee, seen);
  }
}

bool uses_common_part(const Module& module, const Function& function, const SharedLayout& layout) {
  std::set<const Function*> all;
  add_callees(module, function, all);
  return llvm::any_of(all, [&](const Function* each) { return names_any(*each, layout); });
}

}  // namespace

uint64_t place_behind(int64_t& end, const Variable& variable) {
  const auto place = llvm::alignTo(end, std::max<int64_t>(variable.alignment, 1));
  end = static_cast<int64_t>(place) + variable.bytes;
  return place;
}

const PlacedVariable* KernelShared::find(uint64_t place) const {
  for (const PlacedVariable& one : variables)
    if (place - one.at < static_cast<uint64_t>(one.variable->bytes)) return &one;
  return nullptr;
}

uint64_t address_of_function(size_t number) {
  return window::function + (uint64_t{number} << window::function_shift);
}

SharedLayout shared_layout(const Module& module) {
  SharedLayout layout;
  const auto add = [&](const Variable& variable) {
    if (variable.space == Space::shared)
      layout.alignment = std::max(layout.alignment, variable.alignment);
    if (is_static_shared(variable))
      layout.of_module[variable.name] = {&variable, place_behind(layout.module_bytes, variable)};
  };
  for (const Variable& variable : module.variables) add(variable);
  for (const Function& function : module.functions)
    if (!function.is_entry)
      for (const Variable& variable : function.variables) add(variable);
  return layout;
}

KernelShared shared_of(const Module& module, const Function& kernel, const SharedLayout& layout) {
  KernelShared shared;
  if (uses_common_part(module, kernel, layout)) {
    shared.bytes = layout.module_bytes;
    for (const auto& [name, placed] : layout.of_module) shared.variables.push_back(placed);
  }
  for (const Variable& variable : kernel.variables)
    if (is_static_shared(variable))
      shared.variables.push_back({&variable, place_behind(shared.bytes, variable)});
  return shared;
}

}  // namespace hone::ptx
