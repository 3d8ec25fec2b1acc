// Integer arithmetic as text: what the operators of C and CUDA give no value to has one here.
#include "codegen/emit/c_operators.h"
#include "codegen/emit/c_text.h"
#include "fmt/format.h"
#include "ir/algebra/simplify.h"

namespace hone {

bool CText::may_overflow(BinaryOp op, DType type) const {
  const bool is_sum_or_product = op == BinaryOp::add || op == BinaryOp::sub || op == BinaryOp::mul;
  return is_sum_or_product && (type == DType::i32 || type == DType::i64) && !dialect_.wraps();
}

/// Integers wrap around; in C, only the unsigned ones do.
std::string CText::print_wrapped(const Expr& expr, int precedence) const {
  return in_parentheses_if(
      precedence > c_unary_precedence,
      fmt::format("({})({})", dialect_.type(expr.type()), print_unsigned(expr, 0)));
}

std::string CText::print_unsigned(const Expr& expr, int precedence) const {
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (binary && may_overflow(binary->op, binary->type)) {
    const COperator op = operator_of(binary->op);
    return in_parentheses_if(
        op.precedence < precedence,
        fmt::format("{} {} {}", print_unsigned(binary->lhs, op.precedence), op.spelling,
                    print_unsigned(binary->rhs, op.precedence + 1)));
  }
  const bool is_long = expr.type() == DType::i64;
  if (const auto value = as_int(expr); value && *value >= 0)
    return fmt::format("{}{}", *value, is_long ? "ULL" : "u");
  return fmt::format("(unsigned{}){}", is_long ? " long long" : "",
                     print(expr, c_unary_precedence));
}

bool CText::may_lack_value(const Binary& division) const {
  const bool divides = division.op == BinaryOp::div || division.op == BinaryOp::mod;
  if (!divides || is_float(division.type)) return false;
  if (const auto divisor = as_int(division.rhs)) return *divisor == 0 || *divisor == -1;
  return division.type != DType::index || !proves(division.rhs >= 1, facts_);
}

}  // namespace hone
