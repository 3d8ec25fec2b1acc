#include "tools/draw/stretches.h"

#include "ir/opcodes/opcodes.h"
#include "ir/rewriter.h"
#include "ir/scalar.h"
#include "ir/visit.h"

namespace hone {
namespace {

bool is_copy(const Stmt& statement) {
  return is<op::copy_async>(statement) || is<op::copy_bulk>(statement);
}

/// Calls `use` with the tensor and the first index of each access of a statement to memory.
void for_each_first_index(const Stmt& statement,
                          llvm::function_ref<void(const TensorNode&, const Expr&, bool)> use) {
  const auto use_indices = [&](const TensorNode& tensor, llvm::ArrayRef<Expr> indices,
                               bool writes) {
    if (!indices.empty()) use(tensor, indices[0], writes);
  };
  if (const auto* store = llvm::dyn_cast<Store>(statement))
    use_indices(*store->tensor, store->indices, true);
  if (is_copy(statement)) {
    const ElementRef& tile = llvm::cast<Instr>(statement)->places[0];
    use_indices(*tile.tensor, tile.indices, true);
  }
  if (const auto* copy = llvm::dyn_cast<Copy>(statement))
    for (const Region* region : {&copy->source, &copy->destination})
      if (!region->ranges.empty())
        use(*region->tensor, region->ranges[0].offset, region == &copy->destination);
  for_each_operand(
      statement,
      [&](const Expr& operand) {
        walk(operand, [&](const Expr& expr) {
          if (const auto* load = llvm::dyn_cast<Load>(expr))
            use_indices(*load->tensor, load->indices, false);
        });
      },
      [](const Stmt&) {});
}

bool is_wait(const Stmt& statement) {
  return is_barrier(statement) || is<op::commit_group>(statement) ||
         is<op::wait_group>(statement) || is<op::init_mbarrier>(statement) ||
         is<op::arrive_mbarrier>(statement) || is<op::wait_mbarrier>(statement) ||
         is<op::expect_bytes>(statement);
}

/// AxisFlags of loops, and whether there are waits in these.
using AxisFlags = std::map<const AxisNode*, bool>;

AxisFlags loop_axes(const Stmt& body) {
  AxisFlags loops;
  walk(body, [&](const Stmt& statement) {
    if (const auto* loop = llvm::dyn_cast<For>(statement))
      loops[loop->axis.get()] = any_of(loop->body, is_wait);
  });
  return loops;
}

/// The index with the values of lets for their axes.
Expr without_lets(Expr index, llvm::ArrayRef<const Let*> lets) {
  for (const Let* let : llvm::reverse(lets)) index = substitute(index, let->axis.get(), let->value);
  return index;
}

std::vector<const Let*> lets_of(const Stmt& body) {
  std::vector<const Let*> lets;
  walk(body, [&](const Stmt& statement) {
    if (const auto* let = llvm::dyn_cast<Let>(statement)) lets.push_back(let);
  });
  return lets;
}

/// True of sums of loops' axes, multiplied by constants, and of choices of these: all threads have
/// the same value.
bool is_sum_of_loops(const Expr& index, const AxisFlags& loops) {
  if (as_int(index)) return true;
  if (const auto* choice = llvm::dyn_cast<Select>(index))
    return is_sum_of_loops(choice->if_true, loops) && is_sum_of_loops(choice->if_false, loops);
  if (const auto* axis = llvm::dyn_cast<AxisRef>(index)) return loops.count(axis->axis.get()) > 0;
  const auto* operation = llvm::dyn_cast<Binary>(index);
  if (!operation || !is_sum_of_loops(operation->lhs, loops)) return false;
  if (operation->op == BinaryOp::mul) return as_int(operation->rhs).has_value();
  return (operation->op == BinaryOp::add || operation->op == BinaryOp::sub) &&
         is_sum_of_loops(operation->rhs, loops);
}

/// The sum that goes round in `e % slots`; the index itself where it does not.
const Expr& turn_of(const Expr& index, int64_t slots) {
  const auto* remainder = llvm::dyn_cast<Binary>(index);
  const bool goes_round =
      remainder && remainder->op == BinaryOp::mod && as_int(remainder->rhs) == slots;
  return goes_round ? remainder->lhs : index;
}

/// True where a loop of the sum waits in each turn.
bool waits_in_turns(const Expr& sum, const AxisFlags& loops) {
  return any_of(sum, [&](const Expr& expr) {
    const auto* axis = llvm::dyn_cast<AxisRef>(expr);
    const auto found = axis ? loops.find(axis->axis.get()) : loops.end();
    return found != loops.end() && found->second;
  });
}

/// Accesses to a slot that follow each other are one.
void add(std::vector<RingSlot>& slots, const RingSlot& slot) {
  const auto last = std::find_if(slots.rbegin(), slots.rend(), [&](const RingSlot& other) {
    return other.tensor == slot.tensor;
  });
  if (last == slots.rend() || *last != slot) slots.push_back(slot);
}

}  // namespace

bool Stretch::has_copies() const {
  return llvm::any_of(copies, [](const std::vector<RingSlot>& group) { return !group.empty(); });
}

std::map<std::string, int64_t> rings_of(const KernelFunction& kernel) {
  const AxisFlags loops = loop_axes(kernel.body);
  const std::vector<const Let*> lets = lets_of(kernel.body);
  std::map<std::string, int64_t> rings;
  std::set<std::string> others;
  walk(kernel.body, [&](const Stmt& statement) {
    for_each_first_index(
        statement, [&](const TensorNode& tensor, const Expr& index, bool is_written) {
          const auto slots = as_int(tensor.shape[0]);
          if (tensor.scope != Scope::shared || !slots) return;
          const Expr& part = turn_of(index, *slots);
          const Expr turn = without_lets(part, lets);
          if (!is_sum_of_loops(turn, loops))
            others.insert(tensor.name);
          else if (!is_written && !part.same_as(index) && waits_in_turns(turn, loops))
            rings[tensor.name] = *slots;
        });
  });
  for (const std::string& name : others) rings.erase(name);
  return rings;
}

ThreadFollower::ThreadFollower(const KernelFunction& kernel, const Sizes& sizes,
                               const std::array<int64_t, 3>& block)
    : kernel_(kernel), sizes_(sizes), block_(block), rings_(rings_of(kernel)) {
  walk(kernel.body, [&](const Stmt& statement) {
    if (any_of(statement, is_wait)) with_waits_.insert(statement.get());
    if (const Instr* test = as(statement, op::test_mbarrier))
      tests_.insert(test->places[0].tensor.get());
    const bool has_tiles = any_of(statement, [&](const Stmt& inner) {
      bool is_ring = false;
      for_each_first_index(inner, [&](const TensorNode& tensor, const Expr&, bool) {
        is_ring |= rings_.count(tensor.name) > 0;
      });
      return is_ring;
    });
    if (has_tiles) with_tiles_.insert(statement.get());
  });
}

std::optional<std::vector<Stretch>> ThreadFollower::follow(const std::array<int64_t, 3>& thread,
                                                           bool has_tiles) {
  thread_ = thread;
  has_tiles_ = has_tiles;
  stretches_.assign(1, {});
  try {
    run(kernel_.body);
  } catch (const Enough&) {
    stretches_.pop_back();
  } catch (const Unknown&) {
    return std::nullopt;
  }
  return stretches_;
}

int64_t ThreadFollower::value_of(const Expr& expr) const {
  if (const auto constant = as_int(expr)) return *constant;
  if (const auto* axis = llvm::dyn_cast<AxisRef>(expr)) return axes_.at(axis->axis.get());
  if (const auto* param = llvm::dyn_cast<ParamRef>(expr)) return sizes_.at(param->param->name);
  if (const auto* index = llvm::dyn_cast<ThreadIndex>(expr))
    return (index->space == IndexSpace::block ? block_ : thread_)[index->dim];
  if (const auto* load = llvm::dyn_cast<Load>(expr); load && tests_.count(load->tensor.get()) > 0)
    return 0;
  if (const auto* unary = llvm::dyn_cast<Unary>(expr); unary && unary->op == UnaryOp::logical_not)
    return value_of(unary->operand) == 0 ? 1 : 0;
  if (const auto* choice = llvm::dyn_cast<Select>(expr))
    return value_of(value_of(choice->condition) != 0 ? choice->if_true : choice->if_false);
  const auto* operation = llvm::dyn_cast<Binary>(expr);
  if (!operation) throw Unknown();
  const int64_t lhs = value_of(operation->lhs);
  if (is_logical(operation->op) && (lhs != 0) == (operation->op == BinaryOp::logical_or))
    return lhs;
  const Scalar value = apply(operation->op, Scalar::of_int(operation->lhs.type(), lhs),
                             Scalar::of_int(operation->lhs.type(), value_of(operation->rhs)));
  return value.integer;
}

bool ThreadFollower::is_worth(const Stmt& statement) const {
  return with_waits_.count(statement.get()) > 0 ||
         (has_tiles_ && with_tiles_.count(statement.get()) > 0);
}

void ThreadFollower::run(const Stmt& statement) {
  if (!is_worth(statement)) return;
  if (const auto* sequence = llvm::dyn_cast<Seq>(statement)) {
    for (const Stmt& one : sequence->stmts) run(one);
  } else if (const auto* loop = llvm::dyn_cast<For>(statement)) {
    run_loop(*loop);
  } else if (const auto* branch = llvm::dyn_cast<If>(statement)) {
    if (value_of(branch->condition) != 0) run(branch->body);
  } else if (const auto* let = llvm::dyn_cast<Let>(statement)) {
    axes_[let->axis.get()] = value_of(let->value);
    run(let->body);
  } else if (const auto* alloc = llvm::dyn_cast<Alloc>(statement)) {
    run(alloc->body);
  } else {
    if (has_tiles_) add_accesses(statement);
    run_kernel_statement(statement);
  }
}

void ThreadFollower::run_loop(const For& loop) {
  const int64_t extent = value_of(loop.extent);
  for (int64_t turn = 0; turn < extent; ++turn) {
    axes_[loop.axis.get()] = turn;
    run(loop.body);
  }
}

/// Other statements neither wait nor arrive.
void ThreadFollower::run_kernel_statement(const Stmt& statement) {
  const auto* instr = llvm::dyn_cast<Instr>(statement);
  if (!instr) return;
  Stretch& stretch = stretches_.back();
  const auto slot = [&] { return slot_of(instr->places[0]); };
  if (is_copy(statement)) {
    if (has_tiles_ && rings_.count(instr->places[0].tensor->name) > 0)
      add(stretch.copies.back(), slot());
  } else if (is<op::expect_bytes>(statement)) {
    ++stretch.arrivals_after_copies[slot()];
  } else if (is<op::commit_group>(statement)) {
    stretch.copies.emplace_back();
  } else if (is<op::wait_group>(statement)) {
    wait_for({RingWait::Kind::group, {}, instr->constants[0]});
  } else if (const auto scope = barrier_scope(statement)) {
    if (scope->kind != BarrierScope::Kind::warp)
      wait_for({RingWait::Kind::barrier, {}, scope->threads, scope->id});
  } else if (is<op::init_mbarrier>(statement)) {
    stretch.inits[slot()] = instr->constants[0];
  } else if (is<op::arrive_mbarrier>(statement)) {
    auto& arrivals = instr->constants[0] ? stretch.arrivals_after_copies : stretch.arrivals;
    ++arrivals[slot()];
  } else if (is<op::wait_mbarrier>(statement)) {
    wait_for({RingWait::Kind::mbarrier, slot(), value_of(instr->values[0])});
  }
}

void ThreadFollower::wait_for(RingWait wait) {
  stretches_.emplace_back().wait = std::move(wait);
  if (stretches_.size() > most_stretches) throw Enough();
}

/// Reads, and stores by threads.
void ThreadFollower::add_accesses(const Stmt& statement) {
  for_each_first_index(statement,
                       [&](const TensorNode& tensor, const Expr& index, bool is_written) {
                         if (rings_.count(tensor.name) == 0 || is_copy(statement)) return;
                         Stretch& stretch = stretches_.back();
                         add(is_written ? stretch.stores : stretch.reads, slot_of(tensor, index));
                       });
}

RingSlot ThreadFollower::slot_of(const ElementRef& place) const {
  return slot_of(*place.tensor, place.indices[0]);
}

RingSlot ThreadFollower::slot_of(const TensorNode& tensor, const Expr& index) const {
  return {tensor.name, value_of(index)};
}

}  // namespace hone
