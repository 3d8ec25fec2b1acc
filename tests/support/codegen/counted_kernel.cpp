#include "tests/support/codegen/counted_kernel.h"

#include "ir/algebra/simplify.h"
#include "ir/rewriter.h"

namespace hone {
namespace {

class TripRewriter : public Rewriter {
 public:
  explicit TripRewriter(const CForm& form) : form_(form) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop ? over_trips(*loop) : rewrite_operands(stmt);
  }

 private:
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

  /// What C counts with, after so many trips.
  static Expr value_after(const Expr& trips, const LoopCount& count) {
    if (count.kind == LoopCount::Kind::adding) return count.first + trips * count.step;
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
