// A loop that all threads of a block run may stand where the program's own loops have no iteration:
// the loop that is bound to threads may be empty while the block has other work. Divisions by its
// extent there divide by 1 instead.
//
//   for s in 0..1 / ((M + 1) / 4) + 1      =>     for s in 0..1 / max((M + 1) / 4, 1) + 1
#include "codegen/pass/passes.h"
#include "ir/algebra/simplify.h"
#include "ir/rewriter.h"

namespace hone {
namespace {

class PositiveDivisors : public Rewriter {
 public:
  explicit PositiveDivisors(Facts facts) : facts_(std::move(facts)) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const Facts::Mark mark = facts_.mark();
    Stmt result = stmt;
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      const Expr extent = with_positive_divisors(loop->extent);
      facts_.add_axis(loop->axis, extent);
      const Stmt body = rewrite(loop->body);
      if (!extent.same_as(loop->extent) || !body.same_as(loop->body))
        result = For::make(loop->axis, extent, loop->binding, body);
    } else {
      if (const auto* branch = llvm::dyn_cast<If>(stmt)) facts_.assume(branch->condition);
      result = rewrite_operands(stmt);
    }
    facts_.rewind(mark);
    return result;
  }

 private:
  Expr with_positive_divisors(const Expr& extent) {
    return transform(extent, [&](const Expr& part) -> Expr {
      const auto* division = llvm::dyn_cast<Binary>(part);
      const bool divides = division &&
                           (division->op == BinaryOp::div || division->op == BinaryOp::mod) &&
                           division->type == DType::index && !as_int(division->rhs);
      if (!divides || proves(division->rhs >= 1, facts_)) return {};
      return Binary::make(division->op, division->lhs, max(division->rhs, 1));
    });
  }

  Facts facts_;
};

}  // namespace

void keep_divisors_positive(KernelFunction& kernel) {
  kernel.body = PositiveDivisors(facts_in(kernel)).rewrite(kernel.body);
}

}  // namespace hone
