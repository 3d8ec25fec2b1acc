#include "codegen/cost/static_facts.h"

#include <bit>

#include "codegen/cost/passing_share.h"
#include "codegen/shared_memory.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/tensor_operations.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/evaluation.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

SizeFormula product(llvm::ArrayRef<Expr> extents) {
  SizeFormula all = 1;
  for (const Expr& extent : extents)
    if (extent.defined()) all *= SizeFormula::of(extent);
  return all;
}

/// Walks the program of one thread.
class FactCounter {
 public:
  explicit FactCounter(const KernelFunction& kernel) : kernel_(kernel) { count(kernel.body); }

  AccessCounts accesses;
  llvm::SmallVector<BarrierNest, 2> barriers;
  SizeFormula barriers_per_thread, shuffles_per_thread, tensor_operations_per_thread;
  llvm::SmallVector<std::string, 2> outputs;  ///< names of the global tensors that are written
  std::vector<StatementAccess> by_statement;

 private:
  void count(const Stmt& stmt);
  void count_parts(const Stmt& stmt);
  void count(const Expr& expr);
  void count_loop(const For& loop);
  void count_store(const Store& store);
  void count_copy(const Copy& copy);
  void count_instr(const Instr& instr);
  void count_operand(const Operand& operand, const SizeFormula& elements);
  void count_barrier();
  bool is_repeated(const Load& load);
  void load(const TensorPtr& tensor, const SizeFormula& elements);
  void store(const TensorPtr& tensor, const SizeFormula& elements);
  void atomic(const TensorPtr& tensor);
  void add(const TensorPtr& tensor, AccessKind kind, const SizeFormula& elements);
  void add_output(const TensorNode& tensor);
  void count_where(const Expr& condition, llvm::function_ref<void()> count_guarded);
  void keep_parts(const Expr& condition);
  SizeFormula times() const { return trips_ * share_; }
  bool is_decided_by_unrolling(const Expr& condition) const;
  SizeFormula unrolled_share() const;
  Expr resolved(const Expr& expr) const;

  const KernelFunction& kernel_;
  llvm::SmallVector<const For*, 6> loops_;  ///< around, outermost first
  SizeFormula trips_ = 1;                   ///< of all of them
  llvm::SmallVector<Expr, 4> conditions_;   ///< around, those that threads and loops decide
  SizeFormula share_ = 1;                   ///< of threads and trips that pass them
  llvm::SmallVector<Stmt, 6> lets_;         ///< around, outermost first
  const StmtNode* statement_ = nullptr;     ///< that is counted
  /// Of the store that is looked at, so far.
  std::optional<llvm::SmallVector<const Load*, 4>> loads_;
};

void FactCounter::count(const Stmt& stmt) {
  const StmtNode* outer = statement_;
  statement_ = stmt.get();
  count_parts(stmt);
  statement_ = outer;
}

/// Over thread indices, loops and params alone.
Expr FactCounter::resolved(const Expr& expr) const { return without_lets(expr, lets_); }

void FactCounter::count_parts(const Stmt& stmt) {
  visit(
      stmt, [&](const For& loop) { count_loop(loop); },
      [&](const Seq& seq) {
        for (const Stmt& part : seq.stmts) count(part);
      },
      [&](const If& guarded) {
        count(guarded.condition);
        count_where(guarded.condition, [&] { count(guarded.body); });
      },
      [&](const Let& let) {
        count(let.value);
        lets_.push_back(Stmt(&let));
        count(let.body);
        lets_.pop_back();
      },
      [&](const Store& store) {
        loads_.emplace();
        count_store(store);
        loads_.reset();
      },
      [&](const Alloc& alloc) { count(alloc.body); }, [&](const Copy& copy) { count_copy(copy); },
      [&](const Instr& instr) { count_instr(instr); });
}

/// `count_guarded` with the condition among those around.
void FactCounter::count_where(const Expr& condition, llvm::function_ref<void()> count_guarded) {
  const size_t outer_conditions = conditions_.size(), outer_loads = loads_ ? loads_->size() : 0;
  const SizeFormula outer_share = share_;
  keep_parts(condition);
  count_guarded();
  conditions_.truncate(outer_conditions);
  if (loads_) loads_->truncate(outer_loads);
  share_ = outer_share;
}

/// The parts of a conjunction that threads and loops decide together with those around.
void FactCounter::keep_parts(const Expr& condition) {
  const auto* both = llvm::dyn_cast<Binary>(condition);
  if (both && both->op == BinaryOp::logical_and) {
    keep_parts(both->lhs);
    keep_parts(both->rhs);
    return;
  }
  const auto* negation = llvm::dyn_cast<Unary>(condition);
  const auto* either = negation ? llvm::dyn_cast<Binary>(negation->operand) : nullptr;
  if (either && either->op == BinaryOp::logical_or) return keep_parts(!either->lhs && !either->rhs);
  conditions_.push_back(resolved(condition));
  if (const auto share = passing_share(kernel_, loops_, conditions_))
    share_ = *share;
  else
    conditions_.pop_back();
}

/// True if the condition is about loops that are unrolled in full, and about nothing else.
bool FactCounter::is_decided_by_unrolling(const Expr& condition) const {
  return !any_of(condition, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return llvm::isa<ThreadIndex, ParamRef, Load>(part);
    return llvm::none_of(loops_, [&](const For* loop) {
      return loop->axis == reference->axis && loop->binding.is_unrolled_in_full();
    });
  });
}

/// The part of the trips that pass the conditions which unrolling decides.
SizeFormula FactCounter::unrolled_share() const {
  llvm::SmallVector<Expr, 4> decided;
  for (const Expr& condition : conditions_)
    if (is_decided_by_unrolling(condition)) decided.push_back(condition);
  return decided.empty() ? 1 : passing_share(kernel_, loops_, decided).value_or(1);
}

void FactCounter::count(const Expr& expr) {
  walk_evaluated(
      expr,
      [&](const Expr& part) {
        if (const auto* from = llvm::dyn_cast<Load>(part); from && !is_repeated(*from))
          load(from->tensor, 1);
        if (llvm::isa<Shuffle>(part)) shuffles_per_thread += times();
      },
      [&](const Expr& condition, llvm::function_ref<void()> rest) {
        count_where(condition, rest);
      });
}

/// True if the current store has certainly read this element before.
bool FactCounter::is_repeated(const Load& load) {
  const auto is_same = [&](const Load* earlier) {
    return earlier->tensor == load.tensor && all_equal(earlier->indices, load.indices);
  };
  if (!loads_) return false;
  if (llvm::any_of(*loads_, is_same)) return true;
  loads_->push_back(&load);
  return false;
}

void FactCounter::count_loop(const For& loop) {
  const SizeFormula outer_trips = trips_;
  trips_ *= SizeFormula::of(resolved(loop.extent));
  loops_.push_back(&loop);
  count(loop.body);
  loops_.pop_back();
  trips_ = outer_trips;
}

void FactCounter::count_store(const Store& statement) {
  for (const Expr& index : statement.indices) count(index);
  count(statement.value);
  if (statement.tensor->scope == Scope::global) add_output(*statement.tensor);
  if (statement.is_atomic) return atomic(statement.tensor);
  if (statement.update != Update::set) load(statement.tensor, 1);
  store(statement.tensor, 1);
}

void FactCounter::count_copy(const Copy& copy) {
  for_each_operand(
      Stmt(&copy), [&](const Expr& operand) { count(operand); }, [](const Stmt&) {});
  const SizeFormula elements = product(copy.destination.extents());
  if (copy.destination.tensor->scope == Scope::global) add_output(*copy.destination.tensor);
  load(copy.source.tensor, elements);
  store(copy.destination.tensor, elements);
}

void FactCounter::count_instr(const Instr& instr) {
  const auto barrier = barrier_scope(Stmt(&instr));
  using Kind = BarrierScope::Kind;
  if (barrier && (barrier->kind == Kind::block || barrier->kind == Kind::cluster)) count_barrier();
  for_each_operand(
      Stmt(&instr), [&](const Expr& operand) { count(operand); }, [](const Stmt&) {});
  if (const auto operations = tensor_operations(Stmt(&instr)))
    tensor_operations_per_thread += times() * operations->per_lane;
  const auto& spreads = instr.opcode.rules.spreads;
  const auto operands = instr.operands();
  for (size_t n = 0; n < operands.size(); ++n) {
    if (operands[n].is_whole) continue;
    int64_t lanes = warp_size, threads = warp_size;  // that have so many elements, of these
    if (n < spreads.size() && spreads[n].is_tile())
      lanes = 1, threads = instr.opcode.rules.threads;
    else if (n < spreads.size())
      lanes = std::popcount(spreads[n].own_lanes());
    count_operand(operands[n], SizeFormula::fraction(operands[n].count * lanes, threads));
  }
}

/// `elements` are those of a thread.
void FactCounter::count_operand(const Operand& operand, const SizeFormula& elements) {
  if (operand.use == Use::counts) return atomic(operand.tensor);
  if (operand.writes() && operand.tensor->scope == Scope::global) add_output(*operand.tensor);
  if (operand.writes()) store(operand.tensor, elements);
  if (!operand.reads()) return;
  const auto load_all = [&] { load(operand.tensor, elements - (operand.is_in_value ? 1 : 0)); };
  if (operand.condition.defined())
    count_where(operand.condition, load_all);
  else
    load_all();
}

void FactCounter::count_barrier() {
  barriers_per_thread += times();
  const std::string loop = loops_.empty() ? "" : loops_.back()->axis->name;
  auto* nest = llvm::find_if(barriers, [&](const auto& known) { return known.loop == loop; });
  if (nest == barriers.end()) {
    barriers.push_back({loop, 0, trips_});
    nest = &barriers.back();
  }
  ++nest->barriers;
}

void FactCounter::load(const TensorPtr& tensor, const SizeFormula& elements) {
  if (tensor->scope == Scope::global) accesses.global_loads += times() * elements;
  if (tensor->scope == Scope::shared) accesses.shared_loads += times() * elements;
  add(tensor, AccessKind::load, elements);
}

void FactCounter::atomic(const TensorPtr& tensor) {
  if (tensor->scope == Scope::shared) accesses.shared_atomics += times();
  if (tensor->scope == Scope::global) accesses.global_atomics += times();
  add(tensor, AccessKind::atomic, 1);
}

void FactCounter::store(const TensorPtr& tensor, const SizeFormula& elements) {
  if (tensor->scope == Scope::shared) accesses.shared_stores += times() * elements;
  if (tensor->scope == Scope::global) accesses.global_stores += times() * elements;
  add(tensor, AccessKind::store, elements);
}

void FactCounter::add(const TensorPtr& tensor, AccessKind kind, const SizeFormula& elements) {
  if (tensor->scope == Scope::registers) return;
  const auto known = llvm::find_if(by_statement, [&](const StatementAccess& access) {
    return access.statement == statement_ && access.tensor->id == tensor->id && access.kind == kind;
  });
  if (known == by_statement.end()) {
    by_statement.push_back({statement_, tensor, kind, times() * elements,
                            trips_ * unrolled_share() * elements, trips_ * elements});
    return;
  }
  known->per_thread += times() * elements;
  known->at_most += trips_ * unrolled_share() * elements;
  known->unguarded += trips_ * elements;
}

void FactCounter::add_output(const TensorNode& tensor) {
  if (!llvm::is_contained(outputs, tensor.name)) outputs.push_back(tensor.name);
}

/// Elements of the arguments of these names.
SizeFormula elements_of(const KernelFunction& kernel, llvm::ArrayRef<std::string> names) {
  SizeFormula all;
  for (const TensorPtr& tensor : kernel.arguments)
    if (llvm::is_contained(names, tensor->name)) all += product(tensor->shape);
  return all;
}

/// The largest sum of register tiles that exist at one place.
int64_t peak_register_bytes(const Stmt& stmt) {
  int64_t peak = 0;
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { peak = std::max(peak, peak_register_bytes(nested)); });
  const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
  const bool is_tile = alloc && alloc->tensor->scope == Scope::registers;
  return is_tile ? peak + storage_bytes(*alloc->tensor) : peak;
}

AccessCounts scaled(const AccessCounts& counts, const SizeFormula& factor) {
  return {counts.global_loads * factor,   counts.global_stores * factor,
          counts.shared_loads * factor,   counts.shared_stores * factor,
          counts.global_atomics * factor, counts.shared_atomics * factor};
}

}  // namespace

StaticFacts static_facts(const KernelFunction& kernel) {
  const FactCounter counter(kernel);
  StaticFacts facts;
  facts.threads_per_block = product(kernel.block);
  facts.blocks = product(kernel.grid);
  facts.shared_bytes = shared_memory(kernel).bytes;
  facts.register_bytes = peak_register_bytes(kernel.body);
  facts.barriers = counter.barriers;
  facts.barriers_per_thread = counter.barriers_per_thread;
  facts.shuffles_per_thread = counter.shuffles_per_thread;
  facts.tensor_operations_per_thread = counter.tensor_operations_per_thread;
  facts.per_thread = counter.accesses;
  facts.accesses = counter.by_statement;

  const SizeFormula threads = facts.threads_per_block * facts.blocks;
  const SizeFormula results = elements_of(kernel, counter.outputs);
  if (threads.is_zero() || results.is_zero()) return facts;
  facts.results_per_thread = results / threads;
  facts.per_result = scaled(facts.per_thread, threads / results);
  facts.tensor_operations_per_result = facts.tensor_operations_per_thread * (threads / results);
  return facts;
}

}  // namespace hone
