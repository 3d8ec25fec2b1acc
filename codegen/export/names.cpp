#include "codegen/export/names.h"

#include "codegen/c_form/owned_words.h"
#include "codegen/emit/c_operators.h"
#include "fmt/format.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Names that the functions of the header have of their own.
constexpr const char* words[] = {
    "detail",    "launch",          "plan",        "shapes", "status",  "stream",
    "workspace", "workspace_size",  "Status",      "Error",  "Shape",   "Size",
    "entry",     "workspace_bytes", "r",           "needed", "memory",  "arguments",
    "std",       "start",           "start_early", "least",  "largest", "launches",
    "message"};

}  // namespace

ExportedNames::ExportedNames(const LaunchContract& contract) {
  for (const char* word : words) used_.insert(word);
  used_.insert(contract.name);
  for (const ContractArgument& argument : contract.arguments)
    arguments_.push_back(unique(argument.tensor->name));
  for (const ParamPtr& param : contract.params) sizes_[param->name] = unique(param->name);
  for (const KernelContract& kernel : contract.kernels)
    for (const auto& [name, formula] : kernel.values)
      if (!sizes_.count(name->name)) sizes_[name->name] = unique(name->name);
}

std::string ExportedNames::unique(const std::string& name) {
  std::string word = name;
  for (const char c : {'.', ' '}) std::replace(word.begin(), word.end(), c, '_');
  word = unowned(word);
  while (!used_.insert(word).second) word += '_';
  return word;
}

std::string ExportedNames::formula(const Expr& expr) const {
  const auto nested = [&](const Expr& part) {
    const bool is_leaf = llvm::isa<IntConst, ParamRef>(part);
    return is_leaf ? formula(part) : "(" + formula(part) + ")";
  };
  return visit(
      expr,
      [](const IntConst& n) {
        if (n.type == DType::boolean) return std::string(n.value ? "true" : "false");
        return n.value == INT64_MIN ? "least" : std::to_string(n.value);  // which no literal is
      },
      [&](const ParamRef& n) { return size(n.param->name); },
      [&](const Unary& n) {
        return n.op == UnaryOp::logical_not ? "!" + nested(n.operand)
                                            : "Size(0) - " + nested(n.operand);
      },
      [&](const Binary& n) {
        if (n.op == BinaryOp::min || n.op == BinaryOp::max)
          return fmt::format("{}({}, {})", n.op == BinaryOp::min ? "min" : "max", formula(n.lhs),
                             formula(n.rhs));
        const bool is_constant = as_int(n.lhs) && as_int(n.rhs);
        return fmt::format("{} {} {}", is_constant ? "Size(" + formula(n.lhs) + ")" : nested(n.lhs),
                           operator_of(n.op).spelling, nested(n.rhs));
      },
      [&](const Select& n) {
        return fmt::format("{} ? {} : {}", nested(n.condition), nested(n.if_true),
                           nested(n.if_false));
      },
      [&](const Cast& n) { return formula(n.operand); },
      [](const auto&) -> std::string { llvm_unreachable("no formula over sizes"); });
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

}  // namespace hone
