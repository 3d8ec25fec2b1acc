#include "codegen/c_form/own_parts.h"

#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Counts how often an axis is used, and how often as the number of a part.
class UseCounter {
 public:
  explicit UseCounter(const AxisNode& axis) : axis_(axis) {}

  bool is_of_parts_alone(const Stmt& body) {
    walk_exprs(body, [&](const Expr& part) {
      uses_ += is_axis(part) ? 1 : 0;
      if (const auto* load = llvm::dyn_cast<Load>(part)) add(*load->tensor, load->indices);
    });
    walk(body, [&](const Stmt& stmt) {
      if (const auto* store = llvm::dyn_cast<Store>(stmt)) add(*store->tensor, store->indices);
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      if (!copy) return;
      for (const Region* side : {&copy->destination, &copy->source})
        add(*side->tensor, side->first());
    });
    return uses_ == of_parts_;
  }

 private:
  bool is_axis(const Expr& expr) const {
    const auto* reference = llvm::dyn_cast<AxisRef>(expr);
    return reference && reference->axis.get() == &axis_;
  }

  void add(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
    if (tensor.is_in_parts && !indices.empty() && is_axis(indices.front())) ++of_parts_;
  }

  const AxisNode& axis_;
  int uses_ = 0, of_parts_ = 0;
};

}  // namespace

bool numbers_own_parts(const Let& let, int64_t cluster) {
  const Expr own_block = ThreadIndex::make(IndexSpace::block, 0) % cluster;
  return cluster > 1 && equal(let.value, own_block) &&
         UseCounter(*let.axis).is_of_parts_alone(let.body);
}

}  // namespace hone
