#include "codegen/pass/phases.h"

#include "ir/rewriter.h"
#include "ir/schedule/site.h"

namespace hone {
namespace {

bool is_thread_loop(const For& loop) { return loop.binding.kind == Binding::Kind::thread; }

/// An access and, per thread dimension, the loop in `stmt` around it.
struct ThreadAccess {
  MemoryAccess access;
  std::array<const For*, 3> threads = {};
};

llvm::SmallVector<ThreadAccess, 8> thread_accesses(const Stmt& stmt) {
  const auto loops = loops_of(stmt);
  llvm::SmallVector<ThreadAccess, 8> result;
  for (MemoryAccess& access : collect_accesses(stmt)) {
    if (access.tensor->scope == Scope::registers) continue;
    ThreadAccess entry{std::move(access), {}};
    for (const auto& [axis, extent] : entry.access.inner)
      for (const For* loop : loops)
        if (loop->axis == axis && is_thread_loop(*loop)) entry.threads[loop->binding.dim] = loop;
    result.push_back(std::move(entry));
  }
  return result;
}

/// `access` with the axis `from` called `to`, no longer counted as an inner loop.
void unify(MemoryAccess& access, const For* from, const For* to) {
  for (Expr& index : access.indices)
    index = substitute(index, from->axis.get(), AxisRef::make(to->axis));
  llvm::erase_if(access.inner, [&](const auto& entry) { return entry.first == from->axis; });
}

/// What writes registers runs on every thread, inside a thread loop or not.
bool runs_everywhere(const Stmt& stmt) {
  return llvm::any_of(collect_accesses(stmt), [](const MemoryAccess& access) {
    return access.writes && access.tensor->scope == Scope::registers;
  });
}

/// Equal elements imply equal threads.
bool same_thread(const ThreadAccess& first, const ThreadAccess& second, ThreadDims apart,
                 llvm::ArrayRef<const For*> between, const Facts& known) {
  MemoryAccess lhs = first.access, rhs = second.access;
  llvm::SmallVector<const For*, 3> dims;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (!apart.contains(dim)) continue;
    const For* left = first.threads[dim];
    const For* right = second.threads[dim];
    if (!left && !right) continue;  // both on thread 0
    if (!left || !right) return false;
    unify(rhs, right, left);
    unify(lhs, left, left);
    dims.push_back(left);
  }
  for (const For* loop : between)
    for (MemoryAccess* access : {&lhs, &rhs}) access->inner.push_back({loop->axis, loop->extent});
  return unseparated(dims, lhs, rhs, known).empty();
}

}  // namespace

ThreadDims thread_dims(const Stmt& stmt) {
  ThreadDims dims;
  for (const For* loop : loops_of(stmt))
    if (is_thread_loop(*loop)) dims = dims.with(loop->binding.dim);
  return dims;
}

bool exchanges_data(const Stmt& first, const Stmt& second, ThreadDims apart,
                    llvm::ArrayRef<const For*> between, const Facts& known) {
  const auto earlier = thread_accesses(first), later = thread_accesses(second);
  const bool everywhere = !apart.empty() && (runs_everywhere(first) || runs_everywhere(second));
  const auto on_thread_0 = [&](const ThreadAccess& a) {
    for (unsigned dim = 0; dim < 3; ++dim)
      if (apart.contains(dim) && !a.threads[dim]) return true;
    return false;
  };
  for (const ThreadAccess& lhs : earlier)
    for (const ThreadAccess& rhs : later)
      if (conflict(lhs.access, rhs.access) &&
          ((everywhere && (on_thread_0(lhs) || on_thread_0(rhs))) ||
           !same_thread(lhs, rhs, apart, between, known)))
        return true;
  return false;
}

}  // namespace hone
