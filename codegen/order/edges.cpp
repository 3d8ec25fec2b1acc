#include "codegen/order/edges.h"

#include "codegen/order/wait_groups.h"
#include "codegen/shared_memory.h"
#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

bool is_atomic(const ThreadAccess& access) {
  const auto* store = llvm::dyn_cast<Store>(access.access.statement);
  return store && store->is_atomic && access.access.writes;
}

/// Beside the expressions, all that is compared.
llvm::SmallVector<uint64_t, 8> label_of(const ThreadAccess& access) {
  llvm::SmallVector<uint64_t, 8> label{
      is_atomic(access), static_cast<uint64_t>(access.ordering.who),
      static_cast<uint64_t>(access.ordering.fenced), static_cast<uint64_t>(access.access.timeline)};
  for (const For* loop : access.loops) {
    label.push_back(static_cast<uint64_t>(loop->binding.kind));
    label.push_back(loop->binding.dim);
    label.push_back(loop->binding.digit.stride);
    label.push_back(loop->binding.digit.count);
  }
  for (const ExecutingThread& thread : access.threads) {
    label.push_back(static_cast<uint64_t>(thread.kind));
    label.push_back(llvm::find(access.loops, thread.loop) - access.loops.begin());
  }
  return label;
}

bool is_in_registers(const MemoryAccess& access) {
  return access.tensor->scope == Scope::registers;
}

bool needs_fence(const MemoryAccess& first, const MemoryAccess& second) {
  return first.writes && !is_in_registers(first) && !is_behind_fence(first.timeline) &&
         is_behind_fence(second.timeline);
}

/// True where an edge may lead from a thread to itself: what it has started goes on while it comes
/// to the second one, or does not see what it has done.
bool is_of_other_timelines(const ThreadAccess& first, const ThreadAccess& second) {
  return ends_in_groups(first.access.timeline) || needs_fence(first.access, second.access);
}

/// In the same iteration of the same loop, which runs on one thread.
bool is_same_iteration(const ExecutingThread& lhs, const ExecutingThread& rhs,
                       llvm::ArrayRef<const For*> around) {
  return lhs.loop && lhs.loop == rhs.loop && llvm::is_contained(around, lhs.loop);
}

/// Also in a loop over threads, where a guard leaves but the first.
bool is_on_thread_0(const ThreadAccess& access, size_t digit) {
  const ExecutingThread& thread = access.threads[digit];
  if (!thread.loop) return thread.kind == ExecutingThread::Kind::thread_0;
  return llvm::any_of(access.access.guards, [&](const Expr& guard) {
    const auto* equality = llvm::dyn_cast<Binary>(guard);
    if (!equality || equality->op != BinaryOp::eq || !is_int(equality->rhs, 0)) return false;
    const auto* axis = llvm::dyn_cast<AxisRef>(equality->lhs);
    return axis && axis->axis == thread.loop->axis;
  });
}

/// The access with the loops that may be in different iterations; those of threads come later.
MemoryAccess with_inner_loops(const ThreadAccess& access, size_t depth) {
  MemoryAccess result = access.access;
  for (const For* loop : llvm::ArrayRef<const For*>(access.loops).drop_front(depth))
    if (!is_thread_loop(*loop)) result.inner.push_back({loop->axis, loop->extent});
  return result;
}

/// Axes of its own for all that varies in the access.
void set_apart(MemoryAccess& access) {
  for (auto& [axis, extent] : access.inner) {
    const AxisPtr other = make_variable();
    for (Expr& index : access.indices) index = substitute(index, axis.get(), AxisRef::make(other));
    axis = other;
  }
}

/// True of two slots of a ring that are a number of steps apart, which is no whole round:
/// (k + 2) % 3 and k % 3.
bool are_other_slots(const Expr& lhs, const Expr& rhs) {
  const auto *left = llvm::dyn_cast<Binary>(lhs), *right = llvm::dyn_cast<Binary>(rhs);
  if (!left || !right || left->op != BinaryOp::mod || right->op != BinaryOp::mod) return false;
  const auto slots = as_int(left->rhs);
  const auto apart = (Polynomial::of(left->lhs) - Polynomial::of(right->lhs)).constant();
  return slots && *slots > 0 && slots == as_int(right->rhs) && apart && *apart % *slots != 0;
}

}  // namespace

bool never_meet(const MemoryAccess& lhs, MemoryAccess rhs, Facts facts) {
  set_apart(rhs);
  for (const MemoryAccess* access : {&lhs, &std::as_const(rhs)})
    for (const auto& [axis, extent] : access->inner) facts.add_axis(axis, extent);
  for (const auto& [left, right] : llvm::zip(lhs.indices, rhs.indices)) {
    const Polynomial difference = Polynomial::of(left) - Polynomial::of(right);
    if (are_other_slots(left, right) || proves_non_negative(difference - 1, facts) ||
        proves_non_negative(Polynomial(-1) - difference, facts))
      return true;
  }
  return false;
}

void ThreadAccesses::add(const ThreadAccess& access) {
  MemoryAccess in_loops = access.access;
  in_loops.inner.clear();
  for (const For* loop : access.loops) in_loops.inner.push_back({loop->axis, loop->extent});
  const auto [family, is_new] = families_.add(in_loops, label_of(access));
  members_.resize(families_.size());
  if (is_new) members_[family].push_back(access);
}

void ThreadAccesses::add(const ThreadAccesses& more) {
  if (families() == 0) return void(*this = more);
  for (const auto& members : more.members_)
    for (const ThreadAccess& access : members) add(access);
}

ThreadAccesses ThreadAccesses::in_memory() const {
  ThreadAccesses result;
  for (const auto& members : members_)
    for (const ThreadAccess& access : members)
      if (!is_in_registers(access.access)) result.add(access);
  return result;
}

ThreadAccesses ThreadAccesses::behind(const Ordering& ordering) const {
  ThreadAccesses result;
  for (const auto& members : members_)
    for (ThreadAccess access : members) {
      access.ordering = access.ordering.with(ordering);
      result.add(access);
    }
  return result;
}

ThreadAccesses ThreadAccesses::to(const llvm::DenseSet<const TensorNode*>& tensors) const {
  ThreadAccesses result;
  for (const auto& members : members_)
    for (const ThreadAccess& access : members)
      if (tensors.contains(access.access.tensor.get())) result.add(access);
  return result;
}

ThreadAccess ThreadAccesses::whole(size_t family) const {
  ThreadAccess whole = members_[family].front();
  whole.access = families_.whole(family);
  whole.access.inner.erase(whole.access.inner.begin(),
                           whole.access.inner.begin() + whole.loops.size());
  return whole;
}

bool ThreadAccesses::any_of(size_t family,
                            llvm::function_ref<bool(const ThreadAccess&)> is_it) const {
  return llvm::any_of(members_[family], is_it);
}

DataExchange::DataExchange(const ThreadSpace& space) : space_(space), used_(space.used()) {
  for (const ThreadGroup& digit : space.digits())
    threads_.push_back(For::make(make_variable(), digit.count, digit.binding, Seq::make({})));
}

void DataExchange::rename_to_digits(MemoryAccess& access, const For& thread_loop) const {
  const AxisNode* axis = thread_loop.axis.get();
  const ThreadDigits digits = space_.digits_of(thread_loop);
  Expr name, count = 1;
  for (size_t n = 0; n < threads_.size(); ++n) {
    if (!digits.contains(n)) continue;
    const For& thread = *llvm::cast<For>(threads_[n]);
    const Expr digit = AxisRef::make(thread.axis);
    name = name.defined() ? digit * count + name : digit;
    count = simplify(count * thread.extent);
    access.inner.push_back({thread.axis, thread.extent});
  }
  if (!name.defined()) name = 0;
  for (Expr& index : access.indices) index = substitute(index, axis, name);
  for (Expr& guard : access.guards) guard = substitute(guard, axis, name);
  if (!equal(thread_loop.extent, count)) access.guards.push_back(name < thread_loop.extent);
}

bool Edge::needs_fence() const { return hone::needs_fence(producer, consumer); }

std::string Edge::text() const {
  const auto done = [](const MemoryAccess& access) { return access.writes ? "written" : "read"; };
  return fmt::format(
      "{} is {}, then {} as {}{}", producer.text(), done(producer), done(consumer), consumer.text(),
      carried_by ? fmt::format(" in a later iteration of {}", carried_by->axis->name) : "");
}

Edges DataExchange::between(const ThreadAccesses& earlier, const ThreadAccesses& later,
                            const ComparisonPoint& point) const {
  const auto reach_of = [&](const ThreadAccess& lhs, const ThreadAccess& rhs) {
    const Reach reach = between(lhs, rhs, point);
    const Ordering ordering = lhs.ordering.with(rhs.ordering);
    const bool is_fenced = needs_fence(lhs.access, rhs.access);
    return reach <= (is_fenced ? ordering.fenced : ordering.who) ? Reach::none : reach;
  };
  const auto is_edge = [&](const ThreadAccess& lhs, const ThreadAccess& rhs) {
    return reach_of(lhs, rhs) != Reach::none;
  };
  const auto meet_one_by_one = [&](size_t left, size_t right, const ThreadAccess& all) {
    if (earlier.is_single(left) && later.is_single(right)) return true;
    return earlier.any_of(left, [&](const ThreadAccess& lhs) {
      return is_edge(lhs, all) &&
             later.any_of(right, [&](const ThreadAccess& rhs) { return is_edge(lhs, rhs); });
    });
  };
  Edges edges;
  for (size_t left = 0; left < earlier.families(); ++left) {
    const ThreadAccess lhs = earlier.whole(left);
    for (size_t right = 0; right < later.families(); ++right) {
      const ThreadAccess rhs = later.whole(right);
      const Reach reach = reach_of(lhs, rhs);
      if (reach != Reach::none && meet_one_by_one(left, right, rhs))
        edges.push_back({lhs.access, rhs.access, point.between, reach});
    }
  }
  return edges;
}

bool DataExchange::are_in_own_blocks(const ThreadAccesses& accesses) const {
  const auto is_elsewhere = [&](const ThreadAccess& access) { return !is_in_own_block(access); };
  for (size_t family = 0; family < accesses.families(); ++family)
    if (accesses.any_of(family, is_elsewhere)) return false;
  return true;
}

bool DataExchange::is_in_own_block(const ThreadAccess& access) const {
  if (!access.access.tensor->is_in_parts) return true;
  const Expr& part = access.access.indices.front();
  for (size_t digit = 0; digit < threads_.size(); ++digit) {
    if (!llvm::cast<For>(threads_[digit])->binding.is_cluster()) continue;
    const For* loop = access.threads[digit].loop;
    return loop ? equal(part, AxisRef::make(loop->axis))
                : is_on_thread_0(access, digit) && is_int(part, 0);
  }
  return true;
}

Reach DataExchange::between(const ThreadAccess& first, const ThreadAccess& second,
                            const ComparisonPoint& point) const {
  if (!first.access.writes && !second.access.writes) return Reach::none;
  if (is_atomic(first) && is_atomic(second)) return Reach::none;
  if (is_in_registers(first.access)) return in_registers(first, second, point);
  if (first.access.tensor == second.access.tensor) {
    const Reach reach = meet(first, second, point);
    return reach == Reach::none && meet_on_one_thread(first, second, point) ? Reach::block : reach;
  }
  const bool is_edge = share_bytes(*first.access.tensor, *second.access.tensor) &&
                       (is_of_other_timelines(first, second) || !are_on_one_thread(first, second));
  if (!is_edge) return Reach::none;
  return is_in_own_block(first) && is_in_own_block(second) ? Reach::block : widest();
}

/// Each thread has its own. What goes on there on one timeline comes in order.
Reach DataExchange::in_registers(const ThreadAccess& first, const ThreadAccess& second,
                                 const ComparisonPoint& point) const {
  const bool may_meet = first.access.tensor == second.access.tensor &&
                        first.access.timeline != second.access.timeline;
  return may_meet && meet_on_one_thread(first, second, point) ? Reach::thread : Reach::none;
}

/// True where an edge leads from a thread to itself.
bool DataExchange::meet_on_one_thread(const ThreadAccess& first, const ThreadAccess& second,
                                      const ComparisonPoint& point) const {
  if (!is_of_other_timelines(first, second)) return false;
  const auto of_any_thread = [&](const ThreadAccess& access) {
    MemoryAccess result = with_inner_loops(access, point.depth);
    for (const For* loop : access.loops)
      if (is_thread_loop(*loop)) result.inner.push_back({loop->axis, loop->extent});
    return result;
  };
  const MemoryAccess lhs = of_any_thread(first), rhs = of_any_thread(second);
  if (point.between && unseparated({point.between}, lhs, rhs, point.facts).empty()) return false;
  return !never_meet(lhs, rhs, point.facts);
}

/// Of two tensors, whose elements say nothing about the threads.
bool DataExchange::are_on_one_thread(const ThreadAccess& first, const ThreadAccess& second) const {
  for (size_t digit = 0; digit < threads_.size(); ++digit)
    if (used_.contains(digit) && !(is_on_thread_0(first, digit) && is_on_thread_0(second, digit)))
      return false;
  return true;
}

/// True where `zero` is on thread 0 of each digit, and whatever thread makes the other access,
/// it is thread 0 where they touch one element.
bool DataExchange::are_thread_0(const ThreadAccess& any, const ThreadAccess& zero,
                                const ComparisonPoint& point) const {
  if (point.between) return false;
  const MemoryAccess fixed = with_inner_loops(zero, point.depth);
  for (size_t digit = 0; digit < threads_.size(); ++digit) {
    if (!used_.contains(digit)) continue;
    if (!is_on_thread_0(zero, digit)) return false;
    if (is_on_thread_0(any, digit)) continue;
    const For* loop = any.threads[digit].loop;
    if (!loop) return false;
    // Any thread of the loop but the first.
    const AxisPtr others = make_variable();
    MemoryAccess moved = with_inner_loops(any, point.depth);
    for (Expr& index : moved.indices)
      index = substitute(index, loop->axis.get(), AxisRef::make(others) + 1);
    moved.inner.push_back({others, loop->extent - 1});
    if (!never_meet(moved, fixed, point.facts)) return false;
  }
  return true;
}

Reach DataExchange::meet(const ThreadAccess& first, const ThreadAccess& second,
                         const ComparisonPoint& point) const {
  const auto around = llvm::ArrayRef<const For*>(first.loops).take_front(point.depth);
  MemoryAccess lhs = with_inner_loops(first, point.depth);
  MemoryAccess rhs = with_inner_loops(second, point.depth);
  llvm::SmallVector<const For*, 4> asked, called;
  bool is_comparable = true;
  const auto call = [&](MemoryAccess& access, const ExecutingThread& thread) {
    if (!thread.loop || llvm::is_contained(called, thread.loop)) return;
    rename_to_digits(access, *thread.loop);
  };
  for (size_t digit = 0; digit < threads_.size(); ++digit) {
    const ExecutingThread &left = first.threads[digit], &right = second.threads[digit];
    const bool is_one = (is_on_thread_0(first, digit) && is_on_thread_0(second, digit)) ||
                        is_same_iteration(left, right, around);
    if (is_one) continue;
    call(lhs, left);
    call(rhs, right);
    for (const ExecutingThread* thread : {&left, &right})
      if (thread->loop) called.push_back(thread->loop);
    if (!used_.contains(digit)) continue;
    is_comparable &= left.loop && right.loop;
    asked.push_back(llvm::cast<For>(threads_[digit]));
  }
  if (asked.empty()) return Reach::none;
  if (are_thread_0(first, second, point) || are_thread_0(second, first, point)) return Reach::none;
  if (point.between) asked.push_back(point.between);
  const auto open = unseparated(asked, lhs, rhs, point.facts);
  // Equal elements imply equal threads, or the same iteration, which this is not.
  if (point.between && !llvm::is_contained(open, point.between)) return Reach::none;
  const bool is_same_thread =
      llvm::none_of(open, [&](const For* loop) { return loop != point.between; });
  if ((is_comparable && is_same_thread) || never_meet(lhs, rhs, point.facts)) return Reach::none;
  return over(open);
}

/// Threads that differ in a digit alone whose range divides that of a warp are of one warp. There
/// are warpgroups in blocks of one row.
Reach DataExchange::over(llvm::ArrayRef<const For*> digits) const {
  const auto [row, rows, planes] = space_.block();
  const auto threads = as_int(row);
  const bool has_warpgroups = is_int(rows, 1) && is_int(planes, 1);
  Reach reach = Reach::none;
  for (const For* digit : digits) {
    if (!is_thread_loop(*digit)) continue;
    if (digit->binding.is_cluster()) return Reach::cluster;
    const auto count = as_int(digit->extent);
    const auto lie_in_one = [&](int64_t size) {
      return digit->binding.dim == 0 && count && threads && *threads > size &&
             *threads % size == 0 && size % (digit->binding.digit.stride * *count) == 0;
    };
    reach = std::max(reach, lie_in_one(warp_size)                          ? Reach::warp
                            : has_warpgroups && lie_in_one(warpgroup_size) ? Reach::warpgroup
                                                                           : Reach::block);
  }
  return reach == Reach::none ? Reach::block : reach;
}

}  // namespace hone
