#include "ir/traverse/roots.h"

#include "ir/traverse/visit.h"

namespace hone {

llvm::StringRef common_root(const Expr& expr) {
  llvm::StringRef root;
  bool single = true;
  walk(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return;
    for (const std::string& candidate : reference->axis->roots) {
      single &= root.empty() || root == candidate;
      root = candidate;
    }
  });
  return single ? root : "";
}

}  // namespace hone
