#include "tests/support/codegen/counted_kernel.h"

#include "codegen/c_form/declaration.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

class TripRewriter : public Rewriter {
 public:
  explicit TripRewriter(const CForm& form) : form_(form) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return over_trips(*loop);
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc ? with_choice(*alloc) : rewrite_operands(stmt);
  }

 private:
  /// The zeros come where the vector does not, and not before it.
  Stmt with_choice(const Alloc& alloc) {
    const auto [zeros, value, load, rest] = declaration_of(alloc);
    if (!load.defined()) return Alloc::make(alloc.tensor, rewrite(alloc.body));
    const Expr condition = joined(*llvm::cast<If>(load)).condition;
    return Alloc::make(alloc.tensor,
                       Seq::make({load, If::make(!condition, rewrite(zeros)), rewrite(rest)}));
  }

  Stmt over_trips(const For& loop) {
    const LoopCount& count = form_.count(loop);
    const Expr axis = AxisRef::make(loop.axis);
    const Expr value = value_after(axis, count);
    const Expr goes_on =
        count.kind == LoopCount::Kind::halving ? value > count.limit : value < count.limit;
    const Stmt body = rewrite(count.is_guard ? llvm::cast<If>(loop.body)->body : loop.body);
    return For::make(loop.axis, simplify(loop.extent + 1), loop.binding,
                     If::make(goes_on, substitute(body, loop.axis.get(), value)));
  }

  /// The value that C counts with, after so many trips.
  static Expr value_after(const Expr& trips, const LoopCount& count) {
    if (count.kind == LoopCount::Kind::adding) return simplify(count.first + trips * count.step);
    return Binary::make(count.kind == LoopCount::Kind::doubling ? BinaryOp::shl : BinaryOp::shr,
                        count.first, trips);
  }

  const CForm& form_;
};

}  // namespace

KernelFunction counted_kernel(const CForm& form, const KernelFunction& kernel) {
  KernelFunction result = kernel;
  result.body = TripRewriter(form).rewrite(form.body);
  return result;
}

Module with_counted_kernels(Module module) {
  for (KernelFunction& kernel : module.kernels) kernel = counted_kernel(c_form(kernel), kernel);
  return module;
}

}  // namespace hone
