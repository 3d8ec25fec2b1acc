#include "codegen/pass/last_block.h"

#include "codegen/pass/block_shape.h"
#include "ir/equal.h"
#include "ir/error.h"
#include "ir/polynomial.h"
#include "ir/rewriter.h"
#include "ir/schedule/combine.h"
#include "ir/schedule/site.h"
#include "ir/visit.h"

namespace hone {
namespace {

bool is_block_loop(const For& loop) { return loop.binding.kind == Binding::Kind::block; }

bool waits_for_last(const For& loop) { return loop.binding.combine.method == Combine::last_block; }

/// The statements that update `tensor`, and how many of them.
llvm::SmallVector<const Store*, 2> updates_of(const Stmt& stmt, const TensorPtr& tensor) {
  llvm::SmallVector<const Store*, 2> updates;
  walk(stmt, [&](const Stmt& nested) {
    const auto* store = llvm::dyn_cast<Store>(nested);
    if (store && store->tensor == tensor) updates.push_back(store);
  });
  return updates;
}

/// Whether `stmt` sets all elements of `tensor` to the constant.
bool sets_all(const Stmt& stmt, const TensorPtr& tensor, const Expr& value) {
  llvm::SmallVector<const For*, 4> loops;
  Stmt inner = stmt;
  while (const auto* loop = llvm::dyn_cast<For>(inner)) {
    loops.push_back(loop);
    inner = loop->body;
  }
  const auto* store = llvm::dyn_cast<Store>(inner);
  if (!store || store->tensor != tensor || store->update != Update::set ||
      loops.size() != tensor->rank() || !equal(store->value, value))
    return false;
  for (unsigned dim = 0; dim < loops.size(); ++dim) {
    const auto* index = llvm::dyn_cast<AxisRef>(store->indices[dim]);
    if (!index || index->axis != loops[dim]->axis || !equal(loops[dim]->extent, tensor->shape[dim]))
      return false;
  }
  return true;
}

const For* last_block_loop(const Stmt& nest) {
  for (const For* loop : loops_of(nest))
    if (waits_for_last(*loop)) return loop;
  return nullptr;
}

/// Whether `init` sets all that the iterations of a loop in `nest` combine to the identity, and
/// does nothing else.
bool sets_up(const Stmt& init, const Stmt& nest, const For& loop) {
  const Accesses updates = shared_updates(*find_site(nest, &loop));
  if (updates.empty()) return false;
  const MemoryAccess& first = updates.front();
  return llvm::all_of(updates, [&](const auto& other) { return other.tensor == first.tensor; }) &&
         sets_all(init, first.tensor, identity_of(*llvm::cast<Store>(first.statement)));
}

}  // namespace

bool sets_up_last_block(const Stmt& init, const Stmt& nest) {
  const For* loop = last_block_loop(nest);
  return loop && sets_up(init, nest, *loop);
}

bool sets_up_only_block(const Stmt& init, const Stmt& nest) {
  const auto* loop = llvm::dyn_cast<For>(nest);
  return loop && llvm::isa<Store>(init) && loop->binding.kind == Binding::Kind::thread &&
         loop->binding.combine && sets_up(init, nest, *loop);
}

LastBlock::LastBlock(KernelFunction& kernel, const For& loop, llvm::ArrayRef<const For*> around,
                     const MemoryAccess& update, Names& names, bool is_absorbed)
    : kernel_(kernel),
      loop_(loop),
      update_(update),
      names_(names),
      is_absorbed_(is_absorbed),
      around_(around.begin(), around.end()) {
  Stmt inside = loop.body;
  while (const auto* block = llvm::dyn_cast<For>(inside)) {
    if (!is_block_loop(*block)) break;
    grid_.push_back(block);
    inside = block->body;
  }
  inside_ = inside;
  path_ = find_site(inside_, update.statement.get())->enclosing_loops();

  const TensorNode& result = *update.tensor;
  llvm::SmallVector<Expr, 4> shape = {loop.extent}, groups;
  shape.append(result.shape.begin(), result.shape.end());
  for (const auto& loops : {around_, grid_})
    for (const For* block : loops) groups.push_back(block->extent);
  parts_ = make_tensor(names.fresh(result.name + ".parts"), result.type, shape);
  arrivals_ = make_tensor(names.fresh(result.name + ".arrivals"), i32, groups);
  flag_ = make_tensor(names.fresh(result.name + ".is_last"), boolean, {}, Scope::shared);
  kernel.arguments.push_back(parts_);
  kernel.arguments.push_back(arrivals_);
}

llvm::SmallVector<Expr, 4> LastBlock::place(const Expr& block, llvm::ArrayRef<Expr> indices) const {
  llvm::SmallVector<Expr, 4> result = {block};
  result.append(indices.begin(), indices.end());
  return result;
}

/// There is a block to set the result where there is nothing to combine.
Expr LastBlock::blocks() const {
  return is_absorbed_ && !as_int(loop_.extent) ? max(loop_.extent, 1) : loop_.extent;
}

void LastBlock::refuse(const StmtNode* culprit) const {
  throw ScheduleError(
      "compile",
      fmt::format("a block of {} updates {} more than once, and combine(last_block) "
                  "is for one result per block",
                  loop_.axis->name, update_.text()),
      "bind the reduction axes inside to threads, or cache the result in registers")
      .mark(as_function(kernel_), culprit);
}

/// The block's own result goes to its place among the parts.
Stmt LastBlock::as_part(const Stmt& contribution) const {
  const auto updates = updates_of(contribution, update_.tensor);
  if (updates.size() != 1) refuse(&loop_);
  for (const For* loop : find_site(contribution, updates.front())->enclosing_loops())
    if (loop->is_reduction() && loop->binding.kind != Binding::Kind::thread) refuse(&loop_);
  const Store& store = *updates.front();
  return replace(contribution, &store,
                 Store::make(parts_, place(AxisRef::make(loop_.axis), store.indices), Update::set,
                             store.value));
}

/// The result is all that the blocks have.
Stmt LastBlock::as_result(const Stmt& finish) const {
  if (!is_absorbed_) return finish;
  const Store& store = *updates_of(finish, update_.tensor).back();
  return replace(finish, &store,
                 Store::make(store.tensor, store.indices, Update::set, store.value));
}

/// The threads that combined within a block share the parts between them, or the first warp of them
/// does.
Stmt LastBlock::sum_over_blocks(const For* combining) {
  const bool by_one_warp = loop_.binding.combine.last_warp;
  const Expr threads = by_one_warp ? Expr(lanes_of(*combining)) : combining->extent;
  const Binding binding =
      by_one_warp ? Binding{Binding::Kind::thread, 0, 0, {Combine::shuffle}} : combining->binding;
  const AxisPtr turn = make_axis(names_.fresh("turn"), AxisKind::reduction);
  const AxisPtr thread = make_axis(names_.fresh("t"), AxisKind::reduction);
  const Expr block = AxisRef::make(turn) * threads + AxisRef::make(thread);
  const Stmt update = store().with(update_.tensor, update_.indices,
                                   Load::make(parts_, place(block, update_.indices)));
  // Several parts are on their way before the first is added.
  const Binding unrolled = {Binding::Kind::unroll, 0, 4};
  const Stmt turns = For::make(turn, (loop_.extent + (threads - 1)) / threads, unrolled,
                               If::make(block < loop_.extent, update));
  return For::make(thread, threads, binding, turns);
}

/// How many threads of the loop are in the first warp.
int64_t LastBlock::lanes_of(const For& combining) const {
  if (combining.binding.dim == 0) return std::min(*as_int(combining.extent), warp_size);
  throw ScheduleError(
      "compile",
      fmt::format("combine({}) leaves the results of blocks to one warp, and within a block "
                  "{} combines over {}",
                  to_string(loop_.binding.combine), combining.axis->name,
                  to_string(combining.binding)),
      "bind it to thread.x, or leave out last_warp")
      .mark(as_function(kernel_), &combining);
}

Stmt LastBlock::sum_by_one_thread() {
  const AxisPtr block = make_axis(names_.fresh("part"), AxisKind::reduction);
  const TensorPtr sum = make_tensor(names_.fresh(update_.tensor->name + ".sum"),
                                    update_.tensor->type, {}, Scope::registers);
  const Stmt add =
      store().with(sum, {}, Load::make(parts_, place(AxisRef::make(block), update_.indices)));
  return Alloc::make(
      sum, Seq::make({Store::make(sum, {}, Update::set, identity_of(store())),
                      For::make(block, loop_.extent, {}, add),
                      store().with(update_.tensor, update_.indices, Load::make(sum, {}))}));
}

/// The loop once more, with another axis, around `body`.
Stmt LastBlock::again(const For& loop, const Stmt& body) {
  const AxisNode& axis = *loop.axis;
  const AxisPtr own = make_axis(names_.fresh(axis.name + ".last"), axis.kind, axis.roots);
  return For::make(own, loop.extent, loop.binding, substitute(body, &axis, AxisRef::make(own)));
}

Stmt LastBlock::finish() {
  const auto* combining = llvm::find_if(
      path_, [](const For* loop) { return static_cast<bool>(loop->binding.combine); });
  Stmt stmt = combining == path_.end() ? sum_by_one_thread() : sum_over_blocks(*combining);
  for (const Expr& guard : llvm::reverse(update_.guards)) {
    const bool is_about_element =
        llvm::none_of(path_,
                      [&](const For* loop) {
                        return loop->is_reduction() && mentions(guard, loop->axis.get());
                      }) &&
        !mentions(guard, loop_.axis.get()) && !reads_tensor(guard);
    if (is_about_element) stmt = If::make(guard, stmt);
  }
  for (const For* loop : llvm::reverse(path_))
    if (!loop->is_reduction()) stmt = again(*loop, stmt);
  return stmt;
}

Stmt LastBlock::assemble(const Stmt& contribution, const Stmt& finish) const {
  const Expr axis = AxisRef::make(loop_.axis);
  Stmt part = as_part(contribution);
  if (!is_int(blocks(), 0) && !equal(blocks(), loop_.extent))
    part = If::make(axis < loop_.extent, part);
  llvm::SmallVector<Expr, 4> group;
  for (const auto& loops : {around_, grid_})
    for (const For* block : loops) group.push_back(AxisRef::make(block->axis));
  Stmt body =
      Alloc::make(flag_, Seq::make({part, Arrive::make(flag_, arrivals_, group, blocks(), parts_),
                                    If::make(Load::make(flag_, {}), as_result(finish))}));
  for (const For* block : llvm::reverse(grid_)) body = block->with_body(body);
  return For::make(loop_.axis, blocks(), {loop_.binding.kind, loop_.binding.dim}, body);
}

}  // namespace hone
