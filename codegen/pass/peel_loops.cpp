// for k in 0..n @peel(2)                    if (0 < n) { body(0); first() }
//   body(k)                                 if (1 < n) { body(1); second() }
//   for q in 0..2 @unroll           =>      for k in 0..n - 2
//     if (k == q) part(q)                     body(k + 2)
//
// Iterations that are written out know their number: of unrolled loops in them, those stay whose
// conditions may hold.

#include "codegen/pass/passes.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// More iterations of a loop are not looked at one by one.
constexpr int64_t most_iterations = 64;

/// Takes iterations out of unrolled loops under whose conditions nothing happens.
class Chooser : public FactsRewriter {
 public:
  using FactsRewriter::FactsRewriter;
  using FactsRewriter::rewrite;

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      const Expr condition = simplify(branch->condition, facts);
      if (is_int(condition, 0)) return Seq::make({});
      return If::make(condition, rewrite(branch->body));
    }
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const auto extent = loop ? as_int(loop->extent) : std::nullopt;
    const bool is_looked_at = loop && loop->binding.is_unrolled_in_full() && extent &&
                              *extent <= most_iterations && is_conditional(loop->body);
    return is_looked_at ? chosen(*loop, *extent) : rewrite_inside(stmt);
  }

 private:
  static bool is_conditional(const Stmt& body) {
    if (const auto* loop = llvm::dyn_cast<For>(body)) return is_conditional(loop->body);
    return llvm::isa<If>(body);
  }

  /// The only iteration that does something in the place of the loop.
  Stmt chosen(const For& loop, int64_t extent) {
    Stmt only;
    for (int64_t n = 0; n < extent; ++n) {
      const Stmt one = rewrite(substitute(loop.body, loop.axis.get(), Expr(n)));
      const auto* seq = llvm::dyn_cast<Seq>(one);
      if (seq && seq->stmts.empty()) continue;
      if (only.defined()) return rewrite_inside(Stmt(&loop));
      only = one;
    }
    return only.defined() ? only : Seq::make({});
  }
};

bool is_peeled(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  return loop && loop->binding.has(attr::peel);
}

class Peeler : public FactsRewriter {
 public:
  explicit Peeler(const KernelFunction& kernel)
      : FactsRewriter(facts_in(kernel)), names_(as_function(kernel)) {}

  using FactsRewriter::rewrite;
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt result = rewrite_inside(stmt);
    return is_peeled(result) ? peeled(*llvm::cast<For>(result)) : result;
  }

 private:
  Stmt peeled(const For& loop) {
    const int64_t count = loop.binding.attributes.number(attr::peel);
    llvm::SmallVector<Stmt, 5> stmts;
    for (int64_t n = 0; n < count; ++n) {
      const Stmt body = Chooser(facts).rewrite(substitute(loop.body, loop.axis.get(), Expr(n)));
      stmts.push_back(
          If::make(Expr(n) < loop.extent, with_fresh_names(body, fmt::format(".{}", n), names_)));
    }
    const Expr rest = loop.extent - count;
    Facts inside = facts;
    inside.add_axis(loop.axis, rest);
    const Stmt body = Chooser(inside).rewrite(
        substitute(loop.body, loop.axis.get(), AxisRef::make(loop.axis) + count));
    Binding binding = loop.binding;
    binding.attributes = {};
    stmts.push_back(For::make(loop.axis, rest, binding, body));
    return Seq::make(stmts);
  }

  Names names_;
};

}  // namespace

void peel_loops(KernelFunction& kernel) {
  if (any_of(kernel.body, is_peeled)) kernel.body = Peeler(kernel).rewrite(kernel.body);
}

}  // namespace hone
