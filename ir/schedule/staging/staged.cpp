#include "ir/schedule/staging/staged.h"

#include "ir/algebra/simplify.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// True if `stmt` does nothing but fill the tile.
bool fills(const Stmt& stmt, const TensorPtr& tile) {
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) return fills(branch->body, tile);
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt)) return copy->destination.tensor == tile;
  const auto* store = llvm::dyn_cast<Store>(stmt);
  return store && store->tensor == tile && store->update == Update::set;
}

/// True if an index of `tensor` reads the tile.
bool is_index_of(const Stmt& body, const TensorPtr& tensor, const TensorPtr& tile) {
  return llvm::any_of(collect_accesses(body), [&](const MemoryAccess& access) {
    return access.tensor == tensor &&
           llvm::any_of(access.indices, [&](const Expr& index) { return reads(index, tile); });
  });
}

/// True where all indices of the region are proved to be of elements.
bool lies_inside(const Region& region, const Facts& facts) {
  for (const auto& [range, extent] : llvm::zip(region.ranges, region.tensor->shape)) {
    const Expr last = range.is_point() ? range.offset : range.at(range.extent - 1);
    if (!proves(range.offset >= 0, facts) || !proves(last < extent, facts)) return false;
  }
  return true;
}

}  // namespace

Stmt body_with_tile(const Site& site, const TensorPtr& tensor, Facts& facts) {
  llvm::SmallVector<Stmt, 8> around(site.around);
  around.push_back(site.statement);
  Stmt body = site.loop().body;
  if (!writes(body, tensor)) return body;
  while (const auto* branch = llvm::dyn_cast<If>(body)) {
    if (reads_tensor(branch->condition) || differs_between_threads(branch->condition, around))
      break;
    facts.assume(branch->condition);
    body = branch->body;
  }
  return body;
}

llvm::SmallVector<FilledTile, 2> take_filled_tiles(Stmt& body, const TensorPtr& tensor) {
  llvm::SmallVector<FilledTile, 2> tiles;
  while (const auto* alloc = llvm::dyn_cast<Alloc>(body)) {
    const auto* seq = llvm::dyn_cast<Seq>(alloc->body);
    if (!seq || !fills(seq->stmts.front(), alloc->tensor)) break;
    const Stmt fill = seq->stmts.front();
    const Stmt rest = Seq::make(llvm::ArrayRef<Stmt>(seq->stmts).drop_front());
    if (touches(fill, tensor)) break;
    if (!llvm::isa<Copy>(fill) && !is_index_of(rest, tensor, alloc->tensor)) break;
    tiles.push_back({alloc->tensor, fill});
    body = rest;
  }
  return tiles;
}

bool is_undefined_before(const Site& site, const TensorPtr& tensor) {
  Stmt inside = site.statement;
  for (const Stmt& around : llvm::reverse(site.around)) {
    const auto* alloc = llvm::dyn_cast<Alloc>(around);
    const auto* loop = llvm::dyn_cast<For>(inside);
    if (loop && !loop->binding.is_parallel()) return false;
    if (alloc && alloc->tensor == tensor) return true;
    if (const auto* seq = llvm::dyn_cast<Seq>(around))
      for (const Stmt& before : seq->stmts) {
        if (before.get() == inside.get()) break;
        if (writes(before, tensor)) return false;
      }
    inside = around;
  }
  return false;
}

bool is_unused_beyond(const Site& site, const TensorPtr& tensor) {
  const auto uses_in = [&](const Stmt& stmt) {
    return llvm::count_if(collect_accesses(stmt),
                          [&](const MemoryAccess& access) { return access.tensor == tensor; });
  };
  return llvm::any_of(site.around, [&](const Stmt& around) {
    const auto* alloc = llvm::dyn_cast<Alloc>(around);
    return alloc && alloc->tensor == tensor && uses_in(alloc->body) == uses_in(site.statement);
  });
}

bool copies_from_beyond(const Staged& staged, const TensorPtr& tensor) {
  bool found = false;
  Facts facts = staged.facts;
  walk_with_facts(staged.body, facts, [&](const Stmt& stmt, const Facts& known) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    found |= copy && copy->source.tensor == tensor && !lies_inside(copy->source, known);
  });
  return found;
}

void refuse_vectors_of_view(const Preconditions& check, const Staged& staged,
                            const std::string& name, int64_t vector, const std::string& reason) {
  check.refuse(staged.culprit,
               fmt::format("the elements of {} that one iteration of {} touches are no box of it, "
                           "and {} cannot move at a time: {}",
                           name, staged.site.loop().axis->name, vector, reason),
               "they move one by one, without {.vectorize}");
}

void check_vector_of_view(const Preconditions& check, const Staged& staged, const std::string& name,
                          int64_t vector) {
  int64_t row = 1;
  for (const int64_t extent : staged.box.extents) row = extent == 1 ? row : extent;
  if (vector > 1 && row % vector != 0)
    refuse_vectors_of_view(check, staged, name, vector,
                           fmt::format("{} of the innermost loop exist", row));
}

void check_vector(const Preconditions& check, const Staged& staged, const TensorPtr& tensor,
                  int64_t vector) {
  if (vector < 0)
    check.refuse(staged.culprit, fmt::format("an access moves 1 element or more, got {}", vector),
                 "0 leaves it to what can be proved");
  if (vector > 1 && staged.box.is_point())
    check.refuse(staged.culprit,
                 fmt::format("the part of {} that one iteration of {} touches is one element, and "
                             "{} cannot move at a time",
                             tensor->name, staged.site.loop().axis->name, vector));
}

}  // namespace hone
