// A loop that all threads of a block run may stand where the program's own loops have no iteration:
// the loop that is bound to threads may be empty while the block has other work. Divisions by its
// extent there divide by 1 instead.
//
//   for s in 0..1 / ((M + 1) / 4) + 1      =>     for s in 0..1 / max((M + 1) / 4, 1) + 1
#include "codegen/pass/passes.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/simplify.h"

namespace hone {
namespace {

class PositiveDivisors : public FactsRewriter {
 public:
  using FactsRewriter::FactsRewriter;
  using FactsRewriter::rewrite;

  Stmt rewrite(const Stmt& stmt) override {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const Expr extent = loop ? with_positive_divisors(loop->extent) : Expr();
    if (!loop || extent.same_as(loop->extent)) return rewrite_inside(stmt);
    return rewrite_inside(For::make(loop->axis, extent, loop->binding, loop->body));
  }

 private:
  Expr with_positive_divisors(const Expr& extent) {
    return transform(extent, [&](const Expr& part) -> Expr {
      const auto* division = llvm::dyn_cast<Binary>(part);
      const bool divides = division &&
                           (division->op == BinaryOp::div || division->op == BinaryOp::mod) &&
                           division->type == DType::index && !as_int(division->rhs);
      if (!divides || proves(division->rhs >= 1, facts)) return {};
      return Binary::make(division->op, division->lhs, max(division->rhs, 1));
    });
  }
};

}  // namespace

void keep_divisors_positive(KernelFunction& kernel) {
  kernel.body = PositiveDivisors(facts_in(kernel)).rewrite(kernel.body);
}

}  // namespace hone
