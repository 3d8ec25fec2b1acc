// copy_bulk(T): the producers' copy of a ring is one of the copy engine, which a single lane asks
// it for.
//
//   alloc T: f32[4, 128, 16] @shared            alloc T: f32[4, 128, 16] @shared @align(128)
//   reduce k in 0..n @roles(4) {                reduce k in 0..n @roles(4) {
//     copy T[k % 4, 0 .. +128, 0 .. +16]   =>     copy T[k % 4, 0 .. +128, 0 .. +16]
//       <- A[...] @async @by(producers)             <- A[...] @bulk @by(producers)
//
// The engine moves a box of A, and lays its rows out one after the other, or swizzled: the layout
// of T is to be so. T starts at a multiple of that pattern. Callers have A at a multiple of 16
// bytes. A tile that is copied back, and not filled from memory, goes back so:
//
//   alloc T: f32[64, 128] @shared               alloc T: f32[64, 128] @shared @align(128)
//   ...                                         ...
//   copy C[...] <- T[0 .. +64, 0 .. +128]  =>   copy C[...] <- T[0 .. +64, 0 .. +128] @bulk
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/memory/boxes.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The first copy that `is_it` is true of; null where there is none.
const StmtNode* find_copy(const Function& function, llvm::function_ref<bool(const Copy&)> is_it) {
  return find_stmt(function.body, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy && is_it(*copy);
  });
}

bool is_filled_from_memory(const Function& function, const TensorPtr& tile) {
  return find_copy(function, [&](const Copy& copy) {
    return copy.destination.tensor == tile && copy.source.tensor->scope == Scope::global;
  });
}

bool is_copied_back(const Function& function, const TensorPtr& tile) {
  return find_copy(function, [&](const Copy& copy) {
    return copy.source.tensor == tile && copy.destination.tensor->scope == Scope::global;
  });
}

/// The producers' copy that fills the ring, or the one from the tile where none fills it from
/// memory.
const Copy& copy_of(const Preconditions& check, const Function& function, const TensorPtr& ring) {
  const Alloc* alloc = find_alloc(function.body, ring);
  if (!alloc)
    check.refuse(nullptr,
                 fmt::format("{} is an argument, and a bulk copy fills a tile", ring->name),
                 fmt::format("cache_shared({}, ...) makes one", ring->name));
  const StmtNode* found = find_copy(function, [&](const Copy& copy) {
    return copy.destination.tensor == ring && copy.is_by_producers();
  });
  if (!found && ring->scope == Scope::shared && !is_filled_from_memory(function, ring))
    found = find_copy(function, [&](const Copy& copy) { return copy.source.tensor == ring; });
  if (!found && ring->scope == Scope::shared && is_copied_back(function, ring))
    check.refuse(alloc,
                 fmt::format("{} is filled from memory by threads before it is copied back, and "
                             "the engine writes tiles that start without values",
                             ring->name),
                 "set all of its elements before they are read, and let sizes divide: assume(...)");
  if (!found)
    check.refuse(
        alloc,
        fmt::format("{} is neither a ring that producers fill nor a shared tile that is copied "
                    "back, and the engine makes no other copies",
                    ring->name),
        "copy_async, and specialize the loop first");
  const auto& copy = *llvm::cast<Copy>(found);
  if (copy.moves_boxes()) check.refuse(&copy, fmt::format("{} is copied so already", ring->name));
  return copy;
}

}  // namespace

Rewrite copy_bulk(const Function& function, const TensorPtr& ring) {
  // Preconditions
  const Preconditions check("copy_bulk", function, ring);
  const Copy& copy = copy_of(check, function, ring);

  // Rewrite
  CopyExecution execution = copy.execution;
  execution.engine = CopyEngine::boxes;
  const TensorPtr aligned = with_alignment(*ring, alignment_for_boxes(copy));
  const Stmt body = transform_stmts(function.body, [&](const Stmt& stmt) {
    if (stmt.get() != &copy) return Stmt();
    return Copy::make(copy.destination, copy.source, {.fill = copy.fill, .execution = execution});
  });
  Function result = rebuild(function, replace_tensor(body, ring.get(), aligned));

  // Postcondition
  check_promises(check, function, result, &copy);
  return {std::move(result), {}, aligned};
}

const Primitive copy_bulk_primitive = {
    .name = "copy_bulk",
    .arguments = {argument::tensor},
    .apply = [](const Function& f, const Step& s) { return copy_bulk(f, s.tensor); },
};

}  // namespace hone
