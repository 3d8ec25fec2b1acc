#include "ir/schedule/legality/roles.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/nests.h"
#include "ir/schedule/legality/repeated_roles.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/instruction_nest.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/threads/thread_space.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The checks of one loop with roles.
class RolesCheck {
 public:
  RolesCheck(const Preconditions& check, const Stmt& nest, const For& loop, const StmtNode* culprit)
      : check_(check),
        nest_(nest),
        loop_(loop),
        name_(loop.axis->name),
        culprit_(culprit),
        space_(nest) {}

  void run() {
    check_place();
    check_clusters();
    check_copies();
    check_rings();
    check_threads();
    check_registers();
    check_in_flight();
    check_repeated_roles(check_, *find_site(nest_, &loop_), culprit_);
    check_statements(body_of_consumers(loop_), threads_around());
    if (loop_.binding.has(attr::prefetch)) check_prefetch();
  }

 private:
  [[noreturn]] void refuse(const StmtNode* culprit, const std::string& what,
                           const std::string& note = "") const {
    check_.refuse(culprit_ ? culprit_ : culprit, what, note);
  }

  /// All threads of the block come to the loop, and run it from its first iteration to its last
  /// one.
  void check_place() const {
    const Site site = *find_site(nest_, &loop_);
    for (const Stmt& stmt : site.around) {
      if (const auto* around = llvm::dyn_cast<For>(stmt)) check_around(*around);
      const auto* branch = llvm::dyn_cast<If>(stmt);
      if (branch && !is_of_block(branch->condition, site.around))
        refuse(&loop_,
               fmt::format("{} stands under {}, which may differ between threads, and all of a "
                           "block come to it",
                           name_, branch->condition),
               "specialize a loop that is no part of one");
      if (const auto* let = llvm::dyn_cast<Let>(stmt))
        refuse(&loop_,
               fmt::format("{} stands behind the value of {}, which producers do not compute",
                           name_, let->axis->name),
               "write the value where it is used");
    }
    for (const For* other : loops_of(nest_))
      if (other != &loop_ && has_roles(*other))
        refuse(other,
               fmt::format("{} and {} both have producers, and those of a block serve one loop",
                           name_, other->axis->name),
               "pipeline one of them");
  }

  /// True of a condition that holds for all threads of a block or for none.
  static bool is_of_block(const Expr& condition, llvm::ArrayRef<Stmt> around) {
    return !any_of(condition, [](const Expr& part) { return llvm::isa<Load>(part); }) &&
           !differs_between_threads(condition, around);
  }

  void check_around(const For& around) const {
    const std::string& other = around.axis->name;
    if (around.binding.combine)
      refuse(&loop_,
             fmt::format("{} combines the results of its iterations, and {} inside of it has "
                         "producers, which have no part in that",
                         other, name_),
             fmt::format("pipeline {}", name_));
    if (!is_thread_loop(around)) return;
    const auto groups = space_.groups_of(space_.digits_of(around));
    if (!groups.empty() && !equal(simplify(around.extent), simplify(groups.front().count)))
      refuse(&loop_,
             fmt::format("{} has {} iterations, and the block has {} threads for it: the others "
                         "would not come to {}",
                         other, around.extent, groups.front().count, name_),
             "specialize a loop that all threads of the block run");
  }

  /// Producers fill the rings of each block of a cluster, and inside of the loop they come to no
  /// barrier of it.
  void check_clusters() const {
    if (cluster_of(nest_) == 1) return;
    const Site site = *find_site(nest_, &loop_);
    const auto around = site.enclosing_loops();
    const auto* cluster =
        llvm::find_if(around, [](const For* loop) { return loop->binding.is_cluster(); });
    if (cluster == around.end())
      refuse(&loop_,
             fmt::format("{} stands outside of the loops over the blocks of a cluster, and each "
                         "block has producers",
                         name_),
             "specialize a loop inside of one of them");
    for (const MemoryAccess& access : collect_accesses(loop_.body))
      if (access.tensor->is_in_parts &&
          !equal(access.indices.front(), AxisRef::make((*cluster)->axis)))
        refuse(access.statement.get(),
               fmt::format("{} may lie in another block of the cluster, for which the producers of "
                           "{} do not wait",
                           access.text(), name_),
               fmt::format("cache it in registers around {}", name_));
  }

  /// The copies are the first statements of the body. They depend on no thread: shared tiles that
  /// do are refused anyhow (check_tiles_of_threads).
  void check_copies() const {
    const auto copies = copies_of_producers(loop_);
    if (copies.empty())
      refuse(&loop_, fmt::format("no copy by producers is left at the start of {}", name_),
             "they come first in its body: leave them as they are, and cache other tiles before "
             "specialize");
    if (slots_of(loop_) < 1)
      refuse(copies.front(), fmt::format("{} is no ring: its first dimension counts slots, a "
                                         "constant number",
                                         copies.front()->destination.tensor->name));
    for (const Copy* copy : copies) {
      if (!copy->uses_engine())
        refuse(copy,
               fmt::format("{} is copied by loads and stores, and producers make asynchronous "
                           "copies",
                           copy->destination.tensor->name),
               fmt::format("copy_async({}) first", copy->destination.tensor->name));
    }
    walk(nest_, [&](const Stmt& stmt) {
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      if (copy && copy->is_by_producers() && !llvm::is_contained(copies, copy))
        refuse(copy, fmt::format("producers make the copy of {}, which does not stand at the start "
                                 "of {}",
                                 copy->destination.tensor->name, name_));
    });
  }

  /// Each iteration uses a slot of its own, and nobody else uses the rings.
  void check_rings() const {
    Facts facts;
    facts.add_axis(loop_.axis, loop_.extent);
    const Expr slot = simplify(slot_of(loop_), facts);
    for (const Copy* copy : copies_of_producers(loop_)) {
      const TensorPtr& ring = copy->destination.tensor;
      if (!is_int(ring->shape.front(), slots_of(loop_)))
        refuse(copy, fmt::format("{} has {} slots, and the rings of {} have {}", ring->name,
                                 ring->shape.front(), name_, slots_of(loop_)));
      size_t inside = 0;
      for (const MemoryAccess& access : collect_accesses(loop_.body)) {
        if (access.tensor != ring) continue;
        ++inside;
        if (!equal(simplify(access.indices.front(), facts), slot))
          refuse(access.statement.get(),
                 fmt::format("{} is used in slot {}, and an iteration of {} has slot {}",
                             ring->name, access.indices.front(), name_, slot),
                 "use what the iteration's own copies have filled");
        if (access.writes && access.statement.get() != copy)
          refuse(access.statement.get(),
                 fmt::format("{} is written beside the copy that fills it, which "
                             "producers make",
                             ring->name));
      }
      for (const MemoryAccess& access : collect_accesses(nest_))
        if (access.tensor == ring && inside-- == 0)
          refuse(access.statement.get(),
                 fmt::format("{} is used outside of {}, and its producers order nothing there",
                             ring->name, name_));
    }
  }

  static int64_t threads_of(const For& loop) {
    if (loop.binding.opcode) return lanes_of(*loop.binding.opcode).digit.count;
    return is_loop_in_block(loop) ? as_int(loop.extent).value_or(1) : 1;
  }

  /// The loops of threads around a statement: what sets registers outside of all runs on each
  /// thread.
  struct Threads {
    int64_t count = 1;
    bool has_loops = false;

    void enter(const For& loop) {
      count *= threads_of(loop);
      has_loops |= loop.binding.opcode || is_loop_in_block(loop);
    }
    bool runs_on_all(const Store& store, int64_t all) const {
      return count >= all || (!has_loops && store.tensor->scope == Scope::registers);
    }
  };

  Threads threads_around() const {
    Threads threads;
    for (const For* around : find_site(nest_, &loop_)->enclosing_loops())
      if (around != &loop_) threads.enter(*around);
    return threads;
  }

  /// All consumers release a slot together: each statement runs on as many threads as there are.
  void check_statements(const Stmt& stmt, Threads threads) const {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) threads.enter(*loop);
    const int64_t consumers = *as_int(space_.block()[0]);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (store && !threads.runs_on_all(*store, consumers))
      refuse(stmt.get(),
             fmt::format("a statement of {} runs on {} of {} threads, and all of them release its "
                         "slots together",
                         name_, threads.count, consumers),
             "bind loops around it to all threads of the block");
    for_each_operand(
        stmt, [](const Expr&) {}, [&](const Stmt& nested) { check_statements(nested, threads); });
  }

  int64_t producers() const { return loop_.binding.roles.producer_warps * warp_size; }

  void check_threads() const {
    const auto& block = space_.block();
    const auto consumers = as_int(block[0]);
    if (!is_int(block[1], 1) || !is_int(block[2], 1) || !consumers || *consumers % warp_size != 0)
      refuse(&loop_,
             fmt::format("the block of {} has {} x {} x {} threads, and the warps of producers "
                         "follow on whole warps along x",
                         name_, block[0], block[1], block[2]),
             "bind to lanes and warps, or to thread.x alone, a multiple of 32 in all");
    const int64_t most = widest_architecture().max_threads;
    const int64_t warps = loop_.binding.roles.producer_warps;
    if (warps < 1 || warps > most / warp_size || *consumers + producers() > most)
      refuse(&loop_, fmt::format("{} has {} threads and {} producer warps, and a block has {} "
                                 "threads at most, and a warp of producers at least",
                                 name_, *consumers, warps, most));
  }

  /// The registers that are filled ahead, from a slot that another one is beside.
  void check_prefetch() const {
    if (slots_of(loop_) < 2)
      refuse(&loop_,
             fmt::format("the rings of {} have one slot, and the next iteration is to be read "
                         "before this one releases it",
                         name_),
             "specialize with 2 stages or more");
    Stmt rest = body_of_consumers(loop_);
    const auto fills = take_fills_of_consumers(loop_, rest);
    if (fills.empty())
      refuse(
          &loop_, fmt::format("no registers are filled from rings at the start of {}", name_),
          "cache_registers under a loop inside of it, and pipeline that loop: its first registers "
          "are filled there");
    check_tiles_of_consumers(rest);
    if (loop_.binding.attributes.number(attr::prefetch) != 0)
      check_test(outermost_turn(rest, first_last_use(rest, fills)));
  }

  /// None that they fill in shared memory, wherever it is allocated.
  void check_tiles_of_consumers(const Stmt& body) const {
    walk(body, [&](const Stmt& part) {
      for_each_tensor(part, [&](const TensorPtr& tensor, TensorUse how) {
        if (tensor->scope == Scope::shared && how == TensorUse::writes)
          refuse(part.get(),
                 fmt::format("{} is written in {}, and threads that wait for each other there do "
                             "not fill registers ahead",
                             tensor->name, name_),
                 "tiles of its producers alone");
      });
    });
  }

  /// The next slot is tested in an iteration before that of the wait.
  void check_test(const std::optional<Turn>& wait) const {
    const int64_t ahead = loop_.binding.attributes.number(attr::prefetch);
    if (!wait)
      refuse(&loop_,
             fmt::format("{} waits for its next slot behind no loop of 1 to 64 iterations, and a "
                         "test is to come {} of them before the wait",
                         name_, ahead),
             fmt::format("prefetch({}), without a test", name_));
    if (ahead < 0 || ahead > wait->iteration)
      refuse(&loop_,
             fmt::format("{} waits for its next slot behind {} iterations of {}, and a test is to "
                         "come {} before the wait",
                         name_, wait->iteration, wait->axis->name, ahead),
             wait->iteration > 0 ? fmt::format("up to {}", wait->iteration)
                                 : fmt::format("prefetch({}), without a test", name_));
  }

  /// Warpgroups give back what others take.
  void check_registers() const {
    const WarpRoles& roles = loop_.binding.roles;
    if (!roles.has_registers() && roles.consumer_registers == 0) return;
    const int64_t consumers = *as_int(space_.block()[0]), threads = consumers + producers();
    if (consumers % warpgroup_size != 0 || producers() % warpgroup_size != 0)
      refuse(&loop_,
             fmt::format("{} has {} consumers and {} producers, and registers go from warpgroup to "
                         "warpgroup, {} threads each",
                         name_, consumers, producers(), warpgroup_size),
             "multiples of that many, or no numbers of registers");
    const auto is_possible = [](int64_t count) {
      return count >= least_set_registers && count <= most_set_registers &&
             count % set_registers_step == 0;
    };
    if (!is_possible(roles.producer_registers) || !is_possible(roles.consumer_registers))
      refuse(
          &loop_,
          fmt::format("{} registers for a producer and {} for a consumer: a thread has {} to {}, "
                      "a multiple of {}",
                      roles.producer_registers, roles.consumer_registers, least_set_registers,
                      most_set_registers, set_registers_step));
    const int64_t blocks = std::max<int64_t>(resident_blocks(nest_), 1);
    const int64_t all = widest_architecture().registers_per_sm / blocks;
    const int64_t start = all / threads / set_registers_step * set_registers_step;
    const int64_t wanted =
        producers() * roles.producer_registers + consumers * roles.consumer_registers;
    if (roles.producer_registers > start || roles.consumer_registers < start ||
        wanted > start * threads)
      refuse(&loop_,
             fmt::format("{} threads start with {} registers each, and {} for each producer and {} "
                         "for each consumer is no exchange among them",
                         threads, start, roles.producer_registers, roles.consumer_registers),
             fmt::format("producers give some of theirs to consumers: {} registers in all",
                         start * threads));
  }

  /// A slot is left that producers fill meanwhile.
  void check_in_flight() const {
    const int64_t in_flight = loop_.binding.roles.in_flight, slots = slots_of(loop_);
    if (in_flight == 0) return;
    if (in_flight < 0 || in_flight >= slots)
      refuse(&loop_,
             fmt::format("products of {} iterations are to go on in rings of {} stages, and "
                         "producers fill one meanwhile",
                         in_flight, slots),
             fmt::format(".in_flight is 0 to {}", slots - 1));
    if (loop_.binding.has(attr::prefetch))
      refuse(&loop_,
             fmt::format("consumers of {} fill registers ahead, and release a slot as soon "
                         "as they have: no products go on in it",
                         name_),
             ".in_flight is 0");
  }

  const Preconditions& check_;
  const Stmt& nest_;
  const For& loop_;
  const std::string& name_;
  const StmtNode* culprit_;
  const ThreadSpace space_;
};

}  // namespace

void check_roles(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  for (const Stmt& nest : nests_of(result.body)) {
    if (const For* loop = loop_with_roles(nest)) {
      RolesCheck(check, nest, *loop, culprit).run();
      continue;
    }
    walk(nest, [&](const Stmt& stmt) {
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      if (copy && copy->is_by_producers())
        check.refuse(culprit ? culprit : copy,
                     fmt::format("producers make the copy of {}, and no loop has any",
                                 copy->destination.tensor->name));
    });
  }
}

}  // namespace hone
