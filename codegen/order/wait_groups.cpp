// Groups become complete in the order in which they are committed. So a thread at a wait asks how
// many of its latest groups have nothing that is read or written before the next wait:
//
//   for k.ahead in 0..2 @unroll { copy T[k.ahead, ...] @async; commit_group }
//   reduce k in 0..n {
//     wait_group            behind it T[k % 3] is read. The latest group is of T[(k + 1) % 3], and
//     barrier               the one before of T[k % 3], in all iterations: one may be pending.
//     copy T[(k + 2) % 3, ...] @async; commit_group
//     ... T[k % 3, ...] }
//
// The groups before a place are those before it in this iteration of a loop, then those of the
// iteration before, and so on; or, where this is the first, second... iteration, those before the
// loop.
//
// A barrier behind a wait makes what has been waited for known to as many threads. So the next wait
// is the next one with a barrier of as many: the uses behind a wait of fewer count here, too.

#include "codegen/order/wait_groups.h"

#include <deque>

#include "codegen/order/group_sequence.h"
#include "codegen/order/ordering.h"
#include "codegen/shared_memory.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// More groups than pipelines have stages; a wait never leaves as many.
constexpr int64_t most_pending = 16;
/// Events that are looked at for one wait: loops in one another have many ways back.
constexpr int64_t most_steps = 1000;

/// The last event before a place, and those before it: a group, a wait, or the start of a loop's
/// body.
struct Before {
  const Before* earlier = nullptr;  ///< of a loop: before the loop
  const Group* group = nullptr;
  int64_t pending = all_pending;  ///< of a wait: the groups that it left so
  const For* loop = nullptr;
  const GroupSequence* in_loop = nullptr;  ///< those of an iteration
};

/// The statements behind a place, and then perhaps another iteration of a loop.
struct After {
  const After* later = nullptr;
  llvm::ArrayRef<Stmt> stmts;
  const For* loop = nullptr;  ///< whose body ends behind the statements
};

/// How far the way back has come.
struct Seen {
  int64_t groups = 0;                            ///< for certain, at the wait
  llvm::SmallVector<Conditions, 4> others = {};  ///< of groups that are certain where these hold
  int64_t end = all_pending;                     ///< the groups from this one on are there
  int64_t iterations = 0;                        ///< of the loop at hand
};

/// Each thread has its own registers, and what goes on there on one timeline comes in order.
bool comes_in_order(const MemoryAccess& access, const MemoryAccess& use) {
  return access.tensor->scope == Scope::registers && access.timeline == use.timeline;
}

/// The threads that wait for each other behind a wait for groups, before they do anything else.
Reach reach_behind_wait(llvm::ArrayRef<Stmt> stmts) {
  for (const Stmt& stmt : stmts) {
    if (const auto scope = barrier_scope(stmt)) return reach_of(*scope);
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    if (!instr || !instr->places.empty()) break;
  }
  return Reach::thread;
}

class Waits {
 public:
  explicit Waits(const GroupKind& kind) : kind_(kind) {}

  llvm::DenseMap<const StmtNode*, int64_t> run(const Stmt& kernel) {
    own_ = tensors_of_its_own(kernel, kind_);
    visit(kernel, nullptr, nullptr, {});
    return std::move(pending_);
  }

 private:
  /// Returns the events before the place behind the statement. All threads come to a wait in a
  /// loop over some of them.
  const Before* visit(const Stmt& stmt, const Before* before, const After* after,
                      const Around& around) {
    if (is_wait(stmt)) {
      facts_ = around.facts;
      conditions_ = around.conditions;
      steps_ = 0;
      reach_ = after ? reach_behind_wait(after->stmts) : Reach::thread;
      has_passed_ = false;
      const int64_t pending = count_pending(before, uses_behind(after, around));
      pending_[stmt.get()] = pending;
      if (pending == all_pending) return before;
      befores_.push_back({.earlier = before, .pending = pending});
      return &befores_.back();
    }
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return visit_seq(*seq, before, after, around);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return visit(alloc->body, before, after, around);
    Around inside = around;
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      inside.lets.push_back(stmt);
      return visit(let->body, before, after, inside);
    }
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && is_thread_loop(*loop)) {
      inside.facts.add_axis(loop->axis, loop->extent);
      inside.enter(*loop);
      const Before* const behind = visit(loop->body, before, after, inside);
      if (as_int(loop->extent)) return behind;
    } else if (loop) {
      visit_loop(*loop, before, after, around);
    }
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      inside.enter(*branch);
      visit(branch->body, before, after, inside);
    }
    return with_groups(groups_of(stmt, around, kind_), before);
  }

  bool is_wait(const Stmt& stmt) const { return as(stmt, *kind_.wait) != nullptr; }

  const Before* visit_seq(const Seq& seq, const Before* before, const After* after,
                          const Around& around) {
    const llvm::ArrayRef<Stmt> stmts = seq.stmts;
    size_t start = 0;  // of the statements that are not committed yet
    for (size_t n = 0; n < stmts.size(); ++n) {
      afters_.push_back({after, stmts.drop_front(n + 1)});
      const Before* const behind = visit(stmts[n], before, &afters_.back(), around);
      if (!any_of(stmts[n], [&](const Stmt& part) { return as(part, *kind_.commit); })) {
        before = behind;
        continue;
      }
      const Stmt part = Seq::make(stmts.slice(start, n + 1 - start));
      before = with_groups(groups_of(part, around, kind_), before);
      start = n + 1;
    }
    return before;
  }

  void visit_loop(const For& loop, const Before* before, const After* after, const Around& around) {
    Around inside = around;
    inside.facts.add_axis(loop.axis, loop.extent);
    if (!loop.binding.is_parallel()) {
      in_loops_.push_back(groups_of(loop.body, inside, kind_));
      befores_.push_back({.earlier = before, .loop = &loop, .in_loop = &in_loops_.back()});
      before = &befores_.back();
      afters_.push_back({after, {}, &loop});
      after = &afters_.back();
    }
    visit(loop.body, before, after, inside);
  }

  const Before* with_groups(GroupSequence groups, const Before* before) {
    for (Group& group : groups) {
      groups_.push_back(std::move(group));
      befores_.push_back({.earlier = before, .group = &groups_.back()});
      before = &befores_.back();
    }
    return before;
  }

  /// The accesses that may happen before the next wait.
  Accesses uses_behind(const After* after, const Around& around) {
    Accesses uses;
    bool has_stopped = false;
    for (; after && !has_stopped; after = after->later) {
      has_stopped = add_uses(after->stmts, around, uses);
      if (!after->loop || has_stopped) continue;
      Accesses next;
      add_uses(after->loop->body, around, next);
      const AxisNode* axis = after->loop->axis.get();
      replace(next, axis, AxisRef::make(after->loop->axis) + 1);
      uses.append(next);
    }
    return uses;
  }

  /// Returns true where a wait ends them for certain: one of as many threads as the one at hand.
  bool add_uses(const Stmt& stmt, const Around& around, Accesses& uses) {
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return add_uses(seq->stmts, around, uses);
    if (is_wait(stmt)) return reach_ <= Reach::thread;
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return add_uses(alloc->body, around, uses);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      Around inside = around;
      inside.lets.push_back(stmt);
      return add_uses(let->body, inside, uses);
    }
    if (any_of(stmt, [&](const Stmt& part) { return is_wait(part); })) {
      if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
        const bool has_passed = has_passed_;
        add(around.accesses_of(If::make(branch->condition, Seq::make({}))), uses);
        add_uses(branch->body, around, uses);
        has_passed_ = has_passed;
        return false;
      }
      const auto* loop = llvm::dyn_cast<For>(stmt);
      if (loop && add_uses_if_it_ends(*loop, around, uses)) return false;
      Accesses first;  // of the first iteration
      const bool has_ended = loop && add_first_uses(*loop, around, first);
      if (has_ended || (loop && is_thread_loop(*loop))) {
        uses.append(first);
        return has_ended && as_int(loop->extent).value_or(0) >= 1;
      }
    }
    add(around.accesses_of(stmt), uses);
    return false;
  }

  bool add_uses(llvm::ArrayRef<Stmt> stmts, const Around& around, Accesses& uses) {
    for (size_t n = 0; n < stmts.size(); ++n) {
      if (!is_wait(stmts[n])) {
        if (add_uses(stmts[n], around, uses)) return true;
        continue;
      }
      if (reach_behind_wait(stmts.drop_front(n + 1)) >= reach_) return true;
      has_passed_ = true;
    }
    return false;
  }

  /// True of a loop whose iterations do nothing, or come to a wait that ends them for certain.
  bool add_uses_if_it_ends(const For& loop, const Around& around, Accesses& uses) {
    Around inside = around;
    Stmt body = loop.body;
    for (; const auto* let = llvm::dyn_cast<Let>(body); body = let->body)
      inside.lets.push_back(body);
    const auto* branch = llvm::dyn_cast<If>(body);
    if (!branch) return false;
    const bool has_passed = has_passed_;
    Accesses first = inside.accesses_of(If::make(branch->condition, Seq::make({})));
    const bool has_ended = add_uses(branch->body, inside, first);
    has_passed_ = has_passed;
    if (has_ended) add(first, uses);
    return has_ended;
  }

  /// Behind a wait of fewer threads, those of memory: in its registers a thread needs no others.
  void add(const Accesses& accesses, Accesses& uses) const {
    for (const MemoryAccess& access : accesses)
      if (!has_passed_ || access.tensor->scope != Scope::registers) uses.push_back(access);
  }

  /// The uses of a loop's first iteration, or of all threads that a loop is over. True where a wait
  /// ends them for certain.
  bool add_first_uses(const For& loop, const Around& around, Accesses& uses) {
    if (!is_thread_loop(loop))
      return add_uses(substitute(loop.body, loop.axis.get(), 0), around, uses);
    Around inside = around;
    inside.enter(loop);
    return add_uses(loop.body, inside, uses);
  }

  /// A way back that is given up counts as far as it has come: fewer pending groups are always
  /// right.
  int64_t count_pending(const Before* before, const Accesses& uses, Seen seen = {}) {
    if (!before || seen.groups >= seen.end) return all_pending;
    if (++steps_ > most_steps) return seen.groups;
    if (seen.groups >= most_pending) return most_pending;
    if (before->loop) return count_in_loop(*before, uses, seen);
    seen.iterations = 0;
    if (before->group && is_needed(*before->group, uses))
      return groups_behind(*before->group, seen);
    if (before->group)
      add(*before->group, seen);
    else
      seen.end = std::min(seen.end, seen.groups + before->pending);
    return count_pending(before->earlier, uses, seen);
  }

  void add(const Group& group, Seen& seen) const {
    if (!group.is_certain) return;
    if (are_among(group.conditions, conditions_))
      ++seen.groups;
    else
      seen.others.push_back(group.conditions);
  }

  /// The groups behind it that are certain where it is there itself.
  static int64_t groups_behind(const Group& group, const Seen& seen) {
    const int64_t others = llvm::count_if(seen.others, [&](const Conditions& conditions) {
      return are_among(conditions, group.conditions);
    });
    return std::min(seen.groups + others, most_pending);
  }

  /// The iteration at hand may be the first one, or has another one before it.
  int64_t count_in_loop(const Before& before, const Accesses& uses, Seen seen) {
    const AxisNode* axis = before.loop->axis.get();
    Accesses uses_then = uses;
    if (!before.in_loop->empty()) replace(uses_then, axis, Expr(seen.iterations));
    Seen seen_then = seen;
    seen_then.iterations = 0;
    const int64_t first = count_pending(before.earlier, uses_then, seen_then);
    if (before.in_loop->empty() || !needs_any(before, uses)) return first;
    ++seen.iterations;
    for (Group group : llvm::reverse(*before.in_loop)) {
      if (seen.groups >= seen.end) return first;
      replace(group, axis, AxisRef::make(before.loop->axis) - seen.iterations);
      if (is_needed(group, uses)) return std::min(first, groups_behind(group, seen));
      add(group, seen);
    }
    if (seen.iterations > most_pending) return std::min(first, seen.groups);
    return std::min(first, count_pending(&before, uses, seen));
  }

  /// True where a group of some iteration of the loop is needed.
  bool needs_any(const Before& before, const Accesses& uses) const {
    return llvm::any_of(*before.in_loop, [&](Group group) {
      replace(group.accesses, before.loop->axis.get(), AxisRef::make(make_variable()));
      return is_needed(group, uses);
    });
  }

  bool is_needed(const Group& group, const Accesses& uses) const {
    return llvm::any_of(group.accesses, [&](const MemoryAccess& access) {
      if (!(access.writes ? kind_.is_for_writes : kind_.is_for_reads)) return false;
      if (own_.contains(access.tensor.get())) return false;
      return llvm::any_of(uses, [&](const MemoryAccess& use) {
        if (!access.writes && !use.writes) return false;
        if (comes_in_order(access, use)) return false;
        return access.tensor->id == use.tensor->id ? !never_meet(access, use, facts_)
                                                   : share_bytes(*access.tensor, *use.tensor);
      });
    });
  }

  const GroupKind& kind_;
  llvm::DenseSet<const TensorNode*> own_;
  std::deque<Group> groups_;
  std::deque<GroupSequence> in_loops_;
  std::deque<Before> befores_;
  std::deque<After> afters_;
  Facts facts_;
  Conditions conditions_;        ///< that hold at the wait at hand
  Reach reach_ = Reach::thread;  ///< of the wait at hand
  bool has_passed_ = false;      ///< a wait of fewer threads, on the way behind it
  int64_t steps_ = 0;
  llvm::DenseMap<const StmtNode*, int64_t> pending_;
};

}  // namespace

llvm::DenseMap<const StmtNode*, int64_t> pending_groups(const Stmt& kernel, const GroupKind& kind) {
  return Waits(kind).run(kernel);
}

}  // namespace hone
