#include "codegen/pass/lets.h"

#include "ir/algebra/polynomial.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Takes lets out of a statement whose values are known before it.
class Hoister : public Rewriter {
 public:
  explicit Hoister(llvm::function_ref<bool(const Expr&)> is_known) : is_known_(is_known) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (!let || !is_known_(let->value)) return rewrite_operands(stmt);
    lets.push_back({let->axis, let->value});
    return rewrite(let->body);
  }

  llvm::SmallVector<std::pair<AxisPtr, Expr>, 4> lets;

 private:
  llvm::function_ref<bool(const Expr&)> is_known_;
};

int uses_of(const AxisNode* axis, const Stmt& stmt) {
  int uses = 0;
  walk_exprs(stmt, [&](const Expr& expr) {
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    uses += reference && reference->axis.get() == axis;
  });
  return uses;
}

/// Thread indices are unsigned in CUDA, and other indices are not: whether that makes no
/// difference.
bool is_same_unsigned(const Expr& value) {
  if (const auto constant = as_int(value)) return *constant >= 0;
  if (llvm::isa<AxisRef, ParamRef, ThreadIndex>(value)) return true;
  const auto* binary = llvm::dyn_cast<Binary>(value);
  if (!binary) return false;
  const BinaryOp op = binary->op;
  const bool is_monotone =
      op == BinaryOp::add || op == BinaryOp::mul || op == BinaryOp::div || op == BinaryOp::mod;
  return is_monotone && is_same_unsigned(binary->lhs) && is_same_unsigned(binary->rhs);
}

int uses_in_lets(const AxisNode* axis, const Stmt& stmt) {
  const auto* let = llvm::dyn_cast<Let>(stmt);
  if (!let) return 0;
  int uses = 0;
  walk(let->value, [&](const Expr& expr) {
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    uses += reference && reference->axis.get() == axis;
  });
  return (is_same_unsigned(let->value) ? uses : 0) + uses_in_lets(axis, let->body);
}

class LetInliner : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (!let) return rewrite_operands(stmt);
    const Stmt body = rewrite(let->body);
    const AxisNode* axis = let->axis.get();
    const int uses = uses_of(axis, body);
    if (uses == 0) return body;
    if (uses == uses_in_lets(axis, body) && llvm::isa<ThreadIndex>(let->value))
      return substitute(body, axis, let->value);
    return Let::make(let->axis, let->value, body);
  }
};

}  // namespace

Stmt let_before_use(const AxisPtr& axis, const Expr& value, const Stmt& stmt) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return Alloc::make(alloc->tensor, let_before_use(axis, value, alloc->body));
  if (const auto* let = llvm::dyn_cast<Let>(stmt); let && !mentions(let->value, axis.get()))
    return Let::make(let->axis, let->value, let_before_use(axis, value, let->body));
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    const auto* first =
        llvm::find_if(seq->stmts, [&](const Stmt& part) { return uses_of(axis.get(), part) != 0; });
    llvm::SmallVector<Stmt, 4> stmts(seq->stmts.begin(), first);
    const Stmt rest = Seq::make(llvm::ArrayRef<Stmt>(first, seq->stmts.end()));
    if (!stmts.empty()) {
      stmts.push_back(let_before_use(axis, value, rest));
      return Seq::make(stmts);
    }
  }
  return Let::make(axis, value, stmt);
}

Stmt with_lets_hoisted(const Stmt& stmt, llvm::function_ref<bool(const Expr&)> is_known) {
  Hoister hoister(is_known);
  Stmt result = hoister.rewrite(stmt);
  for (const auto& [axis, value] : llvm::reverse(hoister.lets))
    result = Let::make(axis, value, result);
  return result;
}

Stmt with_lets_inlined(const Stmt& stmt) { return LetInliner().rewrite(stmt); }

}  // namespace hone
