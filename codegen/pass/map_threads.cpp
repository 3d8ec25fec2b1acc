// for i in 0..M @block.x { for j in 0..N @thread.x { body } }
//
//   =>  grid(M, 1, 1) block(N, 1, 1)
//       let i = block.x
//       let j = thread.x
//       body
//
// for i in 0..M @block.x { for c in 0..2 @cluster.x { body } }
//
//   =>  grid(M*2, 1, 1) cluster(2)
//       let i = block.x / 2
//       let c = block.x % 2
//       body
//
// for y in 0..4 @lane(8) { for x in 0..8 @lane { body } }
//
//   =>  let lane = thread.x % 32
//       let y = lane / 8
//       let x = lane % 8
//       body
//
// A block has as many threads as its largest thread loop of each dimension; the others are guarded.
// The innermost thread loop of a digit says which thread runs a statement. A statement outside the
// thread loops of a digit runs on its thread 0, unless it writes registers, which every thread has
// its own of.

#include "codegen/order/thread_context.h"
#include "codegen/pass/guard_threads.h"
#include "codegen/pass/passes.h"
#include "ir/algebra/simplify.h"
#include "ir/target/gpu_limits.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class Mapper {
 public:
  explicit Mapper(const KernelFunction& kernel)
      : kernel_(kernel),
        space_(kernel.body),
        kernel_facts_(facts_of(kernel.assumptions)),
        names_(as_function(kernel)) {}

  Stmt run() {
    ThreadContext context;
    context.space = &space_;
    Stmt body = map(kernel_.body, context);
    for (const auto& [axis, value] : units_) body = Let::make(axis, value, body);
    return body;
  }

 private:
  Stmt map(const Stmt& stmt, const ThreadContext& context) {
    if (runs_on_one_thread(stmt, context)) return map_on_thread_0(stmt, context);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return map_loop(*loop, context);
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
      llvm::SmallVector<Stmt, 4> mapped;
      for (const Stmt& part : seq->stmts) mapped.push_back(map(part, context));
      return Seq::make(mapped);
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(alloc->tensor, map(alloc->body, context));
    ThreadContext inside = context;
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      inside.enter(*branch);
      return If::make(branch->condition, map(branch->body, inside));
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      inside.enter(*let);
      return Let::make(let->axis, let->value, map(let->body, inside));
    }
    assert((llvm::isa<Store, Instr>(stmt)) && "copies are loops by now");
    return stmt;
  }

  Stmt map_on_thread_0(const Stmt& stmt, const ThreadContext& context) {
    ThreadContext inside = context;
    inside.is_on_thread_0 = true;
    Stmt mapped = map(stmt, inside);
    const bool needs_all = any_of(mapped, is_of_all_threads);
    for (const ThreadGroup& group : space_.groups_of(space_.used().without(context.covered))) {
      const Expr is_first = value_of(group.binding) == 0;
      mapped = needs_all ? guard_threads(mapped, is_first, space_.digits_of(group.binding), axes_)
                         : If::make(is_first, mapped);
    }
    return mapped;
  }

  Stmt map_loop(const For& loop, const ThreadContext& context) {
    ThreadContext inside = context;
    inside.enter(loop);
    axes_[loop.axis.get()] = space_.digits_of(loop);
    const Stmt body = map(loop.body, inside);
    if (is_thread_loop(loop)) return map_thread_loop(loop, body);
    if (loop.binding.kind != Binding::Kind::block) return loop.with_body(body);
    return Let::make(loop.axis, block_index(loop.binding.dim), body);
  }

  /// The blocks of a cluster follow each other in x.
  Expr block_index(unsigned dim) const {
    const Expr index = ThreadIndex::make(IndexSpace::block, dim);
    const int64_t cluster = cluster_of(kernel_.body);
    return dim == 0 && cluster > 1 ? index / cluster : index;
  }

  /// A digit of one value is the same for all threads.
  Stmt map_thread_loop(const For& loop, Stmt body) {
    const Expr axis = AxisRef::make(loop.axis);
    const Expr is_in_loop = is_int(loop.extent, 1) ? axis == 0 : axis < loop.extent;
    const ThreadDigits digits = space_.digits_of(loop);
    const Expr threads = digits.empty() ? Expr(1) : space_.groups_of(digits).front().count;
    if (!equal(loop.extent, threads)) body = guard_threads(body, is_in_loop, digits, axes_);
    if (has_inner_loop_over_same_threads(loop, space_) && !proves(loop.extent >= 1, kernel_facts_))
      body = If::make(loop.extent >= 1, body);
    return Let::make(loop.axis, digits.empty() ? Expr(0) : value_of(loop.binding), body);
  }

  /// The thread's number, or the digit of it.
  Expr value_of(const Binding& binding) {
    if (binding.is_cluster()) {
      const int64_t cluster = cluster_of(kernel_.body);
      return cluster == 1 ? Expr(0) : ThreadIndex::make(IndexSpace::block, 0) % cluster;
    }
    const Expr number = ThreadIndex::make(IndexSpace::thread, binding.dim);
    const ThreadDigit& digit = binding.digit;
    const ThreadGroup group = space_.groups_of(space_.digits_of(binding)).front();
    if (digit.is_whole() || group.binding.digit.is_whole()) return number;
    const int64_t all = threads(binding.dim);
    if (digit.unit == ThreadUnit::thread) return digit_of(number, digit, all);
    if (digit.unit == ThreadUnit::lane)
      return all > warp_size ? digit_of(unit("lane", number % warp_size), digit, warp_size)
                             : digit_of(number, digit, all);
    const ThreadDigit of_warps = {digit.unit, digit.stride / warp_size, digit.count};
    return digit_of(unit("warp", number / warp_size), of_warps, (all + warp_size - 1) / warp_size);
  }

  int64_t threads(unsigned dim) const { return *as_int(space_.block()[dim]); }

  /// A digit of a number that has `count` values.
  static Expr digit_of(const Expr& number, const ThreadDigit& digit, int64_t count) {
    const Expr shifted = digit.stride == 1 ? number : number / digit.stride;
    return digit.end() >= count ? shifted : shifted % digit.count;
  }

  /// The name of what numbers lanes or warps.
  Expr unit(const char* name, const Expr& value) {
    for (const auto& [axis, known] : units_)
      if (equal(known, value)) return AxisRef::make(axis);
    const std::string fresh = names_.fresh(name);
    units_.push_back({make_axis(fresh, AxisKind::spatial, {fresh}), value});
    return AxisRef::make(units_.back().first);
  }

  const KernelFunction& kernel_;
  const ThreadSpace space_;
  const Facts kernel_facts_;
  Names names_;
  ThreadAxes axes_;
  llvm::SmallVector<std::pair<AxisPtr, Expr>, 2> units_;  ///< lane and warp, where they are used
};

}  // namespace

void map_threads(KernelFunction& kernel) {
  kernel.grid = grid_of(kernel.body);
  kernel.cluster = cluster_of(kernel.body);
  kernel.grid[0] = simplify(kernel.grid[0] * kernel.cluster);
  kernel.block = block_of(kernel.body);
  kernel.body = Mapper(kernel).run();
}

}  // namespace hone
