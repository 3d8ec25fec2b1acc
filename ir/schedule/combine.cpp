#include "ir/schedule/combine.h"

#include "fmt/format.h"
#include "ir/equal.h"
#include "ir/polynomial.h"
#include "ir/printer.h"
#include "ir/rewriter.h"
#include "ir/schedule/independence.h"
#include "ir/visit.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

/// Refuses at a statement of the function, or where the step has another culprit, there.
struct Refusal {
  const Preconditions& check;
  const StmtNode* culprit = nullptr;

  [[noreturn]] void operator()(const StmtNode* statement, const std::string& message,
                               const std::string& note) const {
    check.refuse(culprit ? culprit : statement, message, note);
  }
};

std::string method_of(const Binding& binding) {
  return fmt::format("combine({})", to_string(binding.combine));
}

// ---- The loop -----------------------------------------------------------------------------------

[[noreturn]] void refuse_without_updates(const Preconditions& check, const Site& site) {
  check.refuse(&site.loop(),
               fmt::format("iterations of {} update no element together: there is nothing to "
                           "combine",
                           site.loop().axis->name),
               "an axis whose iterations have elements of their own is a spatial one");
}

[[noreturn]] void refuse_without_strategy(const Preconditions& check, const Site& site,
                                          const Binding& binding) {
  const Accesses updates = shared_updates(site);
  if (updates.empty()) refuse_without_updates(check, site);
  check.refuse(&site.loop(),
               fmt::format("{} is a reduction axis: all its iterations update {}",
                           site.loop().axis->name, updates.front().text()),
               binding.kind == Kind::thread
                   ? "say how threads combine: Combine::sequential, interleaved_modulo or "
                     "interleaved_strided (a tree), shuffle, two_level or atomic"
               : binding.kind == Kind::block
                   ? "say how blocks combine: Combine::atomic or last_block"
                   : "bind a spatial axis");
}

void check_method(const Preconditions& check, const Site& site, const Binding& binding) {
  const Combine& combine = binding.combine;
  const auto refuse = [&](const std::string& message, const std::string& note) {
    check.refuse(&site.loop(), message, note);
  };
  const bool is_block = binding.kind == Kind::block;
  if (binding.kind == Kind::parallel)
    refuse(fmt::format("{} is for blocks and threads, and {} would be bound to parallel",
                       method_of(binding), site.loop().axis->name),
           "bind a spatial axis");
  if (is_block && combine.is_exchange())
    refuse(fmt::format("{} is for threads of a block, and {} would be bound to {}",
                       method_of(binding), site.loop().axis->name, to_string(binding)),
           "blocks combine by Combine::atomic or last_block");
  if (!is_block && combine.method == Combine::last_block)
    refuse(fmt::format("{} is for blocks, and {} would be bound to {}", method_of(binding),
                       site.loop().axis->name, to_string(binding)),
           "threads combine by a tree, shuffle, two_level or atomic");
  const bool is_last_block = combine.method == Combine::last_block;
  if (!combine.is_tree() && (combine.unrolled || (combine.last_warp && !is_last_block)))
    refuse(fmt::format("{} has no tree to be unrolled, or to be ended by a warp",
                       to_string(Combine{combine.method})),
           "the trees are sequential, interleaved_modulo and interleaved_strided");
  if (combine.last_warp && combine.is_tree() && combine.method != Combine::sequential)
    refuse(fmt::format("the last elements of {} do not lie side by side",
                       to_string(Combine{combine.method})),
           "a sequential tree ends in one warp");
}

/// Trees and warps are made for a number of threads.
void check_threads(const Preconditions& check, const Site& site, const Binding& binding) {
  const Combine& combine = binding.combine;
  if (!combine.is_exchange()) return;
  const For& loop = site.loop();
  const auto extent = as_int(loop.extent);
  if (!extent)
    check.refuse(&loop,
                 fmt::format("{} has the extent {}, which is known at launch only, and {} is made "
                             "for a number of threads",
                             loop.axis->name, loop.extent, method_of(binding)),
                 "split off a constant number of iterations");
  if (combine.uses_warps() && binding.dim != 0)
    check.refuse(&loop,
                 fmt::format("{} exchanges values between the lanes of a warp, which follow each "
                             "other in thread.x",
                             method_of(binding)),
                 "bind to thread.x, or combine by a tree");
  if (combine.method == Combine::shuffle && *extent > warp_size)
    check.refuse(&loop,
                 fmt::format("{} has {} iterations, and a warp has {} lanes", loop.axis->name,
                             *extent, warp_size),
                 "Combine::two_level goes on to the results of the warps");
}

/// What the threads of the loop do is the loop's alone.
void check_other_threads(const Refusal& refusal, const Site& site, const Binding& binding) {
  if (!binding.combine.is_exchange()) return;
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.is_parallel())
      refusal(
          inner,
          fmt::format("{} is bound to {} inside {}, whose threads would combine for each "
                      "of its iterations",
                      inner->axis->name, to_string(inner->binding), site.loop().axis->name),
          fmt::format("reorder {} to the outside, or fuse two reduction axes", inner->axis->name));
  for (const For* outer : site.enclosing_loops())
    if (outer->binding.kind == Kind::thread && outer->binding.combine.is_exchange())
      refusal(outer,
              fmt::format("{} combines over {} already, and {} stands inside it", outer->axis->name,
                          to_string(outer->binding), site.loop().axis->name),
              "fuse the two axes, and bind them as one");
}

/// A block that waits for none is the last of one loop.
void check_other_blocks(const Preconditions& check, const Site& site, const Binding& binding) {
  if (binding.kind != Kind::block) return;
  auto others = site.enclosing_loops();
  llvm::append_range(others, loops_of(site.loop().body));
  for (const For* other : others) {
    const Binding& outer = other->binding;
    if (outer.kind != Kind::block || !outer.combine) continue;
    if (outer.combine.method == Combine::atomic && binding.combine.method == Combine::atomic)
      continue;
    check.refuse(other,
                 fmt::format("{} combines over {} already by {}, and {} would by {}",
                             other->axis->name, to_string(outer), to_string(outer.combine),
                             site.loop().axis->name, to_string(binding.combine)),
                 "fuse the two axes, and bind them as one");
  }
}

// ---- What is updated ----------------------------------------------------------------------------

/// Iterations share elements by updates that commute, and by nothing else.
void check_only_updates(const Preconditions& check, const Site& site) {
  const auto overlap = find_overlap(site, nullptr, /*updates_commute=*/true);
  if (!overlap) return;
  const bool is_plain = overlap->writer.update == Update::set;
  check.refuse(overlap->writer.statement.get(), overlap->text(site.loop()),
               is_plain ? "iterations combine where they update by one operator; an operator of "
                          "one's own has to be declared associative"
                        : "what iterations update together, nothing else in the loop may touch");
}

bool is_one_element(const MemoryAccess& update, const For& loop) {
  return llvm::all_of(update.indices, [&](const Expr& index) {
    return what_varies(index, update, loop, /*over_spatial=*/true).empty();
  });
}

void check_element(const Refusal& refusal, const Site& site, const MemoryAccess& update,
                   const Binding& binding) {
  const TensorNode& tensor = *update.tensor;
  const bool needs_address = !binding.combine.is_exchange();
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
  if (binding.combine.method != Combine::atomic) return;
  for (const For* inner : loops_of(site.loop().body))
    if (inner->binding.kind == Kind::vectorize && find_site(inner->body, update.statement.get()))
      refusal(inner,
              fmt::format("{} is updated in vectors over {}, and atomic updates take one element "
                          "at a time",
                          tensor.name, inner->axis->name),
              "combine by last_block, or leave the axis as it is");
  if (size_of(tensor.type) == 1 && tensor.type != DType::boolean)
    refusal(update.statement.get(),
            fmt::format("{} is {}, and atomic updates take elements of 2, 4 or 8 bytes, and "
                        "bool",
                        tensor.name, name(tensor.type).str()),
            is_one_element(update, site.loop()) ? "combine by a tree, or in a wider type"
                                                : "combine in a wider type");
}

/// What waits for the last block is one tensor.
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

/// `update` of any element in the dimensions that are scattered.
MemoryAccess with_any_element(MemoryAccess update, llvm::ArrayRef<bool> scattered) {
  for (size_t dim = 0; dim < scattered.size(); ++dim) {
    if (!scattered[dim]) continue;
    const AxisPtr axis = make_axis(fmt::format("dimension {}", dim), AxisKind::spatial);
    update.inner.push_back({axis, update.tensor->shape[dim]});
    update.indices[dim] = AxisRef::make(axis);
  }
  return update;
}

/// Where a block may update any element, it is the only one of its group that does.
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
      const std::string varying = what_varies(index, update, site.loop(), /*over_spatial=*/true);
      if (varying.empty()) continue;
      const bool is_inner = llvm::any_of(
          update.inner, [&](const auto& range) { return range.first->name == varying; });
      refusal(update.statement.get(),
              fmt::format("iterations of {} update {}, whose element depends on {}", axis,
                          update.text(), varying),
              is_inner ? fmt::format("reorder {} to the outside of {}", varying, axis)
                       : fmt::format("{} is for one element, and Combine::atomic for several",
                                     method_of(binding)));
    }
  }
}

void check_updates(const Refusal& refusal, const Site& site, const Accesses& updates,
                   const Binding& binding) {
  for (const MemoryAccess& update : updates) check_element(refusal, site, update, binding);
  if (binding.combine.is_exchange()) check_one_element(refusal, site, updates, binding);
  if (binding.combine.method != Combine::last_block) return;
  check_one_tensor(refusal, site, updates, binding);
  check_groups(refusal, site, updates, binding);
}

}  // namespace

std::string what_varies(const Expr& index, const MemoryAccess& update, const For& loop,
                        bool over_spatial) {
  if (mentions(index, loop.axis.get())) return loop.axis->name;
  for (const TensorPtr& tensor : update.changing)
    if (reads(index, tensor)) return tensor->name;
  for (const auto& [axis, extent] : update.inner)
    if ((over_spatial || axis->kind == AxisKind::reduction) && mentions(index, axis.get()))
      return axis->name;
  return "";
}

llvm::SmallVector<bool, 4> scattered_dims(const Accesses& updates, const For& loop) {
  const MemoryAccess& first = updates.front();
  const bool is_one = updates.size() == 1;
  llvm::SmallVector<bool, 4> scattered(first.indices.size());
  for (size_t dim = 0; dim < scattered.size(); ++dim)
    scattered[dim] = llvm::any_of(updates, [&](const MemoryAccess& update) {
      return !equal(update.indices[dim], first.indices[dim]) ||
             !what_varies(update.indices[dim], update, loop, !is_one).empty();
    });
  return scattered;
}

Accesses shared_updates(const Site& site) {
  const For* loops[] = {&site.loop()};
  const Facts facts = site.facts();
  Accesses updates;
  for (const MemoryAccess& access : collect_accesses(site.loop().body))
    if (access.writes && access.update != Update::set &&
        !unseparated(loops, access, access, facts).empty())
      updates.push_back(access);
  return updates;
}

void check_combine(const Preconditions& check, const Site& site, const Binding& binding) {
  if (!binding.combine) refuse_without_strategy(check, site, binding);
  check_method(check, site, binding);
  check_threads(check, site, binding);
  check_other_threads({check}, site, binding);
  check_other_blocks(check, site, binding);
  check_only_updates(check, site);
  const Accesses updates = shared_updates(site);
  if (updates.empty()) refuse_without_updates(check, site);
  check_updates({check}, site, updates, binding);
}

void check_combinations(const Preconditions& check, const Function& result,
                        const StmtNode* culprit) {
  const Refusal refusal = {check, culprit};
  for (const For* loop : loops_of(result.body)) {
    if (!loop->binding.combine) continue;
    const Site site = *find_site(result, loop->axis.get());
    check_other_threads(refusal, site, loop->binding);
    if (const Accesses updates = shared_updates(site); !updates.empty())
      check_updates(refusal, site, updates, loop->binding);
  }
}

}  // namespace hone
