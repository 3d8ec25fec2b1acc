#include "ir/schedule/legality/combined_updates.h"

#include "fmt/format.h"
#include "ir/analysis/dependence.h"
#include "ir/memory/vectors.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

bool is_one_element(const MemoryAccess& update, const For& loop) {
  return llvm::all_of(update.indices, [&](const Expr& index) {
    return !what_varies(index, update, loop, /*over_spatial=*/true);
  });
}

/// Refuses elements that no single instruction compares and exchanges.
void check_atomic_type(const Refusal& refusal, const Site& site, const MemoryAccess& update,
                       const Binding& binding) {
  const TensorNode& tensor = *update.tensor;
  const int64_t bytes = size_of(tensor.type);
  if (tensor.type == DType::boolean || bytes == 2 || bytes == 4 || bytes == 8) return;
  const std::string other_type = bytes == 1 ? "in a wider type" : "in narrower types";
  const std::string other_way = binding.kind == Kind::block ? "by last_block" : "by a tree";
  refusal(update.statement.get(),
          fmt::format("{} is {}, and atomic updates take elements of 2, 4 or 8 bytes, and bool",
                      tensor.name, name(tensor.type).str()),
          is_one_element(update, site.loop())
              ? fmt::format("combine {}, or {}", other_way, other_type)
              : "combine " + other_type);
}

void check_element(const Refusal& refusal, const Site& site, const MemoryAccess& update,
                   const Binding& binding) {
  const TensorNode& tensor = *update.tensor;
  const bool needs_address = !binding.combine.is_exchange() || binding.combine.is_atomic();
  if (needs_address && tensor.scope == Scope::registers)
    refusal(update.statement.get(),
            fmt::format("{} lives in registers, and {} is for elements that have an address",
                        tensor.name, method_of(binding)),
            "combine before caching, or by a tree, shuffle or two_level");
  if (needs_address && tensor.scope == Scope::shared && binding.kind == Kind::block)
    refusal(update.statement.get(),
            fmt::format("{} lives in the shared memory of one block, and {} would be bound to "
                        "{}",
                        tensor.name, site.loop().axis->name, to_string(binding)),
            "combine before caching");
  if (!binding.combine.is_atomic()) return;
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.kind == Kind::vectorize && find_site(inner->body, update.statement.get()))
      refusal(inner,
              fmt::format("{} is updated in vectors over {}, and atomic updates take one element "
                          "at a time",
                          tensor.name, inner->axis->name),
              "combine by last_block, or leave the axis as it is");
  check_atomic_type(refusal, site, update, binding);
}

/// Only one tensor waits for the last block.
void check_one_tensor(const Refusal& refusal, const Site& site, const Accesses& updates,
                      const Binding& binding) {
  const MemoryAccess& first = updates.front();
  for (const MemoryAccess& update : updates)
    if (update.tensor != first.tensor || update.update != first.update)
      refusal(update.statement.get(),
              fmt::format("iterations of {} update {} and {}, and {} is for one tensor",
                          site.loop().axis->name, first.text(), update.text(), method_of(binding)),
              "fission separates statements");
}

/// The loops over blocks around the one at `site`, and right inside of it.
llvm::SmallVector<const For*, 4> other_block_loops(const Site& site) {
  llvm::SmallVector<const For*, 4> loops;
  auto related = site.enclosing_loops();
  llvm::append_range(related, loops_of(site.loop().body));
  for (const For* loop : related)
    if (loop->binding.kind == Kind::block) loops.push_back(loop);
  return loops;
}

/// Refuses two blocks of a group that may update the same element, if blocks may update any.
void check_groups(const Refusal& refusal, const Site& site, const Accesses& updates,
                  const Binding& binding) {
  const auto scattered = scattered_dims(updates, site.loop());
  const auto others = other_block_loops(site);
  if (llvm::none_of(scattered, [](bool is) { return is; }) || others.empty()) return;
  const MemoryAccess any = with_any_element(updates.front(), scattered);
  const auto shared = unseparated(others, any, any, site.facts());
  if (shared.empty()) return;
  refusal(updates.front().statement.get(),
          fmt::format("blocks of {} may update any {}, as blocks of {} may, which {} does not "
                      "combine",
                      site.loop().axis->name, updates.front().text(), shared.front()->axis->name,
                      method_of(binding)),
          "Combine::atomic takes blocks that update the same elements");
}

/// Refuses elements that are not set before the loop, if a block may update any of them: the last
/// block takes those along that nobody has updated.
void check_set_before(const Refusal& refusal, const Site& site, const Accesses& updates) {
  const MemoryAccess& first = updates.front();
  if (llvm::none_of(scattered_dims(updates, site.loop()), [](bool is) { return is; })) return;
  const Stmt* part = site.around.empty() ? nullptr : &site.statement;
  for (const Stmt& around : llvm::reverse(site.around)) {
    if (const auto* seq = llvm::dyn_cast<Seq>(around)) {
      const auto* own = llvm::find_if(seq->stmts, [&](const Stmt& s) { return s.same_as(*part); });
      for (const Stmt& later : llvm::make_range(own + 1, seq->stmts.end()))
        for (const MemoryAccess& access : collect_accesses(later))
          if (access.tensor == first.tensor && access.writes && access.update == Update::set)
            refusal(access.statement.get(),
                    fmt::format("blocks of {} may update any {}, and {} is set after they have "
                                "combined",
                                site.loop().axis->name, first.text(), access.text()),
                    "Combine::atomic touches no other elements");
    }
    part = &around;
  }
}

/// A vector of elements is one of the block's own results too, which lie side by side as a tensor
/// of theirs does.
void check_vectors_of_parts(const Refusal& refusal, const Site& site, const MemoryAccess& update,
                            const Binding& binding) {
  const TensorNode& tensor = *update.tensor;
  llvm::SmallVector<Expr, 4> shape = {site.loop().extent};
  llvm::append_range(shape, tensor.shape);
  const TensorPtr parts = make_tensor(tensor.name + ".parts", tensor.type, shape);
  const auto in_parts = [&](llvm::ArrayRef<Expr> indices) -> TensorElement {
    llvm::SmallVector<Expr, 4> place = {AxisRef::make(site.loop().axis)};
    llvm::append_range(place, indices);
    return {parts, place};
  };
  Facts facts = site.facts();
  walk_with_facts(site.statement, facts, [&](const Stmt& stmt, const Facts& around) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop || loop->binding.kind != Kind::vectorize) return;
    const Stmt moved = redirect_accesses(stmt, &tensor, in_parts);
    if (moved.same_as(stmt)) return;
    const auto problem = vector_problem(*llvm::cast<For>(moved), around);
    if (problem)
      refusal(loop,
              fmt::format("{} keeps a {} for each block: {}", method_of(binding), tensor.name,
                          problem->message),
              "vectorize where the rows of the result are multiples of the vector, or not at all");
  });
}

/// Iterations have results of their own, which nothing else in the loop sees.
void check_nothing_else(const Refusal& refusal, const Site& site, const Accesses& updates,
                        const Binding& binding) {
  const MemoryAccess& first = updates.front();
  for (const MemoryAccess& access : collect_accesses(site.loop().body))
    if (access.tensor == first.tensor && !commute(access, first))
      refusal(access.statement.get(),
              fmt::format("iterations of {} update {}, which {} combines, and {} {}",
                          site.loop().axis->name, first.text(), method_of(binding),
                          access.writes ? "set" : "read", access.text()),
              "what iterations update together, nothing else in the loop may touch");
}

/// The threads of a tree add up one element.
void check_one_element(const Refusal& refusal, const Site& site, const Accesses& updates,
                       const Binding& binding) {
  const MemoryAccess& first = updates.front();
  const std::string& axis = site.loop().axis->name;
  for (const MemoryAccess& update : updates) {
    if (update.tensor != first.tensor || update.update != first.update ||
        !all_equal(update.indices, first.indices))
      refusal(update.statement.get(),
              fmt::format("iterations of {} update {} and {}, and {} is for one element", axis,
                          first.text(), update.text(), method_of(binding)),
              "fission separates statements");
    for (const Expr& index : update.indices) {
      const auto varying = what_varies(index, update, site.loop(), /*over_spatial=*/true);
      if (!varying) continue;
      refusal(update.statement.get(),
              fmt::format("iterations of {} update {}, whose element depends on {}", axis,
                          update.text(), varying->name),
              varying->is_inner
                  ? fmt::format("reorder {} to the outside of {}", varying->name, axis)
                  : fmt::format("{} is for one element, and Combine::atomic for several",
                                method_of(binding)));
    }
  }
}

}  // namespace

std::string method_of(const Binding& binding) {
  return fmt::format("combine({})", to_string(binding.combine));
}

void check_updates(const Refusal& refusal, const Site& site, const Accesses& updates,
                   const Binding& binding) {
  for (const MemoryAccess& update : updates) check_element(refusal, site, update, binding);
  if (binding.combine.is_exchange()) check_one_element(refusal, site, updates, binding);
  if (!binding.combine.is_atomic() || binding.combine.is_exchange())
    check_nothing_else(refusal, site, updates, binding);
  if (!binding.combine.is_left_to_last()) return;
  check_one_tensor(refusal, site, updates, binding);
  check_groups(refusal, site, updates, binding);
  check_set_before(refusal, site, updates);
  check_vectors_of_parts(refusal, site, updates.front(), binding);
}

}  // namespace hone
