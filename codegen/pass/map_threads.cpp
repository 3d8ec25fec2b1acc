// for i in 0..M @block.x { for j in 0..N @thread.x { body } }
//
//   =>  grid(M, 1, 1) block(N, 1, 1)
//       let i = block.x
//       let j = thread.x
//       body
//
// A block has as many threads as its largest thread loop of each dimension; the others are guarded.
// What stands outside the thread loops of a dimension runs on its thread 0, unless it writes
// registers, which every thread has its own of. A barrier stands between phases that exchange data,
// and at the end of a serial loop whose iterations do.

#include "codegen/pass/passes.h"
#include "codegen/pass/phases.h"
#include "ir/equal.h"
#include "ir/error.h"
#include "ir/schedule/site.h"
#include "ir/visit.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

/// The largest extent of the loops bound to each index; 1 where there is none.
std::array<Expr, 3> extents_of(const Stmt& body, Kind kind) {
  std::array<Expr, 3> extents;
  for (const For* loop : loops_of(body)) {
    if (loop->binding.kind != kind) continue;
    Expr& extent = extents[loop->binding.dim];
    if (!extent.defined()) extent = loop->extent;
    const auto known = as_int(extent), other = as_int(loop->extent);
    if (known && other)
      extent = std::max(*known, *other);
    else if (!equal(extent, loop->extent))
      extent = max(extent, loop->extent);
  }
  for (Expr& extent : extents)
    if (!extent.defined()) extent = 1;
  return extents;
}

/// Whether a loop bound to `index` encloses every statement that writes.
bool encloses_all(const Stmt& stmt, const Binding& index) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && loop->binding == index) return true;
  bool all = !llvm::isa<Store, Copy>(stmt);
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { all = all && encloses_all(nested, index); });
  return all;
}

/// The number of threads of a block in each dimension. A block that has work beside a loop has a
/// thread for it, also where the loop's extent turns out to be 0.
std::array<Expr, 3> block_of(const Stmt& body) {
  std::array<Expr, 3> threads = extents_of(body, Kind::thread);
  for (uint8_t dim = 0; dim < 3; ++dim)
    if (!as_int(threads[dim]) && !encloses_all(body, {Kind::thread, dim, 0}))
      threads[dim] = max(threads[dim], 1);
  return threads;
}

/// Where a statement stands: what is decided about the thread that runs it.
struct Context {
  ThreadDims covered;      ///< dimensions that a thread loop around has dealt with
  bool divergent = false;  ///< under a condition that differs between threads
  Facts facts;
};

class Mapper {
 public:
  explicit Mapper(KernelFunction& kernel)
      : kernel_(kernel), used_(thread_dims(kernel.body)), threads_(kernel.block) {}

  Stmt map(const Stmt& stmt, const Context& context) {
    if (runs_on_one_thread(stmt, context))
      return on_thread_0(map(stmt, all_covered(context)), context);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return map_loop(stmt, *loop, context);
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return map_phases(*seq, context);
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      Context inside = context;
      inside.facts.assume(branch->condition);
      inside.divergent |= mentions_thread(branch->condition);
      return If::make(branch->condition, map(branch->body, inside));
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(alloc->tensor, map(alloc->body, context));
    if (const auto* let = llvm::dyn_cast<Let>(stmt))
      return Let::make(let->axis, let->value, map(let->body, context));
    return stmt;
  }

 private:
  ThreadDims open(const Context& context) const { return used_.without(context.covered); }

  Context all_covered(const Context& context) const {
    Context result = context;
    result.covered = used_;
    return result;
  }

  /// Whole statements without thread loops that write memory which threads share.
  bool runs_on_one_thread(const Stmt& stmt, const Context& context) const {
    if (open(context).empty() || !thread_dims(stmt).empty()) return false;
    bool writes_memory = false;
    for (const MemoryAccess& access : collect_accesses(stmt)) {
      if (access.writes && access.tensor->scope == Scope::registers) return false;
      writes_memory |= access.writes;
    }
    return writes_memory;
  }

  Stmt on_thread_0(Stmt stmt, const Context& context) const {
    for (unsigned dim = 0; dim < 3; ++dim)
      if (open(context).contains(dim) && !is_int(threads_[dim], 1))
        stmt = If::make(ThreadIndex::make(IndexSpace::thread, dim) == 0, stmt);
    return stmt;
  }

  Stmt map_loop(const Stmt& stmt, const For& loop, const Context& context) {
    Context inside = context;
    inside.facts.add_axis(loop.axis, loop.extent);
    if (!loop.binding.is_parallel()) {
      Stmt body = map(loop.body, inside);
      if (wants_barrier_at_end(loop, inside)) body = Seq::make({body, barrier(stmt, context)});
      return For::make(loop.axis, loop.extent, loop.binding, body);
    }
    const unsigned dim = loop.binding.dim;
    if (loop.binding.kind == Kind::block)
      return Let::make(loop.axis, ThreadIndex::make(IndexSpace::block, dim),
                       map(loop.body, inside));
    const bool guarded = !equal(loop.extent, threads_[dim]);
    inside.covered = context.covered.with(dim);
    inside.divergent |= guarded;
    thread_axes_.push_back(loop.axis.get());
    Stmt body = map(loop.body, inside);
    if (guarded) body = If::make(AxisRef::make(loop.axis) < loop.extent, body);
    return Let::make(loop.axis, ThreadIndex::make(IndexSpace::thread, dim), body);
  }

  /// A statement waits for all since the last barrier that it exchanges data with.
  Stmt map_phases(const Seq& seq, const Context& context) {
    llvm::SmallVector<Stmt, 4> mapped;
    size_t first = 0;
    for (size_t n = 0; n < seq.stmts.size(); ++n) {
      for (size_t earlier = first; earlier < n; ++earlier)
        if (exchanges_data(seq.stmts[earlier], seq.stmts[n], open(context), {}, context.facts)) {
          mapped.push_back(barrier(seq.stmts[n], context));
          first = n;
        }
      mapped.push_back(map(seq.stmts[n], context));
    }
    return Seq::make(mapped);
  }

  bool wants_barrier_at_end(const For& loop, const Context& inside) const {
    return !open(inside).empty() &&
           exchanges_data(loop.body, loop.body, open(inside), {&loop}, inside.facts);
  }

  Stmt barrier(const Stmt& before, const Context& context) const {
    if (!context.divergent) return Barrier::make();
    throw ScheduleError("compile",
                        "threads of a block would wait for each other under a condition that "
                        "differs between them",
                        "the statements around it exchange data between threads; bind their loops "
                        "in the same way, or choose factors that divide")
        .mark(Function{kernel_.name, kernel_.params, kernel_.arguments, false, kernel_.body, {}},
              before.get());
  }

  bool mentions_thread(const Expr& condition) const {
    bool found = false;
    walk(condition, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      found |= reference && llvm::is_contained(thread_axes_, reference->axis.get());
    });
    return found;
  }

  const KernelFunction& kernel_;
  ThreadDims used_;
  std::array<Expr, 3> threads_;
  llvm::SmallVector<const AxisNode*, 4> thread_axes_;
};

}  // namespace

void map_threads(KernelFunction& kernel) {
  kernel.grid = extents_of(kernel.body, Kind::block);
  kernel.block = block_of(kernel.body);
  kernel.body = Mapper(kernel).map(kernel.body, {});
}

}  // namespace hone
