#include "ir/memory/shared_accesses.h"

#include "ir/memory/storage_map.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/evaluation.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/SaveAndRestore.h"

namespace hone {
namespace {

using Indices = llvm::SmallVector<ThreadValues, 4>;

bool is_shared(const TensorPtr& tensor) { return tensor->scope == Scope::shared; }

bool reads_shared(const Expr& expr) {
  return any_of(expr, [](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    return load && is_shared(load->tensor);
  });
}

class ThreadWalk {
 public:
  ThreadWalk(const BlockOfThreads& block, llvm::function_ref<void(const SharedAccess&)> use,
             int64_t most)
      : block_(block), use_(use), left_(most), arithmetic_(block), active_(block.threads(), 1) {}

  AccessWalk result() const {
    if (left_ < 0) return AccessWalk::cut_off;
    return is_known_ ? AccessWalk::whole : AccessWalk::with_unknown_indices;
  }

  void run(const Stmt& stmt) {
    if (left_ < 0 || !touches_shared(stmt)) return;
    visit(
        stmt, [&](const For& loop) { run(loop); },
        [&](const Seq& seq) {
          for (const Stmt& part : seq.stmts) run(part);
        },
        [&](const If& branch) {
          of_statement(stmt, branch.condition);
          where(branch.condition, [&] { run(branch.body); });
        },
        [&](const Let& let) {
          of_statement(stmt, let.value);
          arithmetic_.set(let.axis, arithmetic_.value(let.value));
          run(let.body);
        },
        [&](const Store& store) { run(stmt, store); }, [&](const Alloc& alloc) { run(alloc.body); },
        [&](const Copy& copy) { run(stmt, copy); }, [&](const Instr& instr) { run(stmt, instr); });
  }

 private:
  /// A statement in a loop is asked each time.
  bool touches_shared(const Stmt& stmt) {
    const auto [known, is_new] = touching_.try_emplace(stmt.get(), false);
    if (!is_new) return known->second;
    bool touches = false;
    for_each_operand(
        stmt, [&](const Expr& expr) { touches = touches || reads_shared(expr); },
        [&](const Stmt& nested) { touches |= touches_shared(nested); });
    if (const auto* store = llvm::dyn_cast<Store>(stmt)) touches |= is_shared(store->tensor);
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      touches |= is_shared(copy->destination.tensor) || is_shared(copy->source.tensor);
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt))
      touches |= has_spreads(*instr) ? llvm::any_of(instr->operands(), is_in_shared)
                                     : llvm::any_of(instr->operands(), is_written_by_threads);
    return touching_[stmt.get()] = touches;
  }

  /// Lanes issue it together.
  static bool has_spreads(const Instr& instr) { return !instr.opcode.rules.spreads.empty(); }
  static bool is_in_shared(const Operand& operand) { return is_shared(operand.tensor); }

  /// The copy engine is no thread.
  static bool is_written_by_threads(const Operand& operand) {
    return is_of_thread(operand.timeline) && operand.use == Use::writes &&
           is_shared(operand.tensor);
  }

  // ---- Loops and conditions ---------------------------------------------------------------------

  void run(const For& loop) {
    const ThreadValues extent = arithmetic_.value(loop.extent);
    if (loop.binding.kind == Binding::Kind::block) {
      arithmetic_.set(loop.axis, block_.place[loop.binding.dim]);
      return run(loop.body);
    }
    if (loop.binding.is_cluster()) {
      arithmetic_.set(loop.axis, 0);
      return run(loop.body);
    }
    if (is_thread_loop(loop)) return run_threads(loop);
    const int64_t count = extent.is_known() ? extent.of(0) : 1;
    if (loop.binding.kind == Binding::Kind::vectorize) {
      const llvm::SaveAndRestore<const For*> vector(vector_, &loop);
      arithmetic_.set(loop.axis, 0);
      return run(loop.body);
    }
    for (int64_t n = 0; n < count && left_ >= 0; ++n) {
      arithmetic_.set(loop.axis, n);
      run(loop.body);
    }
  }

  void run_threads(const For& loop) {
    const ThreadDigit& digit = loop.binding.digit;
    std::vector<int64_t> values(block_.threads());
    for (size_t thread = 0; thread < values.size(); ++thread) {
      const int64_t index = arithmetic_.index(loop.binding.dim).of(thread);
      values[thread] = digit.is_whole() ? index : index / digit.stride % digit.count;
    }
    arithmetic_.set(loop.axis, std::move(values));
    where(AxisRef::make(loop.axis) < loop.extent, [&] { run(loop.body); });
  }

  void where(const Expr& condition, llvm::function_ref<void()> body) {
    const std::vector<uint8_t> before = active_;
    bool any = true;
    for_each_conjunct(condition, [&](const Expr& part) {
      const ThreadValues holds = arithmetic_.value(part);
      if (!holds.is_known()) return;
      any = false;
      for (size_t thread = 0; thread < active_.size(); ++thread) {
        active_[thread] &= static_cast<uint8_t>(holds.of(thread) != 0);
        any |= active_[thread] != 0;
      }
    });
    if (any) body();
    active_ = before;
  }

  // ---- Accesses ---------------------------------------------------------------------------------

  void run(const Stmt& stmt, const Store& store) {
    seen_.clear();
    const bool reads_itself = store.update != Update::set && !store.is_atomic;
    for (const Expr& index : store.indices) read(stmt, index);
    read(stmt, store.value);
    if (!is_shared(store.tensor) || store.is_atomic) return;
    if (reads_itself) read(stmt, Load::make(store.tensor, store.indices));
    access(stmt, store.tensor, store.indices, true);
  }

  void run(const Stmt& stmt, const Copy& copy) {
    seen_.clear();
    for (const Region* side : {&copy.source, &copy.destination}) {
      if (!is_shared(side->tensor)) continue;
      Indices first;
      for (const Range& range : side->ranges) first.push_back(arithmetic_.value(range.offset));
      give(stmt, side->tensor, first, side == &copy.destination, std::max<int64_t>(copy.vector, 1));
    }
  }

  void run(const Stmt& stmt, const Instr& instr) {
    seen_.clear();
    if (has_spreads(instr)) return run_lanes(stmt, instr);
    for (const Operand& operand : instr.operands()) {
      if (!is_written_by_threads(operand)) continue;
      if (operand.timeline == Timeline::async_thread)
        give(stmt, operand.tensor, values_of(operand.indices), true, operand.count);
      else
        tell(stmt, operand);
    }
  }

  /// The lanes that have elements of their own say where these are.
  void run_lanes(const Stmt& stmt, const Instr& instr) {
    const auto operands = instr.operands();
    const std::vector<uint8_t> before = active_;
    for (size_t n = 0; n < operands.size(); ++n) {
      const Operand& operand = operands[n];
      // No lane asks for what the tensor core reads.
      if (!is_in_shared(operand) || operand.timeline == Timeline::tensor_core) continue;
      const uint32_t own = instr.opcode.rules.spreads[n].own_lanes();
      for (size_t thread = 0; thread < active_.size(); ++thread)
        active_[thread] &= static_cast<uint8_t>(own >> thread % warp_size & 1);
      const Indices places = values_of(operand.indices);
      if (operand.reads()) give(stmt, operand.tensor, places, false, operand.count);
      if (operand.writes()) give(stmt, operand.tensor, places, true, operand.count);
      active_ = before;
    }
  }

  /// Thread 0 tells the others.
  void tell(const Stmt& stmt, const Operand& flag) {
    std::vector<uint8_t> first(active_.size(), 0);
    first.front() = 1;
    std::swap(active_, first);
    access(stmt, flag.tensor, flag.indices, true);
    std::swap(active_, first);
  }

  void of_statement(const Stmt& stmt, const Expr& expr) {
    seen_.clear();
    read(stmt, expr);
  }

  /// Lanes read what they need.
  void read(const Stmt& stmt, const Expr& expr) {
    if (!reads_shared(expr)) return;
    walk_evaluated(
        expr, [&](const Expr& part) { read_element(stmt, part); },
        [&](const Expr& condition, llvm::function_ref<void()> rest) {
          where(condition, [&] { read_apart(rest); });
        });
  }

  void read_element(const Stmt& stmt, const Expr& expr) {
    const auto* load = llvm::dyn_cast<Load>(expr);
    if (!load || !is_shared(load->tensor)) return;
    const auto is_this = [&](const Expr& earlier) { return equal(earlier, expr); };
    if (llvm::isa<Store>(stmt) && llvm::any_of(seen_, is_this)) return;
    seen_.push_back(expr);
    access(stmt, load->tensor, load->indices, false);
  }

  /// Some lanes read something here that the others read elsewhere.
  void read_apart(llvm::function_ref<void()> rest) {
    llvm::SmallVector<Expr, 4> outside;
    std::swap(outside, seen_);
    rest();
    std::swap(outside, seen_);
  }

  void access(const Stmt& stmt, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices,
              bool writes) {
    if (!vector_) return give(stmt, tensor, values_of(indices), writes, 1);
    const int64_t lanes = *as_int(vector_->extent);
    llvm::SmallVector<Indices, 8> places;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      arithmetic_.set(vector_->axis, lane);
      places.push_back(values_of(indices));
    }
    arithmetic_.set(vector_->axis, 0);
    if (lie_side_by_side(*tensor, places)) return give(stmt, tensor, places[0], writes, lanes);
    for (const Indices& place : places) give(stmt, tensor, place, writes, 1);
  }

  Indices values_of(llvm::ArrayRef<Expr> indices) const {
    Indices values;
    for (const Expr& index : indices) values.push_back(arithmetic_.value(index));
    return values;
  }

  /// True where the elements of each thread are one aligned vector in the storage.
  bool lie_side_by_side(const TensorNode& tensor, llvm::ArrayRef<Indices> places) const {
    if (!llvm::all_of(places, known)) return false;
    const StorageMap map(tensor);
    const auto lanes = static_cast<int64_t>(places.size());
    for (size_t thread = 0; thread < active_.size(); ++thread) {
      if (!active_[thread]) continue;
      const int64_t first = map.offset(places[0], thread);
      if (first % lanes != 0) return false;
      for (int64_t lane = 1; lane < lanes; ++lane)
        if (map.offset(places[lane], thread) != first + lane) return false;
    }
    return true;
  }

  static bool known(llvm::ArrayRef<ThreadValues> indices) {
    return llvm::all_of(indices, [](const ThreadValues& index) { return index.is_known(); });
  }

  void give(const Stmt& stmt, const TensorPtr& tensor, const Indices& indices, bool writes,
            int64_t elements) {
    is_known_ &= known(indices);
    if (--left_ >= 0 && known(indices)) use_({stmt, tensor, writes, elements, indices, &active_});
  }

  const BlockOfThreads& block_;
  llvm::function_ref<void(const SharedAccess&)> use_;
  int64_t left_;
  ThreadArithmetic arithmetic_;
  std::vector<uint8_t> active_;
  const For* vector_ = nullptr;
  llvm::SmallVector<Expr, 4> seen_;  ///< reads of the statement
  llvm::DenseMap<const StmtNode*, bool> touching_;
  bool is_known_ = true;
};

}  // namespace

AccessWalk for_each_shared_access(const Stmt& stmt, const BlockOfThreads& block,
                                  llvm::function_ref<void(const SharedAccess&)> use, int64_t most) {
  ThreadWalk walk(block, use, most);
  walk.run(stmt);
  return walk.result();
}

}  // namespace hone
