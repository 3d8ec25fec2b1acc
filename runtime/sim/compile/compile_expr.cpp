#include <bit>
#include <cassert>

#include "codegen/contract/index_width.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/SaveAndRestore.h"
#include "runtime/sim/collective.h"
#include "runtime/sim/compile/compiler.h"

namespace hone {

Value SimCompiler::compile(const Expr& expr) {
  return expr.type() == DType::index ? value_of(index_of(expr)) : compile_other(expr);
}

std::vector<Value> SimCompiler::compile_all(llvm::ArrayRef<Expr> exprs) {
  std::vector<Value> values;
  for (const Expr& expr : exprs) values.push_back(compile(expr));
  return values;
}

/// All but sums and products of indices and what they consist of.
Value SimCompiler::compile_other(const Expr& expr) {
  const auto is_index_arithmetic = [](const auto&) -> Value {
    llvm_unreachable("index arithmetic is for index_of");
  };
  return visit(
      expr,
      [&](const IntConst& node) {
        return emitter_.constant(Scalar::of_int(node.type, node.value));
      },
      [&](const FloatConst& node) {
        return emitter_.constant(Scalar::of_float(node.type, node.value));
      },
      [&](const AxisRef& node) { return is_index_arithmetic(node); },
      [&](const ParamRef& node) { return is_index_arithmetic(node); },
      [&](const ThreadIndex& node) { return is_index_arithmetic(node); },
      [&](const Load& node) {
        const auto operand = operands_.find(node.tensor.get());
        if (operand != operands_.end()) return operand->second;
        return load(make_access(Access::Kind::read, node, expr), node.type);
      },
      [&](const Unary& node) {
        return emitter_.compute(unary_operation(node.op, node.type), node.type,
                                compile(node.operand));
      },
      [&](const Binary& node) { return compile(node); },
      [&](const Select& node) { return compile(node); },
      [&](const Cast& node) {
        return emitter_.compute(cast_operation(node.type, node.operand.type()), node.type,
                                compile(node.operand));
      },
      [&](const Call& node) {
        return emitter_.compute(intrinsic_operation(node.intrinsic, node.type), node.type,
                                compile_all(node.arguments));
      },
      [&](const MakeTuple& node) { return compile(node); },
      [&](const Component& node) {
        const DType tuple = node.tuple.type();
        return emitter_.compute(component_operation(tuple, node.position), node.type,
                                compile(node.tuple),
                                static_cast<uint32_t>(component_offset(tuple, node.position)));
      },
      [&](const Shuffle& node) { return compile(node); },
      [&](const Named& node) { return compile(node.value); });
}

/// One component after the other takes its place among zeros.
Value SimCompiler::compile(const MakeTuple& tuple) {
  Value value = emitter_.constant(Scalar::zero(tuple.type));
  for (unsigned n = 0; n < tuple.components.size(); ++n)
    value = emitter_.compute(set_component_operation(tuple.type, n), tuple.type,
                             {value, compile(tuple.components[n])},
                             static_cast<uint32_t>(component_offset(tuple.type, n)));
  return value;
}

Value SimCompiler::compile(const Shuffle& shuffle) {
  ShuffleDetail detail = {shuffle.mode, statement_};
  detail.first_access = static_cast<uint32_t>(program_.accesses.size());
  const Value value = emitter_.broadcast(compile(shuffle.value));
  detail.end_access = static_cast<uint32_t>(program_.accesses.size());
  const Value offset = emitter_.broadcast(compile(shuffle.offset));
  const Value lanes = emitter_.broadcast(compile(shuffle.lanes));
  watch(watch_.shuffle, static_cast<uint32_t>(program_.shuffles.size()), offset.slot, lanes.slot);
  program_.shuffles.push_back(detail);
  return emitter_.compute_here(shuffle_operation(shuffle.mode, shuffle.type), shuffle.type,
                               {value, offset, lanes});
}

Value SimCompiler::compile(const Binary& binary) {
  const DType operand_type = binary.lhs.type();
  if (is_logical(binary.op)) return compile_logical(binary);
  if ((binary.op == BinaryOp::div || binary.op == BinaryOp::mod) && !is_float(operand_type))
    return compile_division(binary);
  return emitter_.compute(binary_operation(binary.op, operand_type), binary.type,
                          {compile(binary.lhs), compile(binary.rhs)});
}

Value SimCompiler::compile_division(const Binary& binary) {
  const Value lhs = compile(binary.lhs), rhs = compile(binary.rhs);
  const bool is_quotient = binary.op == BinaryOp::div;
  const bool is_ahead = has_quotient(binary);
  const Operation divide = division_operation(binary.op, binary.type, is_ahead);
  if (!is_ahead) return emitter_.compute_here(divide, binary.type, {lhs, rhs}, statement_);
  const int64_t divisor = *as_int(binary.rhs);
  if (binary.type != DType::index || !std::has_single_bit(static_cast<uint64_t>(divisor)))
    return emitter_.compute(divide, binary.type, {lhs, rhs});
  return emitter_.compute(is_quotient ? shift_operation() : low_bits_operation(), DType::index, lhs,
                          std::countr_zero(static_cast<uint64_t>(divisor)));
}

// ---- What is evaluated only where it is needed --------------------------------------------------

/// The second operand runs for the lanes that the first one does not decide.
Value SimCompiler::compile_logical(const Binary& binary) {
  const Value lhs = compile(binary.lhs);
  if (never_fails(binary.rhs))
    return emitter_.compute(binary_operation(binary.op, DType::boolean), DType::boolean,
                            {lhs, compile(binary.rhs)});
  const bool is_uniform = lhs.is_uniform && this->is_uniform(binary.rhs);
  const Value result = emitter_.make_value(DType::boolean, is_uniform);
  emitter_.move(result, lhs);
  branch(lhs, binary.op == BinaryOp::logical_and,
         [&] { emitter_.move(result, compile(binary.rhs)); });
  return result;
}

/// Values that the condition reads do not go on to what the statement writes.
Value SimCompiler::compile_condition(const Expr& condition) {
  const llvm::SaveAndRestore<bool> moves(moves_, false), joins(joins_, false);
  return compile(condition);
}

Value SimCompiler::compile(const Select& select) {
  const Value condition = compile_condition(select.condition);
  if (never_fails(select.if_true) && never_fails(select.if_false))
    return emitter_.compute(select_operation(select.type), select.type,
                            {condition, compile(select.if_true), compile(select.if_false)});
  const bool is_uniform =
      condition.is_uniform && this->is_uniform(select.if_true) && this->is_uniform(select.if_false);
  const Value result = emitter_.make_value(select.type, is_uniform);
  branch(condition, true, [&] { emitter_.move(result, compile(select.if_true)); });
  branch(condition, false, [&] { emitter_.move(result, compile(select.if_false)); });
  return result;
}

// ---- What is known about expressions ------------------------------------------------------------

bool SimCompiler::is_uniform(const Expr& expr) const {
  return !any_of(expr, [&](const Expr& part) {
    const auto* index = llvm::dyn_cast<ThreadIndex>(part);
    const auto* axis = llvm::dyn_cast<AxisRef>(part);
    return llvm::isa<Load, Shuffle>(part) ||
           (index && (index->space == IndexSpace::thread || differs_in_cluster(*index))) ||
           (axis && has_lanes(axes_.find(axis->axis.get())->second.index));
  });
}

/// True if it cannot fail, and so may be evaluated for lanes that do not need it.
bool SimCompiler::never_fails(const Expr& expr) const {
  return !any_of(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    const bool divides = binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
    return llvm::isa<Load, Shuffle>(part) || watches(part) ||
           (divides && !is_float(part.type()) && !has_quotient(*binary));
  });
}

/// True if a division of integers or indices has a value for all values of its operands.
bool SimCompiler::has_quotient(const Binary& division) const {
  const std::optional<int64_t> divisor = as_int(division.rhs);
  if (!divisor || *divisor == 0) return false;
  return division.type != DType::index || (*divisor > 0 && is_never_negative(division.lhs));
}

bool SimCompiler::is_never_negative(const Expr& expr) const {
  if (const std::optional<int64_t> value = as_int(expr)) return *value >= 0;
  if (llvm::isa<ParamRef>(expr) || llvm::isa<ThreadIndex>(expr)) return true;
  if (const auto* axis = llvm::dyn_cast<AxisRef>(expr))
    return axes_.find(axis->axis.get())->second.is_never_negative;
  if (const auto* select = llvm::dyn_cast<Select>(expr))
    return is_never_negative(select->if_true) && is_never_negative(select->if_false);
  if (const Expr narrow = before_widening(expr); narrow.defined()) return is_never_negative(narrow);
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  const bool keeps_sign = binary && binary->op != BinaryOp::sub && binary->op != BinaryOp::shl;
  return keeps_sign && is_never_negative(binary->lhs) && is_never_negative(binary->rhs);
}

}  // namespace hone
