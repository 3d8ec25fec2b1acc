// reduce k in 0..n @roles(4) {             if (thread.x == 0)
//   copy T[k % 4, ...] <- A[...]             for s in 0..4
//     @async @by(producers)                    init_mbarrier k.full[s] of 128
//   body(T[k % 4, ...])                        init_mbarrier k.empty[s] of 256
// }                                        barrier
//                                          if (256 <= thread.x)
//                                 =>         for k in 0..n
//                                              wait_mbarrier k.empty[k % 4] parity (k / 4 + 1) % 2
//                                              copy_async T[k % 4, ...] <- A[...]
//                                              arrive_mbarrier k.full[k % 4] after_copies
//                                          if (thread.x < 256)
//                                            for k in 0..n
//                                              wait_mbarrier k.full[k % 4] parity k / 4 % 2
//                                              body(T[k % 4, ...])
//                                              arrive_mbarrier k.empty[k % 4]
//
// for i in 0..m                            for i.ahead in 0..m
//   reduce k in 0..n @roles(4)        =>     for k.ahead in 0..n
//     copy T[k % 4, ...] <- A[i, ...]          wait_mbarrier k.empty[(i.ahead*n + k.ahead) % 4] ...
//     body(T[k % 4, ...])                      copy_async T[(i.ahead*n + k.ahead) % 4, ...] <- ...
//
// A ring goes on where its last turn has ended: producers fill it for the next i while consumers
// are behind the loop of this one.
//
// Round k / 4 of a ring ends phase k / 4 of the mbarriers of its slots. A slot that has not been
// used is empty: a wait for the phase before the first one lets pass. Barriers of the consumers are
// theirs alone, as producers do not come to them. Producers come to those of a cluster.
//
//   copy T[k % 4, ...] <- A[...]          =>    if (thread.x == 256)
//     @bulk @by(producers)                        expect_bytes k.full[k % 4] of 8192
//                                                 copy_bulk T[k % 4, 0, 0] <- A[...] of 128 x 16
//                                                   full k.full[k % 4]
//
// One producer asks the copy engine, and arrives for the bytes that it asks for. Where an engine
// reads what threads of the producers have copied, they wait for their copies, and arrive behind a
// fence.

#include "codegen/pass/roles.h"

#include "codegen/pass/consumers.h"
#include "codegen/shared_memory.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"
#include "ir/memory/boxes.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The named barrier that stands for that of the block.
constexpr int64_t barrier_of_consumers = 1;

Binding threads_along_x() { return {.kind = Binding::Kind::thread}; }

/// The blocks that fill a ring of the loop together.
int64_t blocks_of(const For& loop) {
  int64_t blocks = 1;
  for (const Copy* copy : copies_of_producers(loop))
    blocks = std::max(blocks, copy->execution.blocks);
  return blocks;
}

/// They lie behind all that the kernel has in shared memory.
RingPhases mbarriers_of(const KernelFunction& kernel, const For& loop, Names& names) {
  RingPhases result;
  result.slots = slots_of(loop);
  const Site site = *find_site(kernel.body, &loop);
  result.before = iterations_before(site);
  result.blocks = blocks_of(loop);
  if (result.blocks > 1)
    result.block = AxisRef::make(loop_over_block_x(site)->axis) % result.blocks;
  const int64_t bytes = ring_phase_bytes(kernel.body) / 2;
  int64_t address = llvm::alignTo(shared_memory(kernel).bytes, size_of(i64));
  const auto make = [&](const char* suffix) {
    const std::string name = names.fresh(loop.axis->name + suffix);
    return make_tensor(name, i64, {result.slots}, Scope::shared, {}, address);
  };
  result.full = make(".full");
  address += bytes;
  result.empty = make(".empty");
  return result;
}

/// The copy as the engine makes it, box by box.
llvm::SmallVector<Stmt, 4> in_bulk(const Copy& whole, const RingPhases& mbarriers,
                                   const Expr& slot) {
  const int64_t blocks = whole.execution.blocks;
  const Stmt share = blocks == 1
                         ? Stmt(&whole)
                         : share_of(whole, *dim_to_share(whole, blocks), blocks, mbarriers.block);
  const auto& copy = *llvm::cast<Copy>(share);
  auto constants = box_constants(copy);
  if (blocks > 1) constants.insert(constants.begin(), blocks);
  llvm::SmallVector<Stmt, 4> moves;
  for (const BoxCorners& box : boxes_of(copy))
    moves.push_back(Instr::make(blocks > 1 ? op::multicast_bulk : op::copy_bulk,
                                {{copy.destination.tensor, box.tile},
                                 {copy.source.tensor, box.memory},
                                 {mbarriers.full, {slot}}},
                                {}, constants));
  return moves;
}

/// The requests of one thread, behind the number of bytes that come: also those that other blocks
/// ask for.
Stmt ask_engine(llvm::ArrayRef<const Copy*> copies, const RingPhases& mbarriers, const Expr& slot) {
  llvm::SmallVector<Stmt, 4> requests = {{}};
  int64_t bytes = 0;
  for (const Copy* copy : copies)
    for (const Stmt& move : in_bulk(*copy, mbarriers, slot)) {
      requests.push_back(move);
      bytes += box_move(move)->bytes() * copy->execution.blocks;
    }
  requests.front() = Instr::make(op::expect_bytes, {{mbarriers.full, {slot}}}, {}, bytes);
  return Seq::make(requests);
}

/// True where consumers hand to an engine what threads of the producers have copied: it sees that
/// behind a fence of theirs.
bool needs_fence(const For& loop) {
  const auto copies = copies_of_producers(loop);
  return llvm::any_of(collect_accesses(body_of_consumers(loop)), [&](const MemoryAccess& access) {
    return is_behind_fence(access.timeline) && llvm::any_of(copies, [&](const Copy* copy) {
             return !copy->moves_boxes() && copy->destination.tensor == access.tensor;
           });
  });
}

/// Counts each producer in when its copies are there: by itself, or behind a fence, for which it
/// waits.
Stmt arrive_behind_copies(const For& loop, const ElementRef& full) {
  if (!needs_fence(loop)) return Instr::make(op::arrive_mbarrier, {full}, {}, 1);
  return Seq::make({Instr::make(op::commit_group), Instr::make(op::wait_group, {}, {}, 0),
                    Instr::make(op::fence_engine),
                    Instr::make(op::arrive_mbarrier, {full}, {}, 0)});
}

/// Copies of the engine are asked for by the first of the producers. The others have no part in the
/// loop where all copies are.
Stmt produce(const For& loop, const AxisPtr& producer, const RingPhases& mbarriers) {
  const Expr current = AxisRef::make(loop.axis), slot = mbarriers.slot(current);
  const Expr is_first = AxisRef::make(producer) == 0;
  llvm::SmallVector<Stmt, 4> body = {Instr::make(op::wait_mbarrier, {{mbarriers.empty, {slot}}},
                                                 mbarriers.parity_before(current))};
  llvm::SmallVector<const Copy*, 2> bulk;
  for (const Copy* copy : copies_of_producers(loop))
    if (copy->moves_boxes()) bulk.push_back(copy);
  const bool is_alone = copies_are_all_boxes(loop);
  if (!bulk.empty()) {
    const Stmt requests = ask_engine(bulk, mbarriers, slot);
    body.push_back(is_alone ? requests : If::make(is_first, requests));
  }
  for (const Copy* copy : copies_of_producers(loop))
    if (!copy->moves_boxes())
      body.push_back(copy->with_execution(
          {CopyExecution::Kind::threads, {threads_along_x()}, copy->execution.engine}));
  if (!is_alone) body.push_back(arrive_behind_copies(loop, {mbarriers.full, {slot}}));
  const Stmt result = For::make(loop.axis, loop.extent, {}, Seq::make(body));
  return is_alone ? If::make(is_first, result) : result;
}

/// The loop with an axis of its own, as producers and consumers are in different turns.
Stmt turns_ahead(const For& loop, const Stmt& body, Names& names) {
  const AxisPtr ahead = make_axis(names.fresh(loop.axis->name + ".ahead"), loop.axis->kind);
  return For::make(ahead, loop.extent, loop.binding,
                   substitute(body, loop.axis.get(), AxisRef::make(ahead)));
}

/// All threads of a cluster come to its barriers: those of a statement that is the consumers'.
Stmt barriers_of_cluster(const Stmt& stmt) {
  if (!any_of(stmt, is<op::barrier_of_cluster>)) return Seq::make({});
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    llvm::SmallVector<Stmt, 4> barriers;
    for (const Stmt& part : seq->stmts) barriers.push_back(barriers_of_cluster(part));
    return Seq::make(barriers);
  }
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return barriers_of_cluster(alloc->body);
  if (const auto* branch = llvm::dyn_cast<If>(stmt))
    return If::make(branch->condition, barriers_of_cluster(branch->body));
  if (const auto* let = llvm::dyn_cast<Let>(stmt))
    return Let::make(let->axis, let->value, barriers_of_cluster(let->body));
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return stmt;
  const Stmt body = barriers_of_cluster(loop->body);
  return is_loop_in_block(*loop) ? body : loop->with_body(body);
}

/// The statements around the loop as producers come to them: `inside` is what they do of it.
Stmt around_producers(const Stmt& around, const Stmt& child, const Stmt& inside, Names& names) {
  if (const auto* seq = llvm::dyn_cast<Seq>(around)) {
    llvm::SmallVector<Stmt, 4> stmts;
    for (const Stmt& part : seq->stmts)
      stmts.push_back(part.same_as(child)
                          ? inside
                          : with_fresh_names(barriers_of_cluster(part), ".ahead", names));
    return Seq::make(stmts);
  }
  if (const auto* alloc = llvm::dyn_cast<Alloc>(around))
    return alloc->tensor->scope == Scope::shared ? Alloc::make(alloc->tensor, inside) : inside;
  if (const auto* branch = llvm::dyn_cast<If>(around)) return If::make(branch->condition, inside);
  const auto* loop = llvm::dyn_cast<For>(around);
  if (!loop || is_loop_in_block(*loop)) return inside;
  return loop->binding.is_parallel() ? loop->with_body(inside) : turns_ahead(*loop, inside, names);
}

/// The part of the loop that is the producers', in the statements around it.
Stmt nest_of_producers(const Stmt& nest, const For& loop, const RingPhases& mbarriers,
                       Names& names) {
  const AxisPtr producer = make_axis(names.fresh("producer"), AxisKind::spatial);
  Stmt result =
      For::make(producer, loop.binding.roles.producer_warps * warp_size, threads_along_x(),
                with_fresh_names(produce(loop, producer, mbarriers), ".ahead", names));
  const Site site = *find_site(nest, &loop);
  Stmt child = site.statement;
  for (const Stmt& around : llvm::reverse(site.around)) {
    result = around_producers(around, child, result, names);
    child = around;
  }
  return result;
}

Stmt nest_of_consumers(const Stmt& nest, const For& loop, const RingPhases& mbarriers,
                       Names& names) {
  return transform_stmts(nest, [&](const Stmt& stmt) {
    if (stmt.get() != &loop) return Stmt();
    return consume(loop, mbarriers, names);
  });
}

/// The body without its shared allocs, whose tensors go to `tensors`.
Stmt without_allocs(const Stmt& body, llvm::SmallVectorImpl<TensorPtr>& tensors) {
  return transform_stmts(body, [&](const Stmt& stmt) -> Stmt {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || alloc->tensor->scope != Scope::shared) return {};
    tensors.push_back(alloc->tensor);
    return without_allocs(alloc->body, tensors);
  });
}

/// True of the number of a block, and of a digit of it.
bool is_number_of_block(const Expr& value) {
  const auto* binary = llvm::dyn_cast<Binary>(value);
  const auto* index = llvm::dyn_cast<ThreadIndex>(binary ? binary->lhs : value);
  return index && index->space == IndexSpace::block && (!binary || as_int(binary->rhs));
}

/// The body without the lets over blocks, which go to `lets`: they are the same in all slices.
Stmt without_block_lets(const Stmt& body, llvm::SmallVectorImpl<const Let*>& lets) {
  return transform_stmts(body, [&](const Stmt& stmt) -> Stmt {
    const auto* let = llvm::dyn_cast<Let>(stmt);
    if (!let || !is_number_of_block(let->value)) return {};
    lets.push_back(let);
    return without_block_lets(let->body, lets);
  });
}

/// Barriers of the block become those of so many threads.
Stmt with_own_barriers(const Stmt& body, int64_t threads) {
  return transform_stmts(body, [&](const Stmt& stmt) -> Stmt {
    if (!is<op::barrier>(stmt)) return {};
    return make_barrier({BarrierScope::Kind::named, barrier_of_consumers, threads});
  });
}

/// The body with the threads of the slice from `first` on.
Stmt with_threads_from(const Stmt& body, int64_t first) {
  return transform_exprs(body, [&](const Expr& part) {
    const auto* index = llvm::dyn_cast<ThreadIndex>(part);
    const bool moves = index && index->space == IndexSpace::thread && index->dim == 0;
    return moves ? part - first : Expr();
  });
}

Stmt with_registers(const Stmt& body, int64_t registers, bool is_more) {
  if (registers == 0) return body;
  const Opcode& set = is_more ? op::take_registers : op::give_registers;
  return Seq::make({Instr::make(set, {}, {}, registers), body});
}

/// The arrivals that make a slot full: those of the producers behind their own copies, and that of
/// the one that asks the copy engine for the others.
int64_t arrivals_at_full(const Stmt& produce, int64_t producers) {
  int64_t arrivals = 0;
  walk(produce, [&](const Stmt& stmt) {
    if (is<op::expect_bytes>(stmt)) ++arrivals;
    if (is<op::arrive_mbarrier>(stmt)) arrivals += producers;
  });
  return arrivals;
}

/// The engine knows of the mbarriers behind a fence.
Stmt initialised_mbarriers(const RingPhases& mbarriers, int64_t consumers, int64_t arrivals,
                           bool has_engine, int64_t blocks, Names& names) {
  const AxisPtr slot = make_axis(names.fresh("slot"), AxisKind::spatial);
  const Expr at = AxisRef::make(slot), thread = ThreadIndex::make(IndexSpace::thread, 0);
  const Stmt init = Seq::make(
      {Instr::make(op::init_mbarrier, {{mbarriers.full, {at}}}, {}, arrivals),
       Instr::make(op::init_mbarrier, {{mbarriers.empty, {at}}}, {}, consumers * blocks)});
  llvm::SmallVector<Stmt, 2> begin = {For::make(slot, mbarriers.slots, {}, init)};
  if (has_engine) begin.push_back(Instr::make(op::fence_engine));
  const auto among = blocks > 1 ? BarrierScope::Kind::cluster : BarrierScope::Kind::block;
  return Seq::make({If::make(thread == 0, Seq::make(begin)), make_barrier({among})});
}

/// Blocks of a cluster end when all have done what they do in each other's memory.
Stmt before_end(const Stmt& body, int64_t blocks) {
  if (blocks == 1) return body;
  return Seq::make({body, make_barrier({BarrierScope::Kind::cluster})});
}

/// The nest, whose loop with roles goes on with the slot that its last turn has come to.
Stmt with_counted_slots(const Stmt& nest) {
  const For* loop = loop_with_roles(nest);
  assert(loop && "kernels without roles have no slices");
  const Site site = *find_site(nest, loop);
  if (loops_that_repeat(site).empty()) return nest;
  const Expr slot = (iterations_before(site) + AxisRef::make(loop->axis)) % slots_of(*loop);
  Stmt body = loop->body;
  for (const Copy* copy : copies_of_producers(*loop))
    body = redirect_to_slot(body, copy->destination.tensor, copy->destination.tensor, slot, 1);
  return transform_stmts(
      nest, [&](const Stmt& stmt) { return stmt.get() == loop ? loop->with_body(body) : Stmt(); });
}

}  // namespace

Stmt with_wait_first(const For& loop, const Stmt& wait, const Stmt& body) {
  const Stmt placed = loop.with_body(body);
  llvm::SmallVector<Stmt, 4> stmts;
  for (const Copy* copy : copies_of_producers(*llvm::cast<For>(placed)))
    stmts.push_back(Stmt(copy));
  stmts.append({wait, body_of_consumers(*llvm::cast<For>(placed))});
  return loop.with_body(Seq::make(stmts));
}

std::vector<RoleSlice> slices_by_role(const KernelFunction& function) {
  KernelFunction kernel = function;
  kernel.body = with_counted_slots(function.body);
  const For* loop = loop_with_roles(kernel.body);
  Names names(as_function(kernel));
  const RingPhases mbarriers = mbarriers_of(kernel, *loop, names);
  const auto slice = [&](const Stmt& body, int64_t registers) {
    RoleSlice result{kernel, registers, threads_of_release(*loop), mbarriers.blocks};
    result.kernel.body = Alloc::make(mbarriers.full, Alloc::make(mbarriers.empty, body));
    return result;
  };
  const WarpRoles& roles = loop->binding.roles;
  return {slice(nest_of_consumers(kernel.body, *loop, mbarriers, names), roles.consumer_registers),
          slice(nest_of_producers(kernel.body, *loop, mbarriers, names), roles.producer_registers)};
}

void join_roles(KernelFunction& kernel, const std::vector<RoleSlice>& slices) {
  const RoleSlice &consumer = slices[0], &producer = slices[1];
  const int64_t consumers = *as_int(consumer.kernel.block[0]);
  const int64_t producers = *as_int(producer.kernel.block[0]);
  kernel.grid = consumer.kernel.grid;
  kernel.block = {consumers + producers, 1, 1};
  kernel.cluster = std::max(consumer.kernel.cluster, consumer.blocks);
  llvm::SmallVector<TensorPtr, 6> tensors, same_tensors;
  llvm::SmallVector<const Let*, 3> lets, same_lets;
  const Stmt consumer_body = without_allocs(consumer.kernel.body, tensors);
  const Stmt producer_body = without_allocs(producer.kernel.body, same_tensors);
  const Stmt consume = without_block_lets(consumer_body, lets);
  const Stmt produce = with_threads_from(without_block_lets(producer_body, same_lets), consumers);
  Names names(as_function(consumer.kernel));
  const RingPhases mbarriers{tensors[0], tensors[1], *as_int(tensors[0]->shape.front())};
  const Expr thread = ThreadIndex::make(IndexSpace::thread, 0);
  kernel.body = Seq::make(
      {initialised_mbarriers(mbarriers, consumers / consumer.threads_of_release,
                             arrivals_at_full(produce, producers),
                             any_of(produce, is<op::expect_bytes>), consumer.blocks, names),
       If::make(Expr(consumers) <= thread,
                with_registers(before_end(produce, consumer.blocks), producer.registers, false)),
       If::make(thread < consumers,
                with_registers(before_end(with_own_barriers(consume, consumers), consumer.blocks),
                               consumer.registers, true))});
  for (const Let* let : llvm::reverse(lets))
    kernel.body = Let::make(let->axis, let->value, kernel.body);
  for (const TensorPtr& tensor : llvm::reverse(tensors))
    kernel.body = Alloc::make(tensor, kernel.body);
}

}  // namespace hone
