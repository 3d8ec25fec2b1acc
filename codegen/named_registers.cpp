#include "codegen/named_registers.h"

#include "ir/algebra/fold.h"
#include "ir/traverse/evaluation.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool is_in(const Expr& named, llvm::ArrayRef<Expr> values) {
  return llvm::any_of(values, [&](const Expr& value) { return is_same_name(value, named); });
}

/// The named values that the store evaluates whatever its conditions say.
llvm::SmallVector<Expr, 4> always_evaluated(const Store& store) {
  llvm::SmallVector<Expr, 4> values;
  const auto look_at = [&](const Expr& expr) {
    walk_evaluated(
        expr,
        [&](const Expr& part) {
          if (llvm::isa<Named>(part)) values.push_back(part);
        },
        [](const Expr&, llvm::function_ref<void()>) {});
  };
  llvm::for_each(store.indices, look_at);
  look_at(store.value);
  return values;
}

/// True if the value reads anything but registers that are set before it, or divides.
bool may_fail(const Expr& expr) {
  return may_divide_by_zero(expr) || any_of(expr, [](const Expr& part) {
           const auto* load = llvm::dyn_cast<Load>(part);
           return load && !load->tensor->is_value;
         });
}

/// The named values of one store, as registers.
class NamedStore : public Rewriter {
 public:
  NamedStore(const Stmt& stmt, Names& names) : stmt_(stmt) {
    const auto always = always_evaluated(*llvm::cast<Store>(stmt));
    for (const Expr& named : named_values(stmt)) {
      const Expr value = rewrite(llvm::cast<Named>(named)->value);
      if (!is_in(named, always) && may_fail(value)) continue;
      const std::string name = names.fresh(llvm::cast<Named>(named)->name);
      registers_.push_back({named, make_value(name, named.type()), value});
    }
  }

  Stmt run() {
    Stmt result = rewrite_operands(stmt_);
    for (const Register& each : llvm::reverse(registers_))
      result = Alloc::make(
          each.tensor, Seq::make({Store::make(each.tensor, {}, Update::set, each.value), result}));
    return result;
  }

 private:
  struct Register {
    Expr named;  ///< as the store has it
    TensorPtr tensor;
    Expr value;  ///< over the registers before
  };

  Expr rewrite(const Expr& expr) override {
    if (!expr.get()->size.has_name) return expr;
    const auto* named = llvm::dyn_cast<Named>(expr);
    if (!named) return rewrite_operands(expr);
    const auto* found = llvm::find_if(
        registers_, [&](const Register& known) { return is_same_name(known.named, expr); });
    return found == registers_.end() ? rewrite(named->value) : Load::make(found->tensor, {});
  }

  const Stmt& stmt_;
  llvm::SmallVector<Register, 4> registers_;
};

class NamedStores : public Rewriter {
 public:
  explicit NamedStores(const KernelFunction& kernel) : names_(as_function(kernel)) {
    for (const std::string& name : kernel.taken_names) names_.take(name);
  }

  Expr rewrite(const Expr& expr) override { return without_names(expr); }
  Stmt rewrite(const Stmt& stmt) override {
    if (!llvm::isa<Store>(stmt)) return rewrite_operands(stmt);
    return has_names(stmt) ? NamedStore(stmt, names_).run() : stmt;
  }

 private:
  Names names_;
};

}  // namespace

void give_registers_to_names(KernelFunction& kernel) {
  kernel.body = NamedStores(kernel).rewrite(kernel.body);
}

}  // namespace hone
