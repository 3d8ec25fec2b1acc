#include "codegen/c_form/identifiers.h"

#include "codegen/c_form/owned_words.h"
#include "codegen/c_form/ring_counter.h"
#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

std::string without_dots(llvm::StringRef name) {
  std::string word = name.str();
  std::replace(word.begin(), word.end(), '.', '_');
  return word;
}

/// The tensor, and which of its boxes.
std::string name_of(const TensorMap& map, const KernelFunction& kernel) {
  return fmt::format("{} {} {}", kernel.arguments[map.operand]->name, fmt::join(map.box, " "),
                     map.swizzle);
}

}  // namespace

std::string cuda_symbol(const KernelFunction& kernel) { return unowned(without_dots(kernel.name)); }

std::string host_symbol(const KernelFunction& kernel) {
  return "hone_" + without_dots(kernel.name);
}

Identifiers::Identifiers(const KernelFunction& kernel, const std::string& symbol,
                         const std::string& function_prefix)
    : symbol_(symbol) {
  used_.insert(symbol);
  for (const OperatorPtr& op : operators_of(kernel.body)) {
    add(Kind::function, op->name, function_prefix + "combine_" + op->name);
    add(Kind::atomic, op->name, function_prefix + "atomic_" + op->name);
  }
  add_values(kernel);
}

Identifiers::Identifiers(const Identifiers& kernel, const KernelFunction& scope)
    : symbol_(kernel.symbol_) {
  used_.insert(symbol_);
  for (const auto& entry : kernel.identifiers_) {
    const auto kind = static_cast<Kind>(entry.getKey().front());
    if (kind != Kind::function && kind != Kind::atomic) continue;
    identifiers_[entry.getKey()] = entry.getValue();
    used_.insert(entry.getValue());
  }
  add_values(scope);
}

void Identifiers::add_values(const KernelFunction& scope) {
  const auto add_value = [&](Kind kind, const std::string& name) { add(kind, name, name); };
  for (const TensorPtr& argument : scope.arguments) add_value(Kind::tensor, argument->name);
  for (const ParamPtr& param : scope.params) add_value(Kind::param, param->name);
  walk(scope.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) add_value(Kind::axis, loop->axis->name);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) add_value(Kind::axis, let->axis->name);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      add_value(Kind::tensor, alloc->tensor->name);
  });
  for (const TensorMap& map : tensor_maps(scope))
    add(Kind::map, name_of(map, scope), scope.arguments[map.operand]->name + "_map");
  add_counters(scope.body);
}

/// Behind the names of the program, which keep theirs.
void Identifiers::add_counters(const Stmt& body) {
  for (const For* loop : loops_of(body)) {
    const auto ring = ring_counter(*loop);
    if (!ring) continue;
    add(Kind::slot, loop->axis->name, loop->axis->name + "_slot");
    add(Kind::parity, loop->axis->name, loop->axis->name + "_parity");
  }
}

std::string Identifiers::key(Kind kind, llvm::StringRef name) {
  return static_cast<char>(kind) + name.str();
}

void Identifiers::add(Kind kind, llvm::StringRef name, const std::string& wanted) {
  const auto [known, is_new] = identifiers_.try_emplace(key(kind, name));
  if (!is_new) return;
  known->second = fresh(without_dots(wanted));
}

std::string Identifiers::fresh(const std::string& wanted) {
  std::string identifier = unowned(wanted);
  while (!used_.insert(identifier).second) identifier += '_';
  return identifier;
}

const std::string& Identifiers::find(Kind kind, llvm::StringRef name) const {
  const auto found = identifiers_.find(key(kind, name));
  assert(found != identifiers_.end() && "a name that nothing declares");
  return found->second;
}

const std::string& Identifiers::of(const TensorNode& tensor) const {
  return find(Kind::tensor, tensor.name);
}
const std::string& Identifiers::of(const ParamNode& param) const {
  return find(Kind::param, param.name);
}
const std::string& Identifiers::of(const AxisNode& axis) const {
  return find(Kind::axis, axis.name);
}
const std::string& Identifiers::slot_of(const AxisNode& axis) const {
  return find(Kind::slot, axis.name);
}
const std::string& Identifiers::parity_of(const AxisNode& axis) const {
  return find(Kind::parity, axis.name);
}
const std::string& Identifiers::map(const TensorMap& map, const KernelFunction& kernel) const {
  return find(Kind::map, name_of(map, kernel));
}
const std::string& Identifiers::function(const OperatorNode& op) const {
  return find(Kind::function, op.name);
}
const std::string& Identifiers::atomic_function(const OperatorNode& op) const {
  return find(Kind::atomic, op.name);
}

}  // namespace hone
