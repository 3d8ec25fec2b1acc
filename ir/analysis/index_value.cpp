#include "ir/analysis/index_value.h"

#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

bool operator_has_value(const Binary& binary, const Facts& facts) {
  const auto is_natural = [&](const Expr& operand) { return proves(operand >= 0, facts); };
  switch (binary.op) {
    case BinaryOp::div:
    case BinaryOp::mod:
      return is_natural(binary.lhs);
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      return is_natural(binary.lhs) && is_natural(binary.rhs);
    case BinaryOp::shl:
    case BinaryOp::shr:
      return is_natural(binary.lhs) && is_natural(binary.rhs) && proves(binary.rhs < 63, facts);
    default:
      return true;
  }
}

}  // namespace

bool has_value(const Expr& expr, const Facts& facts) {
  bool has = true;
  walk(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    has = has && (!binary || binary->type != DType::index || operator_has_value(*binary, facts));
  });
  return has;
}

}  // namespace hone
