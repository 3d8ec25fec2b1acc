#include "codegen/emit/operator_functions.h"

#include "codegen/emit/c_operators.h"
#include "fmt/format.h"
#include "ir/algebra/fold.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// A value that the function names, since its result is made of it more than once.
struct NamedValue {
  TensorPtr name;
  Expr value;
};

bool is_worth_a_name(const Expr& expr) {
  return llvm::isa<Binary, Call, Select>(expr) && (is_float(expr.type()) || expr.type() == i32);
}

int count(const Expr& whole, const Expr& wanted) {
  int found = 0;
  walk(whole, [&](const Expr& part) { found += equal(part, wanted) ? 1 : 0; });
  return found;
}

/// The largest part that stands in `whole` more than once, and that has a value also where the
/// operator does not need it; undefined where there is none.
Expr repeated_part(const Expr& whole) {
  Expr repeated;
  walk(whole, [&](const Expr& part) {
    const bool is_inside = repeated.defined() && count(part, repeated) == 0;
    if (!is_inside && is_worth_a_name(part) && !may_divide_by_zero(part) && count(whole, part) > 1)
      repeated = part;
  });
  return repeated;
}

/// A name that is not an operand's: x0, x1...
std::string fresh_name(const OperatorNode& op, unsigned& number) {
  std::string name;
  do name = fmt::format("x{}", number++);
  while (name == op.lhs->name || name == op.rhs->name);
  return name;
}

/// `result`, of the operator, with a name for each part that it is made of more than once. The
/// names stand in the order in which they need each other.
llvm::SmallVector<NamedValue, 4> name_repeated_parts(const OperatorNode& op, Expr& result) {
  unsigned number = 0;
  llvm::SmallVector<NamedValue, 4> names;
  while (true) {
    const Expr part = repeated_part(result);
    if (!part.defined()) return names;
    const TensorPtr name = make_tensor(fresh_name(op, number), part.type(), {}, Scope::registers);
    result = transform(result, [&](const Expr& candidate) {
      return equal(candidate, part) ? Load::make(name, {}) : Expr();
    });
    names.push_back({name, part});
  }
}

std::string function_text(const OperatorNode& op, const Identifiers& outer,
                          const Dialect& dialect) {
  Expr result = op.combined;
  const auto names = name_repeated_parts(op, result);
  KernelFunction scope;
  scope.arguments = {op.lhs, op.rhs};
  for (const NamedValue& named : names)
    scope.body = Alloc::make(named.name, scope.body.defined() ? scope.body : Seq::make({}));
  if (names.empty()) scope.body = Seq::make({});
  const bool may_fail = may_divide_by_zero(op.combined);
  const CText text(outer, scope, dialect,
                   may_fail ? CText::Logic::short_circuit : CText::Logic::eager);
  const std::string type = dialect.type(op.lhs->type);
  std::string function = fmt::format("{0} {1}({0} {2}, {0} {3}) {{\n", type, outer.function(op),
                                     text.names().of(*op.lhs), text.names().of(*op.rhs));
  for (const NamedValue& named : names)
    function += fmt::format("  const {} {} = {};\n", dialect.type(named.name->type),
                            text.names().of(*named.name), text.expression(named.value));
  return function + fmt::format("  return {};\n}}\n", text.expression(result));
}

}  // namespace

bool has_function(const OperatorNode& op) {
  int uses = 0;
  bool may_skip = false;
  walk(op.combined, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    const auto* binary = llvm::dyn_cast<Binary>(part);
    uses += load && load->tensor == op.rhs ? 1 : 0;
    may_skip |= llvm::isa<Select>(part) || (binary && is_logical(binary->op));
  });
  return uses != 1 || may_skip || is_tuple(op.lhs->type);
}

std::string operator_functions(const KernelFunction& kernel, const Identifiers& names,
                               const Dialect& dialect, llvm::StringRef qualifier) {
  std::string text;
  for (const OperatorPtr& op : operators_of(kernel.body))
    if (has_function(*op))
      text += fmt::format("\n{} {}", qualifier.str(), function_text(*op, names, dialect));
  return text;
}

}  // namespace hone
