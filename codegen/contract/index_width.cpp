#include "codegen/contract/index_width.h"

#include <algorithm>

#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {

int64_t max_size_32(const KernelFunction& kernel) {
  int64_t room = int64_t{1} << 20;
  walk_exprs(kernel.body, [&](const Expr& expr) {
    const auto* product = llvm::dyn_cast<Binary>(expr);
    if (!product || product->op != BinaryOp::mul || product->type != DType::index) return;
    constexpr int64_t most = int64_t{1} << 30;
    const int64_t factor = std::clamp(as_int(product->rhs).value_or(0), -most, most);
    room = std::max(room, 2 * std::abs(factor));
  });
  return (int64_t{1} << 31) - room;
}

bool fits_in(int64_t value, int bits) { return bits == 64 || llvm::isInt<32>(value); }

namespace {

/// The width of a conversion to an index: 64 if its operand has more values than an int.
int width_of_cast(const Cast& cast, int index_bits) {
  const DType from = cast.operand.type();
  return from == DType::i64 || is_float(from) ? 64 : index_bits;
}

}  // namespace

int width_of(const Expr& expr, int index_bits) {
  if (const auto value = as_int(expr)) return fits_in(*value, 32) ? 32 : 64;
  if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return width_of(unary->operand, index_bits);
  if (const auto* cast = llvm::dyn_cast<Cast>(expr)) return width_of_cast(*cast, index_bits);
  if (const auto* select = llvm::dyn_cast<Select>(expr))
    return std::max(width_of(select->if_true, index_bits), width_of(select->if_false, index_bits));
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (!binary) return index_bits;
  const int left = width_of(binary->lhs, index_bits);
  const bool is_shift = binary->op == BinaryOp::shl || binary->op == BinaryOp::shr;
  return is_shift ? left : std::max(left, width_of(binary->rhs, index_bits));
}

Expr widened(const Expr& index) { return Cast::make(DType::index, cast(DType::i64, index)); }

Expr before_widening(const Expr& expr) {
  const auto* outer = llvm::dyn_cast<Cast>(expr);
  if (!outer || outer->type != DType::index) return {};
  if (const auto* literal = llvm::dyn_cast<IntConst>(outer->operand))
    return literal->type == DType::i64 ? IntConst::make(literal->value) : Expr();
  const auto* inner = llvm::dyn_cast<Cast>(outer->operand);
  const bool is_wide = inner && inner->type == DType::i64 && inner->operand.type() == DType::index;
  return is_wide ? inner->operand : Expr();
}

}  // namespace hone
