#include "ir/schedule/legality/combine.h"

#include "fmt/format.h"
#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/independence.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/warps.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

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
               binding.is_cluster()
                   ? "say how blocks of a cluster combine: CombineLevels{{CombineUnit::cluster, "
                     "CombineMeans::exchange}}"
               : binding.kind == Kind::thread
                   ? "say how threads combine: Combine::sequential, interleaved_modulo or "
                     "interleaved_strided (a tree), shuffle, two_level or atomic"
               : binding.kind == Kind::block
                   ? "say how blocks combine: Combine::atomic or last_block"
                   : "bind a spatial axis");
}

/// Options of short names that have no tree for them.
void check_short_name(const Preconditions& check, const Site& site, const CombineLevels& levels) {
  const auto combine = short_name(levels);
  if (!combine) return;
  const CombineLevels plain = combine->method;
  const bool is_tree = plain.tree() != nullptr;
  if (!is_tree && (combine->unrolled || (combine->last_warp && !plain.is_left_to_last())))
    check.refuse(
        &site.loop(),
        fmt::format("{} has no tree to be unrolled, or to be ended by a warp", to_string(plain)),
        "the trees are sequential, interleaved_modulo and interleaved_strided");
  if (is_tree && combine->last_warp && combine->method != Combine::sequential)
    check.refuse(&site.loop(),
                 fmt::format("the last elements of {} do not lie side by side", to_string(plain)),
                 "a sequential tree ends in one warp");
}

void check_method(const Preconditions& check, const Site& site, const Binding& binding) {
  const CombineLevels& combine = binding.combine;
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
  if (!is_block && combine.is_left_to_last())
    refuse(fmt::format("{} is for blocks, and {} would be bound to {}", method_of(binding),
                       site.loop().axis->name, to_string(binding)),
           "threads combine by a tree, shuffle, two_level or atomic");
  check_short_name(check, site, combine);
  if (const auto problem = combine_problem(combine))
    refuse(fmt::format("{}: {}", method_of(binding), *problem),
           "lanes: shuffle; then warps, by shuffle or a tree; then grid: atomic");
  if (binding.is_cluster() != combine.is_of_cluster())
    refuse(fmt::format("{} is for {}, and {} would be bound to {}", method_of(binding),
                       combine.is_of_cluster() ? "blocks of a cluster" : "threads of a block",
                       site.loop().axis->name, to_string(binding)),
           "blocks of a cluster combine by cluster: exchange, and threads by other levels");
}

/// Trees and warps are made for a number of threads.
void check_threads(const Preconditions& check, const Site& site, const Binding& binding) {
  const CombineLevels& combine = binding.combine;
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
  if (combine == CombineLevels(Combine::shuffle) && *extent > warp_size)
    check.refuse(&loop,
                 fmt::format("{} has {} iterations, and a warp has {} lanes", loop.axis->name,
                             *extent, warp_size),
                 "Combine::two_level goes on to the results of the warps");
}

/// True where the threads of `inner`, a loop inside, combine the element that the threads of the
/// loop at `site` do: the inner ones come first, and each thread around gets their result.
bool combines_the_same(const Site& site, const For& inner) {
  const CombineLevels& levels = inner.binding.combine;
  if (!is_thread_loop(inner) || !levels.is_exchange() || levels.is_atomic()) return false;
  const Accesses updates = shared_updates(site);
  const Accesses own = shared_updates(*find_site(site.statement, &inner));
  const auto is_same = [&](const MemoryAccess& update) {
    return update.tensor == updates.front().tensor;
  };
  return !updates.empty() && !own.empty() && llvm::all_of(own, is_same);
}

/// The way out where the threads of `inner` would combine in each iteration of the loop at `site`.
/// Nothing moves the reduction of another tensor out of it.
std::string way_out(const Site& site, const For& inner) {
  const std::string &axis = site.loop().axis->name, &name = inner.axis->name;
  const Accesses updates = shared_updates(site);
  for (const MemoryAccess& own : shared_updates(*find_site(site.statement, &inner)))
    if (llvm::none_of(updates, [&](const MemoryAccess& one) { return one.tensor == own.tensor; }))
      return fmt::format("combine {} by Combine::atomic, or leave {} in a nest of its own", axis,
                         own.tensor->name);
  return fmt::format("reorder {} to the outside, or fuse two reduction axes", name);
}

/// Refuses parallel loops inside a loop over combining threads, unless their threads combine too.
void check_other_threads(const Refusal& refusal, const Site& site, const Binding& binding) {
  if (!binding.combine.is_exchange()) return;
  const std::string& axis = site.loop().axis->name;
  for (const For* inner : loops_of(site.loop().body)) {
    if (!inner->binding.is_parallel()) continue;
    const std::string &name = inner->axis->name, place = to_string(inner->binding);
    if (!combines_the_same(site, *inner))
      refusal(inner,
              fmt::format("{} is bound to {} inside {}, whose threads would combine for each "
                          "of its iterations",
                          name, place, axis),
              way_out(site, *inner));
    if (binding.combine.uses_warps())
      refusal(inner,
              fmt::format("{} of {} exchanges values within warps, and {} combines over {} inside "
                          "of it",
                          method_of(binding), axis, name, place),
              fmt::format("reorder {} to the outside, or combine {} by a tree", name, axis));
  }
}

/// The kernel that the loop at `site` is a part of: without other nests, and the allocs of what
/// they leave each other.
Stmt kernel_around(const Site& site) {
  for (const Stmt& stmt : site.around)
    if (!llvm::isa<Seq>(stmt) && !is_global_alloc(stmt)) return stmt;
  return site.statement;
}

/// True where threads combine in shared memory: as blocks of a cluster, as a tree, as warps of a
/// block, and where others of their row take the result out of a register.
bool combines_in_shared_memory(const Site& site, const For& loop) {
  const int64_t threads = as_int(loop.extent).value_or(0);
  if (!loop.binding.combine.is_exchange()) return false;
  if (loop.binding.combine.is_of_cluster()) return true;
  if (loop.binding.combine.at(CombineUnit::block)) return true;
  if (threads > warp_size) return loop.binding.combine.at(CombineUnit::warps) != nullptr;
  const bool is_in_registers = llvm::any_of(shared_updates(site), [](const MemoryAccess& update) {
    return update.tensor->scope == Scope::registers;
  });
  const bool is_whole_row =
      !loop.binding.digit.is_whole() || as_int(block_of(kernel_around(site))[0]) == threads;
  return is_in_registers && !(is_whole_row && llvm::isPowerOf2_64(threads));
}

/// Threads that combine in shared memory have a part of it for each of the threads around.
void check_parts(const Refusal& refusal, const Site& site, const For& loop) {
  if (!combines_in_shared_memory(site, loop)) return;
  for (const For* outer : thread_loops(site.around))
    if (!as_int(outer->extent))
      refusal(
          outer,
          fmt::format("{} has the extent {}, which is known at launch only, and {} of {} needs "
                      "shared memory for each of its iterations",
                      outer->axis->name, outer->extent, method_of(loop.binding), loop.axis->name),
          "split off a constant number of iterations");
}

void check_warps(const Refusal& refusal, const Site& site, const For& loop) {
  if (!is_thread_loop(loop) || !loop.binding.combine.uses_warps()) return;
  const std::string problem =
      problem_of_warps(loop, block_of(kernel_around(site)), thread_loops(site.around));
  if (!problem.empty()) refusal(&loop, problem, note_on_warps);
}

/// Guards that keep some of the threads out move inside of the loop, where all of them combine:
/// they must mean the same there.
void check_guards(const Refusal& refusal, const Site& site, const For& loop) {
  if (!loop.binding.combine.is_exchange()) return;
  for (const Stmt& stmt : site.around) {
    const auto* guard = llvm::dyn_cast<If>(stmt);
    if (guard && differs_between_threads(guard->condition, site.around) &&
        find_change(guard->condition, collect_accesses(guard->body)))
      refusal(
          guard,
          fmt::format("threads combine under {}, which may differ between them", guard->condition),
          "the condition may stand inside the reduction");
  }
}

/// The first warp of the last block combines what the blocks have, in the place of `threads`.
void check_last_warp(const Refusal& refusal, const Function& function, const For& blocks,
                     const For& threads) {
  if (!is_thread_loop(threads) || !threads.binding.combine.is_exchange()) return;
  const std::string method = to_string(blocks.binding.combine);
  if (threads.binding.dim != 0)
    refusal(&threads,
            fmt::format("combine({}) leaves the results of blocks to one warp, and within a block "
                        "{} combines over {}",
                        method, threads.axis->name, to_string(threads.binding)),
            "bind it to thread.x, or leave out last_warp");
  const int64_t lanes = std::min(*as_int(threads.extent), warp_size);
  const Stmt warp =
      For::make(threads.axis, lanes, {Kind::thread, 0, 0, {Combine::shuffle}}, threads.body);
  check_warps(refusal, *find_site(function, threads.axis.get()), *llvm::cast<For>(warp));
}

/// A block that waits for none is the last of one loop.
void check_other_blocks(const Preconditions& check, const Site& site, const Binding& binding) {
  if (binding.kind != Kind::block) return;
  auto others = site.enclosing_loops();
  llvm::append_range(others, loops_of(site.loop().body));
  for (const For* other : others) {
    const Binding& outer = other->binding;
    if (outer.kind != Kind::block || !outer.combine) continue;
    if (outer.combine.is_atomic() && binding.combine.is_atomic()) continue;
    check.refuse(other,
                 fmt::format("{} combines over {} already by {}, and {} would by {}",
                             other->axis->name, to_string(outer), to_string(outer.combine),
                             site.loop().axis->name, to_string(binding.combine)),
                 "fuse the two axes, and bind them as one");
  }
}

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

}  // namespace

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
    check_parts(refusal, site, *loop);
    check_warps(refusal, site, *loop);
    check_guards(refusal, site, *loop);
    if (loop->binding.combine.is_left_to_last() && loop->binding.combine.ends_in_warp())
      for (const For* inner : loops_of(loop->body)) check_last_warp(refusal, result, *loop, *inner);
    if (const Accesses updates = shared_updates(site); !updates.empty())
      check_updates(refusal, site, updates, loop->binding);
  }
}

}  // namespace hone
