#include "codegen/pass/last_block.h"

#include "ir/algebra/fold.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/reach.h"
#include "ir/analysis/shared_updates.h"
#include "ir/analysis/site.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/thread_nest.h"
#include "ir/threads/warps.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

bool is_block_loop(const For& loop) { return loop.binding.kind == Binding::Kind::block; }

/// Guards right around loops over blocks go inside: blocks that they leave idle arrive as well.
Stmt with_blocks_first(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_block_loop(*loop)) return loop->with_body(with_blocks_first(loop->body));
  const auto* guard = llvm::dyn_cast<If>(stmt);
  if (!guard) return stmt;
  return with_guard(guard->condition, with_blocks_first(guard->body), [](const Stmt& inner) {
    const auto* loop = llvm::dyn_cast<For>(inner);
    return loop && is_block_loop(*loop) ? GuardPlace::inside : GuardPlace::around;
  });
}

bool waits_for_last(const For& loop) { return loop.binding.combine.is_left_to_last(); }

/// The threads of a block combine, and do not leave it to atomic updates.
bool has_one_result(const For& loop) {
  return loop.binding.combine.is_exchange() && !loop.binding.combine.is_atomic();
}

/// The statements that update `tensor`, and how many of them.
llvm::SmallVector<const Store*, 2> updates_of(const Stmt& stmt, const TensorPtr& tensor) {
  llvm::SmallVector<const Store*, 2> updates;
  walk(stmt, [&](const Stmt& nested) {
    const auto* store = llvm::dyn_cast<Store>(nested);
    if (store && store->tensor == tensor) updates.push_back(store);
  });
  return updates;
}

/// True if `stmt` sets all elements of `tensor` to the constant.
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

/// The first of the updates as the nest makes it, less what the last block leaves out: conditions
/// on what is combined. In a dimension that is scattered it has any index.
MemoryAccess as_finished(const Accesses& updates, const Stmt& nest, const For& loop) {
  const MemoryAccess& update = updates.front();
  const Accesses accesses = collect_accesses(nest);
  const auto is_it = [&](const MemoryAccess& access) {
    return access.writes && access.statement.same_as(update.statement);
  };
  MemoryAccess whole =
      with_any_element(*llvm::find_if(accesses, is_it), scattered_dims(updates, loop));
  const auto is_about_sum = [&](const Expr& guard) {
    if (mentions(guard, loop.axis.get()) || reads_tensor(guard)) return true;
    return llvm::any_of(update.inner, [&](const auto& range) {
      const auto names_it = [&](const Expr& index) { return mentions(index, range.first.get()); };
      return mentions(guard, range.first.get()) && llvm::none_of(update.indices, names_it);
    });
  };
  // Those of the update itself come last.
  auto* own = whole.guards.end() - update.guards.size();
  whole.guards.erase(std::remove_if(own, whole.guards.end(), is_about_sum), whole.guards.end());
  return whole;
}

/// True if `init` sets all that the iterations of a loop in `nest` combine to the identity, and
/// does nothing else.
bool sets_up(const Stmt& init, const Stmt& nest, const For& loop) {
  const Accesses updates = shared_updates(*find_site(nest, &loop));
  if (updates.empty()) return false;
  const MemoryAccess& first = updates.front();
  return llvm::all_of(updates, [&](const auto& other) { return other.tensor == first.tensor; }) &&
         reaches_all(as_finished(updates, nest, loop), Facts()) &&
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
                     const Accesses& updates, Names& names, bool is_absorbed)
    : kernel_(kernel),
      loop_(loop),
      update_(updates.front()),
      names_(names),
      is_absorbed_(is_absorbed),
      body_(with_blocks_first(loop.body)),
      around_(around.begin(), around.end()) {
  inside_ = body_;
  while (const auto* block = llvm::dyn_cast<For>(inside_)) {
    if (!is_block_loop(*block)) break;
    grid_.push_back(block);
    inside_ = block->body;
  }
  path_ = find_site(inside_, update_.statement.get())->enclosing_loops();
  choose_element(scattered_dims(updates, loop));

  const TensorNode& result = *update_.tensor;
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

void LastBlock::choose_element(llvm::ArrayRef<bool> scattered) {
  for (size_t dim = 0; dim < scattered.size(); ++dim) {
    if (scattered[dim])
      any_.push_back({make_axis(names_.fresh(update_.tensor->name + ".any"), AxisKind::spatial),
                      update_.tensor->shape[dim]});
    element_.push_back(scattered[dim] ? AxisRef::make(any_.back().first) : update_.indices[dim]);
  }
  for (const For* loop : path_) {
    const auto is_index = [&](const Expr& index) { return mentions(index, loop->axis.get()); };
    if (!loop->is_reduction() && llvm::any_of(element_, is_index)) over_elements_.push_back(loop);
  }
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

// ---- The block's own result ---------------------------------------------------------------------

/// True if each element gets one value in every block: no loop, no guard and no other thread makes
/// it several, or none.
bool LastBlock::is_one_result(const Stmt& contribution) const {
  const Accesses accesses = collect_accesses(contribution);
  const auto is_update = [&](const MemoryAccess& a) { return a.writes && a.tensor == parts_; };
  const MemoryAccess& update = *llvm::find_if(accesses, is_update);
  const auto& store = *llvm::cast<Store>(update.statement);
  if (llvm::count_if(accesses, is_update) != 1 || store.is_atomic || !any_.empty()) return false;
  for (const For* loop : find_site(contribution, &store)->enclosing_loops())
    if (loop->is_reduction() && loop->binding.kind != Binding::Kind::thread) return false;
  return llvm::none_of(update.guards, [&](const Expr& guard) {
    return reads_tensor(guard) || mentions(guard, loop_.axis.get());
  });
}

/// The block's own results go to their places among the parts.
Stmt LastBlock::as_parts(const Stmt& contribution) {
  const Expr block = AxisRef::make(loop_.axis);
  const auto in_parts = [&](const Store& store, Update update) {
    return Store::make(parts_, place(block, store.indices), update, store.value,
                       update == Update::set ? nullptr : store.op, store.is_atomic);
  };
  const auto redirected = [&](bool is_one) {
    return transform_stmts(contribution, [&](const Stmt& stmt) -> Stmt {
      const auto* store = llvm::dyn_cast<Store>(stmt);
      if (!store || store->tensor != update_.tensor) return {};
      return in_parts(*store, is_one ? Update::set : store->update);
    });
  };
  if (is_one_result(redirected(false))) return redirected(true);
  const Stmt nothing =
      Store::make(parts_, place(block, element_), Update::set, identity_of(store()));
  return Seq::make({for_each_element(".first", nothing), redirected(false)});
}

// ---- The sum over all blocks --------------------------------------------------------------------

/// The result is all that the blocks have.
Stmt LastBlock::as_result(const Stmt& finish) const {
  if (!is_absorbed_) return finish;
  const Store& store = *updates_of(finish, update_.tensor).back();
  return replace(finish, &store,
                 Store::make(store.tensor, store.indices, Update::set, store.value));
}

/// The threads that combined within a block share the parts between them, or the first warp of them
/// does: loops over them, whose bodies are those of `combining`.
Stmt LastBlock::threads_of_sum(const For& combining) const {
  if (!loop_.binding.combine.ends_in_warp()) return Stmt(&combining);
  const Binding binding = {Binding::Kind::thread, 0, 0, {Combine::shuffle}};
  return For::make(combining.axis, lanes_of(combining), binding, combining.body);
}

Stmt LastBlock::sum_over_blocks(const For& combining) {
  const Stmt stmt = threads_of_sum(combining);
  const auto& loop = *llvm::cast<For>(stmt);
  const AxisPtr thread = make_axis(names_.fresh("t"), AxisKind::reduction);
  const Stmt sum = sum_of_thread(AxisRef::make(thread), loop.extent);
  return For::make(thread, loop.extent, loop.binding, sum);
}

/// Several parts are on their way before the first is added: a loop over as many, all of them at
/// once, has what does not exist as the identity.
Stmt LastBlock::sum_of_thread(const Expr& thread, const Expr& threads) {
  constexpr int64_t most_at_once = 8;
  const auto all = as_int(folded((loop_.extent + (threads - 1)) / threads));
  const int64_t at_once = std::clamp<int64_t>(all.value_or(most_at_once), 1, most_at_once);
  const AxisPtr turn = make_axis(names_.fresh("turn"), AxisKind::reduction);
  const AxisPtr part = make_axis(names_.fresh("part"), AxisKind::reduction);
  const Expr block = (AxisRef::make(turn) * at_once + AxisRef::make(part)) * threads + thread;
  const Expr value = Select::make(block < loop_.extent, Load::make(parts_, place(block, element_)),
                                  identity_of(store()));
  const Stmt parts = For::make(part, at_once, {Binding::Kind::unroll},
                               store().with(update_.tensor, element_, value));
  const Expr chunk = threads * at_once;
  return For::make(turn, (loop_.extent + (chunk - 1)) / chunk, {}, parts);
}

/// The number of threads of the loop that are in the first warp.
int64_t LastBlock::lanes_of(const For& combining) {
  assert(combining.binding.dim == 0);
  return std::min(*as_int(combining.extent), warp_size);
}

Stmt LastBlock::sum_by_one_thread() {
  const AxisPtr block = make_axis(names_.fresh("part"), AxisKind::reduction);
  const TensorPtr sum = make_tensor(names_.fresh(update_.tensor->name + ".sum"),
                                    update_.tensor->type, {}, Scope::registers);
  const Stmt add = store().with(sum, {}, Load::make(parts_, place(AxisRef::make(block), element_)));
  return Alloc::make(sum, Seq::make({Store::make(sum, {}, Update::set, identity_of(store())),
                                     For::make(block, loop_.extent, {}, add),
                                     store().with(update_.tensor, element_, Load::make(sum, {}))}));
}

/// True if `guard` decides which elements there are, not which values.
bool LastBlock::is_about_element(const Expr& guard) const {
  if (mentions(guard, loop_.axis.get()) || reads_tensor(guard)) return false;
  return llvm::none_of(path_, [&](const For* loop) {
    return !llvm::is_contained(over_elements_, loop) && mentions(guard, loop->axis.get());
  });
}

/// Those that the update has about its element; and where others, about what is combined, keep it
/// within the tensor, bounds.
llvm::SmallVector<Expr, 4> LastBlock::guards_of_elements() const {
  llvm::SmallVector<Expr, 4> guards;
  Facts facts = facts_of(kernel_.assumptions);
  for (const auto& loops : {around_, grid_, over_elements_})
    for (const For* loop : loops) facts.add_axis(loop->axis, loop->extent);
  for (const auto& [axis, extent] : any_) facts.add_axis(axis, extent);
  for (const Expr& guard : update_.guards)
    if (is_about_element(guard)) guards.push_back(guard);
  for (const Expr& guard : guards) facts.assume(guard);
  for (const auto& [index, extent] : llvm::zip(element_, update_.tensor->shape))
    for (const Expr& bound : {index < extent, index >= 0})
      if (!reads_tensor(index) && !proves(bound, facts)) guards.push_back(bound);
  return guards;
}

/// `stmt`, which is about the element, for all elements: under copies of the loops of the path, and
/// loops over what is scattered.
Stmt LastBlock::for_each_element(llvm::StringRef suffix, const Stmt& stmt) {
  Stmt result = guarded(guards_of_elements(), stmt);
  const auto wrap = [&](const AxisNode& axis, const Expr& extent, const Binding& binding) {
    const AxisPtr own = make_axis(names_.fresh(axis.name + suffix.str()), axis.kind, axis.roots);
    result = For::make(own, extent, binding, substitute(result, &axis, AxisRef::make(own)));
  };
  for (const auto& [axis, extent] : llvm::reverse(any_)) wrap(*axis, extent, {});
  for (const For* loop : llvm::reverse(over_elements_)) {
    const bool is_vector = loop->binding.kind == Binding::Kind::vectorize;
    wrap(*loop->axis, loop->extent, is_vector ? Binding() : loop->binding);
  }
  return result;
}

/// True if the threads of the loop can combine what the blocks have: where an element is any, its
/// lanes may lack those of the rows beside them.
bool LastBlock::can_sum(const For& combining) const {
  llvm::SmallVector<const For*, 4> threads;
  llvm::copy_if(over_elements_, std::back_inserter(threads),
                [](const For* loop) { return is_thread_loop(*loop); });
  if (!has_one_result(combining)) return false;
  const Stmt sum = threads_of_sum(combining);
  return problem_of_warps(*llvm::cast<For>(sum), block_of(kernel_.body), threads).empty();
}

Stmt LastBlock::finish() {
  const auto* combining = llvm::find_if(path_, [&](const For* loop) { return can_sum(*loop); });
  return for_each_element(
      ".last", combining == path_.end() ? sum_by_one_thread() : sum_over_blocks(**combining));
}

Stmt LastBlock::assemble(const Stmt& contribution, const Stmt& finish) {
  const Expr axis = AxisRef::make(loop_.axis);
  Stmt parts = as_parts(contribution);
  if (!is_int(blocks(), 0) && !equal(blocks(), loop_.extent))
    parts = If::make(axis < loop_.extent, parts);
  llvm::SmallVector<Expr, 4> group;
  for (const auto& loops : {around_, grid_})
    for (const For* block : loops) group.push_back(AxisRef::make(block->axis));
  Stmt body = Alloc::make(
      flag_,
      Seq::make({parts, Instr::make(op::arrive, {{flag_}, {arrivals_, group}, {parts_}}, blocks()),
                 If::make(Load::make(flag_, {}), as_result(finish))}));
  for (const For* block : llvm::reverse(grid_)) body = block->with_body(body);
  return For::make(loop_.axis, blocks(), {loop_.binding.kind, loop_.binding.dim}, body);
}

}  // namespace hone
