#include "ir/analysis/lifetimes.h"

#include "ir/tensors.h"
#include "ir/visit.h"

namespace hone {
namespace {

class Timeline {
 public:
  Lifetimes run(const Stmt& body) {
    visit(body);
    return std::move(lifetimes_);
  }

 private:
  struct OpenLoop {
    int start;
    llvm::SmallVector<const TensorNode*, 4> in_use;  ///< up to its end
  };

  void visit(const Stmt& stmt) {
    ++now_;
    const bool is_loop = llvm::isa<For>(stmt);
    if (is_loop) loops_.push_back({now_, {}});
    for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse how) {
      if (how != TensorUse::allocates)
        use(tensor.get());
      else if (tensor->scope == Scope::shared)
        lifetimes_[tensor.get()].loops_around = loops_.size();
    });
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { visit(nested); });
    if (!is_loop) return;
    for (const TensorNode* tensor : loops_.back().in_use) lifetimes_[tensor].last = now_;
    loops_.pop_back();
  }

  void use(const TensorNode* tensor) {
    const auto found = lifetimes_.find(tensor);
    if (found == lifetimes_.end()) return;
    Lifetime& lifetime = found->second;
    int first = now_;
    if (loops_.size() > lifetime.loops_around) {
      OpenLoop& loop = loops_[lifetime.loops_around];
      first = loop.start;
      if (!llvm::is_contained(loop.in_use, tensor)) loop.in_use.push_back(tensor);
    }
    if (!lifetime.is_used()) lifetime.first = first;
    lifetime.last = now_;
  }

  int now_ = 0;
  Lifetimes lifetimes_;
  llvm::SmallVector<OpenLoop, 8> loops_;
};

}  // namespace

Lifetimes shared_lifetimes(const Stmt& body) { return Timeline().run(body); }

}  // namespace hone
