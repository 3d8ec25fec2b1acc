#include "codegen/order/access_collector.h"

#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/copies/copy_nest.h"
#include "ir/memory/boxes.h"
#include "ir/traverse/visit.h"

namespace hone {

llvm::DenseSet<const TensorNode*> tiles_of_stores(const Stmt& stmt) {
  llvm::DenseSet<const TensorNode*> tiles;
  walk(stmt, [&](const Stmt& part) {
    const auto* copy = llvm::dyn_cast<Copy>(part);
    if (copy && is_box_store(*copy)) tiles.insert(copy->source.tensor.get());
  });
  return tiles;
}

Stmt on_thread_0(const Copy& copy, Stmt body, Names& names) {
  const std::string& tile = tile_side(copy).tensor->name;
  for (const Binding& digit : copy.execution.digits) {
    const std::string name = names.fresh(tile + ".t" + "xyzc"[digit.dim]);
    body = For::make(make_axis(name, AxisKind::spatial), 1, digit, body);
  }
  return body;
}

ThreadAccesses AccessCollector::of_copy(const Copy& copy, const ThreadContext& context) {
  nests_.push_back(simplify(nest_of(copy), context.facts));
  ThreadAccesses accesses;
  collect(nests_.back(), context, copy, accesses);
  return accesses;
}

Stmt AccessCollector::nest_of(const Copy& copy) {
  const bool is_by_engine = is_box_store(copy);
  const Stmt moves =
      is_by_engine ? copy.with_execution({}) : copy.with_engine(CopyEngine::load_store);
  const Stmt nest = copy_nest(*llvm::cast<Copy>(moves), space_, names_);
  return is_by_engine ? on_thread_0(copy, nest, names_) : nest;
}

void AccessCollector::collect(const Stmt& stmt, const ThreadContext& context, const Copy& copy,
                              ThreadAccesses& accesses) const {
  ThreadContext inside = context;
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) inside.enter(*loop);
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) inside.enter(*branch);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) inside.enter(*let);
  if (llvm::isa<Store>(stmt)) accesses.add(of(stmt, inside, &copy));
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& part) { collect(part, inside, copy, accesses); });
}

/// Those of a part of `copy`, where that is not null.
ThreadAccesses AccessCollector::of(const Stmt& stmt, const ThreadContext& context,
                                   const Copy* copy) const {
  ThreadAccesses result;
  for (MemoryAccess& access : collect_accesses(stmt)) {
    if (!exchanged_.contains(access.tensor.get())) continue;
    for (Expr& index : access.indices) index = context.spelled_out(index);
    for (Expr& guard : access.guards) guard = context.spelled_out(guard);
    llvm::append_range(access.guards, context.guards);
    llvm::SmallVector<ExecutingThread, 3> threads;
    for (size_t digit = 0; digit < space_.digits().size(); ++digit)
      threads.push_back(context.thread_of(digit));
    if (copy) access.timeline = copy->timeline();
    result.add({std::move(access), context.loops, std::move(threads)});
  }
  return result;
}

}  // namespace hone
