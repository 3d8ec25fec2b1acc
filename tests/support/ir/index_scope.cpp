#include "tests/support/ir/index_scope.h"

#include <set>

#include "ir/text/parser.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// A function that stores to an element per expression, under the heads of `around`. A condition
/// stands in a select.
std::string text_of(const std::vector<std::string>& around, const std::vector<std::string>& exprs) {
  std::string text = "func scope[K, M, N, P](O: i32[1], A: i32[64]) {\n", closing = "}";
  for (const std::string& head : around) {
    const bool opens = head.rfind("let", 0) != 0;
    text += head + (opens ? " {\n" : "\n");
    if (opens) closing += "}";
  }
  for (const std::string& expr : exprs)
    text += "O[select((" + expr + ") == (" + expr + "), 0, 0)] = 0\n";
  return text + closing;
}

std::optional<int64_t> binary_value(BinaryOp op, int64_t lhs, int64_t rhs) {
  const bool divides = op == BinaryOp::div || op == BinaryOp::mod;
  if (divides && (lhs < 0 || rhs < 1)) return std::nullopt;
  const bool shifts = op == BinaryOp::shl || op == BinaryOp::shr;
  if (shifts && (lhs < 0 || rhs < 0 || rhs > 62)) return std::nullopt;
  return value_of(op, lhs, rhs);
}

std::optional<int64_t> value_of_binary(const Binary& binary, const Assignment& values) {
  const auto lhs = value_of(binary.lhs, values);
  if (!lhs) return std::nullopt;
  if (binary.op == BinaryOp::logical_and) return *lhs ? value_of(binary.rhs, values) : lhs;
  if (binary.op == BinaryOp::logical_or) return *lhs ? lhs : value_of(binary.rhs, values);
  const auto rhs = value_of(binary.rhs, values);
  return rhs ? binary_value(binary.op, *lhs, *rhs) : std::nullopt;
}

}  // namespace

int64_t value_of(BinaryOp op, int64_t lhs, int64_t rhs) {
  switch (op) {
    case BinaryOp::add:
      return lhs + rhs;
    case BinaryOp::sub:
      return lhs - rhs;
    case BinaryOp::mul:
      return lhs * rhs;
    case BinaryOp::div:
      return lhs / rhs;
    case BinaryOp::mod:
      return lhs % rhs;
    case BinaryOp::min:
      return std::min(lhs, rhs);
    case BinaryOp::max:
      return std::max(lhs, rhs);
    case BinaryOp::bit_and:
      return lhs & rhs;
    case BinaryOp::bit_or:
      return lhs | rhs;
    case BinaryOp::bit_xor:
      return lhs ^ rhs;
    case BinaryOp::shl:
      return lhs << rhs;
    case BinaryOp::shr:
      return lhs >> rhs;
    case BinaryOp::eq:
      return lhs == rhs;
    case BinaryOp::ne:
      return lhs != rhs;
    case BinaryOp::lt:
      return lhs < rhs;
    case BinaryOp::le:
      return lhs <= rhs;
    case BinaryOp::gt:
      return lhs > rhs;
    case BinaryOp::ge:
      return lhs >= rhs;
    default:
      llvm_unreachable("&& and || are evaluated one side at a time");
  }
}

std::optional<int64_t> value_of(const Expr& expr, const Assignment& values) {
  using Value = std::optional<int64_t>;
  return visit(
      expr, [](const IntConst& n) -> Value { return n.value; },
      [&](const AxisRef& n) -> Value { return values.at(n.axis->name); },
      [&](const ParamRef& n) -> Value { return values.at(n.param->name); },
      [&](const Unary& n) -> Value {
        const Value operand = value_of(n.operand, values);
        if (!operand) return operand;
        return n.op == UnaryOp::negate ? -*operand : !*operand;
      },
      [&](const Binary& n) -> Value { return value_of_binary(n, values); },
      [&](const Select& n) -> Value {
        const Value condition = value_of(n.condition, values);
        if (!condition) return condition;
        return value_of(*condition ? n.if_true : n.if_false, values);
      },
      [](const auto&) -> Value { return std::nullopt; });
}

IndexScope::IndexScope(const std::vector<std::string>& around,
                       const std::vector<std::string>& exprs)
    : function_(parse_function(text_of(around, exprs))) {
  walk(function_.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) facts_.add_axis(loop->axis, loop->extent);
    if (const auto* guard = llvm::dyn_cast<If>(stmt)) facts_.assume(guard->condition);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts_.define(let->axis, let->value);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store) return;
    const auto* choice = llvm::cast<Select>(store->indices[0].get());
    exprs_.push_back(llvm::cast<Binary>(choice->condition)->lhs);
  });
}

const AxisNode* IndexScope::axis(llvm::StringRef name) const {
  const AxisNode* axis = nullptr;
  walk(function_.body, [&](const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt); loop && loop->axis->name == name)
      axis = loop->axis.get();
  });
  return axis;
}

void IndexScope::for_each_assignment(int64_t largest,
                                     const std::function<void(const Assignment&)>& use) const {
  std::set<std::string> names;
  walk_exprs(function_.body, [&](const Expr& expr) {
    if (const auto* param = llvm::dyn_cast<ParamRef>(expr)) names.insert(param->param->name);
  });
  Assignment values;
  const std::function<void(std::set<std::string>::iterator)> choose = [&](auto name) {
    if (name == names.end()) return enumerate(function_.body, values, use);
    for (values[*name] = 0; values[*name] <= largest; ++values[*name]) choose(std::next(name));
  };
  choose(names.begin());
}

void IndexScope::enumerate(const Stmt& stmt, Assignment& values,
                           const std::function<void(const Assignment&)>& use) const {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
    const int64_t extent = value_of(loop->extent, values).value_or(0);
    for (int64_t value = 0; value < extent; ++value) {
      values[loop->axis->name] = value;
      enumerate(loop->body, values, use);
    }
    return;
  }
  if (const auto* guard = llvm::dyn_cast<If>(stmt)) {
    if (value_of(guard->condition, values).value_or(0)) enumerate(guard->body, values, use);
    return;
  }
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
    const auto value = value_of(let->value, values);
    if (!value) return;
    values[let->axis->name] = *value;
    return enumerate(let->body, values, use);
  }
  use(values);
}

}  // namespace hone
