// A[i, k] of shape [M, K]   =>   A[i*K + k] of shape [M*K]

#include "codegen/pass/passes.h"
#include "ir/rewriter.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

class Flatten : public Rewriter {
 public:
  Expr rewrite(const Expr& expr) override {
    const Expr rebuilt = rewrite_operands(expr);
    const auto* load = llvm::dyn_cast<Load>(rebuilt);
    if (!load || load->tensor->scope != Scope::global) return rebuilt;
    return Load::make(flat(load->tensor), offset(*load->tensor, load->indices));
  }

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt rebuilt = rewrite_operands(stmt);
    const auto* store = llvm::dyn_cast<Store>(rebuilt);
    if (!store || store->tensor->scope != Scope::global) return rebuilt;
    return Store::make(flat(store->tensor), offset(*store->tensor, store->indices), store->update,
                       store->value);
  }

 private:
  /// Dimensions from the slowest to the fastest.
  static llvm::SmallVector<int, 4> order_of(const TensorNode& tensor) {
    if (!tensor.layout.is_row_major()) return tensor.layout.order;
    llvm::SmallVector<int, 4> order;
    for (unsigned dim = 0; dim < tensor.rank(); ++dim) order.push_back(static_cast<int>(dim));
    return order;
  }

  static Expr offset(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
    Expr result;
    for (const int dim : order_of(tensor))
      result = result.defined() ? result * tensor.shape[dim] + indices[dim] : indices[dim];
    return result.defined() ? result : Expr(0);
  }

  TensorPtr flat(const TensorPtr& tensor) {
    TensorPtr& result = flat_[tensor.get()];
    if (result) return result;
    Expr size = 1;
    for (const Expr& extent : tensor->shape) size = is_int(size, 1) ? extent : size * extent;
    return result = make_tensor(tensor->name, tensor->type, size);
  }

  llvm::DenseMap<const TensorNode*, TensorPtr> flat_;
};

}  // namespace

void flatten_accesses(KernelFunction& kernel) { kernel.body = Flatten().rewrite(kernel.body); }

}  // namespace hone
