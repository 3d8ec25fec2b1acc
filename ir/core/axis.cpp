#include "ir/core/axis.h"

#include <atomic>

#include "llvm/ADT/STLExtras.h"

namespace hone {

uint64_t next_id() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

AxisPtr make_axis(llvm::StringRef name, AxisKind kind, llvm::ArrayRef<std::string> roots) {
  auto* axis = new AxisNode;
  axis->name = name.str();
  axis->kind = kind;
  axis->roots.assign(roots.begin(), roots.end());
  if (roots.empty()) axis->roots.push_back(name.split('.').first.str());
  return axis;
}

AxisPtr make_fused_axis(llvm::StringRef name, const AxisPtr& outer, const AxisPtr& inner,
                        std::optional<int64_t> inner_extent) {
  auto* axis = new AxisNode;
  axis->name = name.str();
  axis->kind = outer->kind;
  axis->roots = outer->roots;
  for (const std::string& root : inner->roots)
    if (!llvm::is_contained(axis->roots, root)) axis->roots.push_back(root);
  if (inner_extent) {
    axis->outer = outer;
    axis->inner = inner;
    axis->inner_extent = *inner_extent;
  }
  return axis;
}

AxisPtr make_variable() { return make_axis("", AxisKind::spatial); }

ParamPtr make_param(llvm::StringRef name) {
  auto* param = new ParamNode;
  param->name = name.str();
  return param;
}

}  // namespace hone
