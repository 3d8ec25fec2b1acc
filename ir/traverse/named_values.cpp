#include "ir/traverse/named_values.h"

#include "fmt/format.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringSet.h"

namespace hone {
namespace {

bool has_names(const Expr& expr) { return expr.get()->size.has_name; }

void for_each_own_expr(const Stmt& stmt, llvm::function_ref<void(const Expr&)> use) {
  for_each_operand(stmt, use, [](const Stmt&) {});
}

using Exprs = llvm::SmallVector<Expr, 4>;

Exprs own_exprs(const Stmt& stmt) {
  Exprs exprs;
  for_each_own_expr(stmt, [&](const Expr& expr) { exprs.push_back(expr); });
  return exprs;
}

/// The names of the axes and params in the expressions.
llvm::StringSet<> index_names(llvm::ArrayRef<Expr> exprs) {
  llvm::StringSet<> names;
  for (const Expr& expr : exprs)
    walk(expr, [&](const Expr& part) {
      if (const auto* reference = llvm::dyn_cast<AxisRef>(part))
        names.insert(reference->axis->name);
      if (const auto* reference = llvm::dyn_cast<ParamRef>(part))
        names.insert(reference->param->name);
    });
  return names;
}

Exprs named_values(llvm::ArrayRef<Expr> exprs) {
  Exprs values;
  const auto add = [&](const Expr& part) {
    const auto is_it = [&](const Expr& known) { return is_same_name(known, part); };
    if (llvm::isa<Named>(part) && llvm::none_of(values, is_it)) values.push_back(part);
  };
  for (const Expr& expr : exprs)
    if (has_names(expr)) walk(expr, add);
  return values;
}

/// Gives the named values of one statement names of their own.
class Distinct : public Rewriter {
 public:
  explicit Distinct(llvm::ArrayRef<Expr> exprs) : used_(index_names(exprs)) {
    for (const Expr& value : named_values(exprs))
      names_.emplace_back(value, fresh(llvm::cast<Named>(value)->name));
  }

  /// Leaves the statements in it alone.
  Stmt rewritten(const Stmt& stmt) { return rewrite_operands(stmt); }
  Expr rewritten(const Expr& expr) { return rewrite(expr); }

 private:
  Stmt rewrite(const Stmt& stmt) override { return stmt; }

  Expr rewrite(const Expr& expr) override {
    if (!has_names(expr)) return expr;
    const Expr rebuilt = rewrite_operands(expr);
    const auto* named = llvm::dyn_cast<Named>(rebuilt);
    if (!named) return rebuilt;
    const auto* found =
        llvm::find_if(names_, [&](const auto& known) { return is_same_name(known.first, expr); });
    return found->second == named->name ? rebuilt : Named::make(found->second, named->value);
  }

  std::string fresh(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; !used_.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
    return name;
  }

  llvm::StringSet<> used_;
  llvm::SmallVector<std::pair<Expr, std::string>, 4> names_;
};

}  // namespace

Expr without_names(const Expr& expr) {
  if (!has_names(expr)) return expr;
  return transform(expr, [](const Expr& part) {
    const auto* named = llvm::dyn_cast<Named>(part);
    return named ? named->value : Expr();
  });
}

bool has_names(const Stmt& stmt) {
  bool found = false;
  for_each_own_expr(stmt, [&](const Expr& expr) { found |= has_names(expr); });
  return found;
}

bool is_same_name(const Expr& lhs, const Expr& rhs) {
  return lhs.same_as(rhs) ||
         (llvm::cast<Named>(lhs)->name == llvm::cast<Named>(rhs)->name && equal(lhs, rhs));
}

llvm::SmallVector<Expr, 4> named_values(const Stmt& stmt) { return named_values(own_exprs(stmt)); }

Stmt with_distinct_names(const Stmt& stmt) { return Distinct(own_exprs(stmt)).rewritten(stmt); }

Expr with_distinct_names(const Expr& expr) { return Distinct(expr).rewritten(expr); }

}  // namespace hone
