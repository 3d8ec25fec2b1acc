#include "ir/schedule/rewrite/chain.h"

namespace hone {
namespace {

bool contains(const Stmt& stmt, const Stmt& target) {
  return find_stmt(stmt, [&](const Stmt& nested) { return nested.same_as(target); }) != nullptr;
}

/// The innermost of the axes' loops, which all the others must enclose.
Site innermost(const Preconditions& check, llvm::ArrayRef<AxisPtr> axes) {
  Site deepest = check.find(axes.front());
  for (const AxisPtr& axis : axes.drop_front()) {
    Site site = check.find(axis);
    if (site.around.size() > deepest.around.size()) deepest = std::move(site);
  }
  for (const AxisPtr& axis : axes) {
    const Site site = check.find(axis);
    if (!contains(site.statement, deepest.statement))
      check.refuse(site.statement.get(),
                   fmt::format("{} does not enclose {}", axis->name, deepest.loop().axis->name),
                   "the axes must be nested in one another");
  }
  return deepest;
}

void add_neighbours(Chain& chain, const Seq& seq, const Stmt& next, size_t nesting) {
  bool before = true;
  for (const Stmt& stmt : seq.stmts) {
    if (stmt.same_as(next)) {
      before = false;
      continue;
    }
    chain.neighbours.push_back({stmt, chain.loops.size(), nesting, before, chain.guards});
  }
}

std::string describe(const Stmt& stmt) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return fmt::format("the {} tensor {}", name(alloc->tensor->scope).str(), alloc->tensor->name);
  return "a let";
}

}  // namespace

Chain find_chain(const Preconditions& check, llvm::ArrayRef<AxisPtr> axes) {
  const Site site = innermost(check, axes);
  llvm::SmallVector<Stmt, 8> path(site.around.begin(), site.around.end());
  path.push_back(site.statement);
  const auto is_named = [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    return loop && llvm::is_contained(axes, loop->axis);
  };

  Chain chain;
  for (size_t n = llvm::find_if(path, is_named) - path.begin(); n < path.size(); ++n) {
    const Stmt& stmt = path[n];
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      chain.loops.push_back(loop);
    } else if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      chain.guards.push_back(branch->condition);
    } else if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
      add_neighbours(chain, *seq, path[n + 1], n);
    } else {
      check.refuse(stmt.get(),
                   fmt::format("{} lives between {} and {}", describe(stmt),
                               chain.loops.back()->axis->name, site.loop().axis->name),
                   "reorder before caching");
    }
  }
  chain.body = site.loop().body;
  return chain;
}

}  // namespace hone
