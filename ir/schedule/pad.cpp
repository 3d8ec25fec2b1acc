#include "ir/schedule/pad.h"

#include "ir/equal.h"
#include "ir/polynomial.h"
#include "ir/printer.h"
#include "ir/rewriter.h"
#include "ir/schedule/padding.h"

namespace hone {
namespace {

class Padder : public Rewriter {
 public:
  Padder(const Preconditions& check, const Expr& inside, llvm::ArrayRef<AxisPtr> axes)
      : check_(check), inside_(inside), axes_(axes) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (llvm::isa<Copy>(stmt)) return If::make(inside_, stmt);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store) return rewrite_operands(stmt);
    const bool is_shared_by_all =
        store->update != Update::set &&
        llvm::none_of(store->indices, [&](const Expr& index) { return depends(index); });
    return is_shared_by_all ? with_neutral_loads(stmt, *store) : If::make(inside_, stmt);
  }

 private:
  bool depends(const Expr& expr) const {
    return llvm::any_of(axes_, [&](const AxisPtr& axis) { return mentions(expr, axis.get()); });
  }

  Expr with_loads(const Expr& value, llvm::function_ref<Expr(const Expr&)> padded) const {
    return transform(value, [&](const Expr& part) {
      return llvm::isa<Load>(part) && depends(part) ? padded(part) : Expr();
    });
  }

  /// A value to read outside which leaves the element as it is; undefined where there is none.
  Expr neutral_fill(const Store& store) const {
    const Expr identity = identity_of(store.update, store.tensor->type);
    for (const Expr& fill : {Expr(0), identity}) {
      if (!fill.defined()) continue;
      const Expr outside = folded(
          with_loads(store.value, [&](const Expr& load) { return constant(fill, load.type()); }));
      if (identity.defined() && equal(outside, identity)) return fill;
    }
    return {};
  }

  static Expr constant(const Expr& fill, DType type) {
    return adapt_literal(is_float(type) && as_int(fill) ? FloatConst::make(0.0, type) : fill, type);
  }

  Stmt with_neutral_loads(const Stmt& stmt, const Store& store) const {
    const Expr fill = neutral_fill(store);
    if (!fill.defined())
      check_.refuse(stmt.get(),
                    fmt::format("iterations beyond the end would change {}: no value to read there "
                                "leaves '{} {}' without effect",
                                store.tensor->name, spelling(store.update).str(), store.value),
                    "{.tail = Tail::guard} takes any program");
    const Expr value = with_loads(store.value, [&](const Expr& load) {
      return select(inside_, load, constant(fill, load.type()));
    });
    return Store::make(store.tensor, store.indices, store.update, value);
  }

  const Preconditions& check_;
  const Expr& inside_;
  llvm::ArrayRef<AxisPtr> axes_;
};

}  // namespace

Stmt padded(const Preconditions& check, const Expr& inside, llvm::ArrayRef<AxisPtr> axes,
            const Stmt& body) {
  return Padder(check, inside, axes).rewrite(body);
}

}  // namespace hone
