#include "ir/core/update.h"

#include <limits>

#include "fmt/format.h"
#include "ir/text/operators.h"
#include "ir/text/printer.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

llvm::StringRef spelling(Update update) {
  switch (update) {
    case Update::set:
      return "=";
    case Update::add:
      return "+=";
    case Update::mul:
      return "*=";
    case Update::min:
      return "min=";
    case Update::max:
      return "max=";
    case Update::logical_and:
      return "and=";
    case Update::logical_or:
      return "or=";
    case Update::custom:
      break;
  }
  llvm_unreachable("an operator of a user has a name");
}

bool is_signed(DType integer) { return integer != DType::u8 && integer != DType::boolean; }

int64_t lowest(DType integer) {
  if (!is_signed(integer)) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * size_of(integer));
}

int64_t highest(DType integer) {
  if (!is_signed(integer)) return std::numeric_limits<uint8_t>::max();
  return std::numeric_limits<int64_t>::max() >> (64 - 8 * size_of(integer));
}

/// The identity of max, or that of min.
Expr extreme(DType type, bool is_lowest) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_float(type)) return FloatConst::make(is_lowest ? -infinity : infinity, type);
  return IntConst::make(is_lowest ? lowest(type) : highest(type), type);
}

Expr number(int64_t value, DType type) {
  return is_float(type) ? FloatConst::make(static_cast<double>(value), type)
                        : IntConst::make(value, type);
}

}  // namespace

OperatorPtr make_operator(llvm::StringRef name, TensorPtr lhs, TensorPtr rhs, const Expr& combined,
                          Expr identity) {
  auto* op = new OperatorNode;
  op->name = name.str();
  op->lhs = std::move(lhs);
  op->rhs = std::move(rhs);
  op->combined = without_names(combined);
  op->identity = std::move(identity);
  return op;
}

std::optional<std::string> operator_problem(const OperatorNode& op) {
  for (const std::string& word : {op.name, op.lhs->name, op.rhs->name})
    if (!is_identifier(word) || is_reserved(word)) return fmt::format("'{}' is not a name", word);
  for (const char* built_in : {"min", "max", "and", "or"})
    if (op.name == built_in) return fmt::format("'{}' is a built-in operator", op.name);
  if (op.lhs->name == op.rhs->name)
    return fmt::format("both operands of {} are named {}", op.name, op.lhs->name);
  std::optional<std::string> problem;
  walk(op.combined, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    const bool is_operand = load && (load->tensor == op.lhs || load->tensor == op.rhs);
    if (!problem && !is_operand && llvm::isa<Load, AxisRef, ParamRef, ThreadIndex>(part))
      problem =
          fmt::format("{} depends on {}; it may contain its operands and constants", op.name, part);
  });
  if (problem) return problem;
  const DType type = op.lhs->type;
  const auto type_name = [](DType type) { return name(type).str(); };
  if (op.rhs->type != type || op.combined.type() != type)
    return fmt::format("{} makes {} of {} and {}, which are to be of one type", op.name,
                       type_name(op.combined.type()), type_name(type), type_name(op.rhs->type));
  if (!is_constant(op.identity) || op.identity.type() != type)
    return fmt::format("the identity {} of {} is not a constant of type {}", op.identity, op.name,
                       type_name(type));
  return std::nullopt;
}

Expr apply(const OperatorNode& op, const Expr& lhs, const Expr& rhs) {
  return transform(op.combined, [&](const Expr& part) -> Expr {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (!load) return {};
    return load->tensor == op.lhs ? lhs : load->tensor == op.rhs ? rhs : Expr();
  });
}

BinaryOp combiner(Update update) {
  switch (update) {
    case Update::add:
      return BinaryOp::add;
    case Update::mul:
      return BinaryOp::mul;
    case Update::min:
      return BinaryOp::min;
    case Update::max:
      return BinaryOp::max;
    case Update::logical_and:
      return BinaryOp::logical_and;
    case Update::logical_or:
      return BinaryOp::logical_or;
    case Update::set:
    case Update::custom:
      break;
  }
  llvm_unreachable("not a built-in operator");
}

Expr identity_of(Update update, DType type) {
  switch (update) {
    case Update::add:
      return number(0, type);
    case Update::mul:
      return number(1, type);
    case Update::min:
      return extreme(type, false);
    case Update::max:
      return extreme(type, true);
    case Update::logical_and:
      return IntConst::make(1, type);
    case Update::logical_or:
      return IntConst::make(0, type);
    case Update::set:
    case Update::custom:
      break;
  }
  return {};
}

std::string update_text(const Store& store) {
  return store.op ? store.op->name + "=" : spelling(store.update).str();
}

Expr combined(const Store& store, const Expr& element, const Expr& value) {
  if (store.update == Update::set) return value;
  if (store.op) return apply(*store.op, element, value);
  return Binary::make(combiner(store.update), element, value);
}

Expr identity_of(const Store& store) {
  return store.op ? store.op->identity : identity_of(store.update, store.tensor->type);
}

llvm::SmallVector<OperatorPtr, 2> operators_of(const Stmt& stmt) {
  llvm::SmallVector<OperatorPtr, 2> operators;
  walk(stmt, [&](const Stmt& nested) {
    const auto* store = llvm::dyn_cast<Store>(nested);
    if (!store || !store->op) return;
    const auto is_it = [&](const OperatorPtr& known) { return known->name == store->op->name; };
    if (llvm::none_of(operators, is_it)) operators.push_back(store->op);
  });
  return operators;
}

}  // namespace hone
