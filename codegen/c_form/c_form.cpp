#include "codegen/c_form/c_form.h"

#include "ir/algebra/facts_rewriter.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class LoopCounter : public Rewriter {
 public:
  LoopCounter(CForm& form, Facts facts) : form_(form), facts_(std::move(facts)) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  /// Top-down: an inner loop is counted with what outer ones count.
  Stmt rewrite(const Stmt& stmt) override {
    const FactsScope inside(facts_);  // behind a loop, nothing says that it has iterations
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts_.define(let->axis, let->value);
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop ? counted(*loop) : rewrite_operands(stmt);
  }

 private:
  /// A node of its own, which `counts` knows it by.
  Stmt counted(const For& loop) {
    const SteppedLoop steps = stepped(loop, facts_);
    if (steps.count.is_of_trips()) facts_.add_axis(loop.axis, loop.extent);
    const Stmt result = loop.with_body(rewrite(steps.body));
    const auto* made = llvm::cast<For>(result.get());
    form_.counts[made] = steps.count;
    const auto ring = ring_counter(*made);
    if (ring && steps.count.is_of_trips()) form_.rings[made] = *ring;
    return result;
  }

  CForm& form_;
  Facts facts_;
};

/// The statements of the form stand for those of the kernel, in the same order.
void remember_origins(CForm& form, const Stmt& body) {
  llvm::SmallVector<const StmtNode*, 32> nodes;
  walk(body, [&](const Stmt& stmt) { nodes.push_back(stmt.get()); });
  const auto* node = nodes.begin();
  walk(form.body, [&](const Stmt& stmt) {
    if (stmt.get() != *node) form.origins.try_emplace(stmt.get(), *node);
    ++node;
  });
  assert(node == nodes.end() && "counting in steps changes expressions alone");
}

/// True of a <= b and b < a.
bool exclude_each_other(const If& lhs, const If& rhs) {
  const auto* left = llvm::dyn_cast<Binary>(lhs.condition);
  const auto* right = llvm::dyn_cast<Binary>(rhs.condition);
  return left && right && left->op == BinaryOp::le && right->op == BinaryOp::lt &&
         equal(left->lhs, right->rhs) && equal(left->rhs, right->lhs);
}

/// Threads that return need not come together again with others: ptxas has to know that to give
/// each role registers of its own.
void find_roles(CForm& form, const Stmt& stmt) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return find_roles(form, alloc->body);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return find_roles(form, let->body);
  const auto* seq = llvm::dyn_cast<Seq>(stmt);
  if (!seq) return;
  const llvm::ArrayRef<Stmt> stmts = seq->stmts;
  const auto* last = llvm::dyn_cast<If>(stmts.back());
  const auto* other = llvm::dyn_cast<If>(stmts[stmts.size() - 2]);
  if (!last || !other || !exclude_each_other(*other, *last)) return;
  form.returning = other;
  form.remaining = last;
}

}  // namespace

const RingCounter* CForm::ring(const For& loop) const {
  const auto found = rings.find(&loop);
  return found == rings.end() ? nullptr : &found->second;
}

const StmtNode* CForm::origin(const StmtNode* stmt) const {
  const auto found = origins.find(stmt);
  return found == origins.end() ? stmt : found->second;
}

CForm c_form(const KernelFunction& kernel) {
  CForm form;
  form.body = LoopCounter(form, facts_in(kernel)).rewrite(kernel.body);
  remember_origins(form, kernel.body);
  if (any_of(kernel.body, is_wait_for_phase)) find_roles(form, form.body);
  return form;
}

}  // namespace hone
