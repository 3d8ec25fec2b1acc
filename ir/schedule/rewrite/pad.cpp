#include "ir/schedule/rewrite/pad.h"

#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/index_value.h"
#include "ir/scalar/scalar.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Replaces loads, but none in the index of another: that is not evaluated where its load is not.
class LoadReplacer : public Rewriter {
 public:
  explicit LoadReplacer(llvm::function_ref<Expr(const Expr&)> replace) : replace_(replace) {}

  Expr rewrite(const Expr& expr) override {
    if (!llvm::isa<Load>(expr)) return rewrite_operands(expr);
    const Expr replacement = replace_(expr);
    return replacement.defined() ? replacement : expr;
  }

 private:
  llvm::function_ref<Expr(const Expr&)> replace_;
};

class Padder : public FactsRewriter {
 public:
  Padder(const Preconditions& check, const Expr& inside, const AxisPtr& axis, Facts facts)
      : FactsRewriter(std::move(facts)), check_(check), inside_(inside), axes_({axis}) {}

  using FactsRewriter::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) refuse_alloc(*alloc);
    if (llvm::isa<Copy>(stmt) || decides_on_what_may_lack(stmt)) return If::make(inside_, stmt);
    if (const auto* let = llvm::dyn_cast<Let>(stmt); let && depends(let->value))
      axes_.push_back(let->axis);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store) return rewrite_inside(stmt);
    const bool is_shared_by_all =
        store->update != Update::set &&
        llvm::none_of(store->indices, [&](const Expr& index) { return depends(index); });
    return is_shared_by_all ? with_neutral_loads(stmt, *store) : If::make(inside_, stmt);
  }

 private:
  [[noreturn]] void refuse_alloc(const Alloc& alloc) const {
    check_.refuse(&alloc,
                  fmt::format("iterations beyond the end would read {}, which nothing sets there",
                              alloc.tensor->name),
                  "split before caching; {.tail = Tail::guard} takes any program");
  }

  /// True if a condition or a let needs an element, or a quotient, that there may not be beyond the
  /// end.
  bool decides_on_what_may_lack(const Stmt& stmt) const {
    const auto* branch = llvm::dyn_cast<If>(stmt);
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (!branch && !let) return false;
    const Expr& value = branch ? branch->condition : let->value;
    return (reads_tensor(value) && depends(value)) || may_lack(value);
  }

  /// True if index arithmetic may have no value beyond the end. That of loads has one, where they
  /// happen.
  bool may_lack(const Expr& expr) const {
    if (llvm::isa<Load>(expr)) return false;
    const auto* binary = llvm::dyn_cast<Binary>(expr);
    if (binary && depends(expr) && !has_value(expr, facts)) return true;
    if (binary && depends(binary->rhs) && !divides_by_positive(expr, facts)) return true;
    bool result = false;
    for_each_operand(expr, [&](const Expr& part) { result = result || may_lack(part); });
    return result;
  }

  bool depends(const Expr& expr) const {
    return llvm::any_of(axes_, [&](const AxisPtr& axis) { return mentions(expr, axis.get()); });
  }

  Expr with_loads(const Expr& value, llvm::function_ref<Expr(const Expr&)> padded) const {
    const auto replaced = [&](const Expr& load) { return depends(load) ? padded(load) : Expr(); };
    return LoadReplacer(replaced).rewrite(value);
  }

  /// A value to read outside which leaves the element as it is; undefined where there is none.
  Expr neutral_fill(const Store& store) const {
    const Expr identity = identity_of(store);
    for (const Expr& fill : {Expr(0), identity}) {
      if (!fill.defined()) continue;
      const Expr outside = folded(
          with_loads(store.value, [&](const Expr& load) { return constant(fill, load.type()); }));
      if (identity.defined() && equal(outside, identity)) return fill;
    }
    return {};
  }

  /// The fill in another type; undefined where that has no such value.
  static Expr constant(const Expr& fill, DType type) {
    if (is_tuple(type) && is_int(fill, 0)) return constant_of(Scalar::zero(type));
    if (is_tuple(type) || is_tuple(fill.type())) return fill.type() == type ? fill : Expr();
    const Expr result = folded(cast(type, fill));
    return equal(folded(cast(fill.type(), result)), fill) ? result : Expr();
  }

  Stmt with_neutral_loads(const Stmt& stmt, const Store& store) const {
    const Expr fill = neutral_fill(store);
    if (!fill.defined())
      check_.refuse(stmt.get(),
                    fmt::format("iterations beyond the end would change {}: no value to read there "
                                "leaves '{} {}' without effect",
                                store.tensor->name, update_text(store), store.value),
                    "{.tail = Tail::guard} takes any program");
    if (may_lack(store.value)) return If::make(inside_, stmt);
    const Expr value = with_loads(store.value, [&](const Expr& load) {
      return select(inside_, load, constant(fill, load.type()));
    });
    return store.with(store.tensor, store.indices, value);
  }

  const Preconditions& check_;
  const Expr& inside_;
  llvm::SmallVector<AxisPtr, 4> axes_;  ///< of the split, and lets made of it
};

}  // namespace

Stmt padded(const Preconditions& check, const Expr& inside, const AxisPtr& axis, const Stmt& body,
            Facts facts) {
  return Padder(check, inside, axis, std::move(facts)).rewrite(body);
}

}  // namespace hone
