#include "tests/support/codegen/races.h"

#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"
#include "tests/support/codegen/touches.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace {

using Coordinates = std::array<int64_t, 3>;

/// Ends the walk; it does not leave this file.
struct Race {
  std::string message;
};

/// Thrown where a kernel has more statements to walk than `most_statements`.
struct TooLong {};
constexpr int64_t most_statements = 4'000'000;

/// A number, and how wide it is in C.
struct Number {
  int64_t value;
  int bits;
};

/// True if the condition reads elements, or compares numbers like them.
bool is_about_elements(const Expr& condition) {
  bool found = false;
  walk(condition, [&](const Expr& part) { found |= llvm::isa<Load, FloatConst>(part); });
  return found;
}

bool has_loads(const Expr& expr) {
  bool found = false;
  walk(expr, [&](const Expr& part) { found |= llvm::isa<Load>(part); });
  return found;
}

class Walker {
 public:
  Walker(const KernelFunction& kernel, const Sizes& sizes)
      : kernel_(kernel), sizes_(sizes), has_parts_(any_of(kernel.body, is_barrier_of_part)) {
    for (int dim = 0; dim < 3; ++dim) {
      grid_[dim] = hone::evaluate(kernel.grid[dim], sizes);
      block_[dim] = hone::evaluate(kernel.block[dim], sizes);
    }
  }

  void walk_all() {
    for_each(grid_, [&](const Coordinates& block) {
      block_index_ = block;
      BlockLog log(has_parts_);
      threads_ = &log;
      barriers_expected_.reset();
      for_each(block_, [&](const Coordinates& thread) { walk_thread(thread); });
    });
  }

 private:
  template <class Use>
  static void for_each(const Coordinates& extents, Use&& use) {
    for (int64_t z = 0; z < extents[2]; ++z)
      for (int64_t y = 0; y < extents[1]; ++y)
        for (int64_t x = 0; x < extents[0]; ++x) use(Coordinates{x, y, z});
  }

  /// An element that the thread copies until it waits.
  struct UnderWay {
    int64_t group, barriers;
    const TensorNode* tensor;
    int64_t element;
    Stmt stmt;
  };

  static int64_t flat(const Coordinates& index, const Coordinates& extents) {
    return (index[2] * extents[1] + index[1]) * extents[0] + index[0];
  }

  void walk_thread(const Coordinates& thread) {
    thread_index_ = thread;
    barriers_ = groups_ = 0;
    counts_.assign(1, {});
    walk(kernel_.body);
    finish(groups_ + 1);
    if (!barriers_expected_) barriers_expected_ = barriers_;
    if (*barriers_expected_ != barriers_)
      throw Race{fmt::format("thread 0 comes to {} barriers and thread {} to {}",
                             *barriers_expected_, flat(thread, block_), barriers_)};
  }

  void walk(const Stmt& stmt) {
    if (++statements_ > most_statements) throw TooLong();
    visit(
        stmt,
        [&](const For& loop) {
          const int64_t extent = value(loop.extent);
          for (int64_t n = 0; n < extent; ++n) {
            axes_[loop.axis.get()] = n;
            walk(loop.body);
          }
        },
        [&](const Seq& seq) {
          for (const Stmt& nested : seq.stmts) walk(nested);
        },
        [&](const If& branch) {
          walk_value(branch.condition, stmt);
          if (value(branch.condition) != 0) walk(branch.body);
        },
        [&](const Let& let) {
          axes_[let.axis.get()] = value(let.value);
          walk(let.body);
        },
        [&](const Store& store) { walk_store(stmt, store); },
        [&](const Alloc& alloc) { walk(alloc.body); },
        [&](const Copy& copy) { walk_copy(stmt, copy); },
        [&](const Instr& instr) { walk_instr(stmt, instr); });
  }

  /// Mbarriers order roles: not in this model.
  void walk_instr(const Stmt& stmt, const Instr& instr) {
    if (is_barrier(stmt))
      pass(stmt);
    else if (is<op::arrive>(stmt))
      touch(*instr.places[0].tensor, {}, Touch::write, stmt);
    else if (is<op::copy_async>(stmt))
      start(stmt, instr);
    else if (is<op::commit_group>(stmt))
      ++groups_;
    else if (is<op::wait_group>(stmt))
      finish(groups_ - instr.constants[0]);
    else if (!instr.opcode.rules.spreads.empty())
      walk_lanes(stmt, instr);
    else
      throw TooLong();
  }

  void pass(const Stmt& barrier) {
    counts_.push_back(counts_.back());
    count(barrier, counts_.back());
    ++barriers_;
  }

  /// Those of an instruction that have rows of shared memory of their own.
  void walk_lanes(const Stmt& stmt, const Instr& instr) {
    for (const auto& [operand, spread] : llvm::zip(instr.operands(), instr.opcode.rules.spreads)) {
      const bool is_own =
          spread.is_tile() || (spread.own_lanes() >> thread_index_[0] % warp_size & 1) != 0;
      if (operand.tensor->scope != Scope::shared || !is_own) continue;
      llvm::SmallVector<Expr, 4> indices = operand.indices;
      for (int64_t n = 0; n < operand.count; ++n) {
        touch(*operand.tensor, indices, operand.writes() ? Touch::write : Touch::read, stmt);
        indices.back() = indices.back() + 1;
      }
    }
  }

  void start(const Stmt& stmt, const Instr& copy) {
    walk_value(copy.values[0], stmt);
    const TensorPtr& tensor = copy.places[0].tensor;
    llvm::SmallVector<Expr, 4> indices = copy.places[0].indices;
    for (int64_t n = 0; n < copy.constants[0]; ++n) {
      touch(*tensor, indices, Touch::write, stmt);
      under_way_.push_back({groups_, barriers_, tensor.get(), element_of(*tensor, indices), stmt});
      indices.back() = indices.back() + 1;
    }
  }

  /// Up to here, copies of the groups before `end` may have written at any time since their start.
  void finish(int64_t end) {
    const auto goes_on = [&](const UnderWay& copy) { return copy.group >= end; };
    const auto split = std::stable_partition(under_way_.begin(), under_way_.end(), goes_on);
    const std::vector<UnderWay> finished(split, under_way_.end());
    under_way_.erase(split, under_way_.end());
    const int64_t now = barriers_;
    for (const UnderWay& copy : finished)
      for (barriers_ = copy.barriers; barriers_ <= now; ++barriers_)
        touch(*copy.tensor, copy.element, Touch::write, copy.stmt);
    barriers_ = now;
  }

  void walk_store(const Stmt& stmt, const Store& store) {
    walk_value(store.value, stmt);
    if (store.is_atomic) return touch(*store.tensor, store.indices, Touch::update, stmt);
    if (store.update != Update::set) touch(*store.tensor, store.indices, Touch::read, stmt);
    touch(*store.tensor, store.indices, Touch::write, stmt);
  }

  /// One access of several elements.
  void walk_copy(const Stmt& stmt, const Copy& copy) {
    for (const Region* side : {&copy.source, &copy.destination}) {
      llvm::SmallVector<Expr, 4> indices;
      for (const Range& range : side->ranges) indices.push_back(range.offset);
      for (int64_t n = 0; n < copy.vector; ++n) {
        touch(*side->tensor, indices, side == &copy.destination ? Touch::write : Touch::read, stmt);
        indices.back() = indices.back() + 1;
      }
    }
  }

  /// A select on indices reads the operand that it takes; one on elements may read both.
  void walk_value(const Expr& expr, const Stmt& stmt) {
    if (const auto* load = llvm::dyn_cast<Load>(expr))
      return touch(*load->tensor, load->indices, Touch::read, stmt);
    if (expr.type() == DType::index) return static_cast<void>(value(expr));
    if (const auto* logical = llvm::dyn_cast<Binary>(expr); logical && is_logical(logical->op))
      return walk_logical(*logical, stmt);
    const auto* choice = llvm::dyn_cast<Select>(expr);
    if (choice && !is_about_elements(choice->condition))
      return walk_value(value(choice->condition) != 0 ? choice->if_true : choice->if_false, stmt);
    for_each_operand(expr, [&](const Expr& operand) { walk_value(operand, stmt); });
  }

  /// The second operand is evaluated only where the first allows it.
  void walk_logical(const Binary& node, const Stmt& stmt) {
    walk_value(node.lhs, stmt);
    const bool decides =
        !is_about_elements(node.lhs) && (value(node.lhs) != 0) == (node.op == BinaryOp::logical_or);
    if (!decides) walk_value(node.rhs, stmt);
  }

  int64_t element_of(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) const {
    int64_t element = 0;
    for (size_t dim = 0; dim < indices.size(); ++dim)
      element = element * value(tensor.shape[dim]) + value(indices[dim]);
    return element;
  }

  void touch(const TensorNode& tensor, llvm::ArrayRef<Expr> indices, Touch kind, const Stmt& stmt) {
    if (tensor.scope != Scope::registers) touch(tensor, element_of(tensor, indices), kind, stmt);
  }

  void touch(const TensorNode& tensor, int64_t element, Touch kind, const Stmt& stmt) {
    for (const UnderWay& copy : under_way_)
      if (copy.tensor == &tensor && copy.element == element)
        throw Race{
            fmt::format("{} touches what its thread copies to {}", to_string(stmt), tensor.name)};
    const int64_t thread = flat(thread_index_, block_), block = flat(block_index_, grid_);
    // Shared tensors may have bytes in common; elsewhere an element is by itself.
    const bool has_address = tensor.address >= 0;
    const llvm::StringRef memory = has_address ? "shared memory" : llvm::StringRef(tensor.name);
    const int64_t size = has_address ? size_of(tensor.type) : 1;
    const int64_t first = (has_address ? tensor.address : 0) + element * size;
    const auto describe = [&](const char* party, int64_t lhs, int64_t rhs) {
      return fmt::format("{}s {} and {} both touch {}[{}] (one in {}), and one writes it", party,
                         lhs, rhs, tensor.name, element, to_string(stmt));
    };
    for (int64_t at = first; at < first + size; ++at)
      if (const auto other = threads_->add(memory, at, counts_[barriers_], thread, kind))
        throw Race{describe("thread", *other, thread)};
    if (tensor.scope == Scope::shared) return;
    if (const auto other = blocks_.at(tensor.name, element, 0).add(block, kind))
      throw Race{describe("block", *other, block)};
  }

  int64_t value(const Expr& expr) const { return number(expr).value; }

  /// The number that the kernel's text computes, as C does: an index has the bits of the kernel's
  /// indices, a literal is an int where it fits, and an operator has those of the wider operand.
  Number number(const Expr& expr) const {
    if (const auto literal = as_int(expr)) return {*literal, llvm::isInt<32>(*literal) ? 32 : 64};
    if (const auto* reference = llvm::dyn_cast<AxisRef>(expr))
      return index(axes_.lookup(reference->axis.get()));
    if (const auto* reference = llvm::dyn_cast<ParamRef>(expr))
      return index(sizes_.find(reference->param->name)->second);
    if (const auto* coordinate = llvm::dyn_cast<ThreadIndex>(expr))
      return index(
          (coordinate->space == IndexSpace::block ? block_index_ : thread_index_)[coordinate->dim]);
    if (const auto* load = llvm::dyn_cast<Load>(expr)) return {number_of_element(*load), 64};
    if (const auto* cast = llvm::dyn_cast<Cast>(expr)) return number_of_cast(*cast);
    if (const auto* unary = llvm::dyn_cast<Unary>(expr)) return number_of_unary(*unary);
    if (const auto* choice = llvm::dyn_cast<Select>(expr))
      return number(value(choice->condition) != 0 ? choice->if_true : choice->if_false);
    return number_of_binary(expr, *llvm::cast<Binary>(expr.get()));
  }

  Number index(int64_t value) const { return {value, kernel_.index_bits}; }

  int64_t number_of_element(const Load& load) const {
    // Blocks do what those do that are not the last one to arrive.
    if (load.type == boolean) return 0;
    // Conditions on elements differ between threads.
    return flat(thread_index_, block_) % 3;
  }

  Number number_of_cast(const Cast& cast) const {
    // Of elements that the data choose, all threads choose the first one, which there is.
    if (cast.type == DType::index && has_loads(cast.operand)) return index(0);
    const Number operand = number(cast.operand);
    const auto is_wide = [](DType type) { return type == i64 || is_float(type); };
    if (is_wide(cast.type) || is_wide(cast.operand.type())) return {operand.value, 64};
    return cast.type == DType::index ? index(operand.value) : operand;
  }

  Number number_of_unary(const Unary& unary) const {
    const Number operand = number(unary.operand);
    return {unary.op == UnaryOp::negate ? -operand.value : operand.value == 0, operand.bits};
  }

  Number number_of_binary(const Expr& expr, const Binary& node) const {
    const Number lhs = number(node.lhs);
    if (node.op == BinaryOp::logical_and && lhs.value == 0) return {0, 32};
    if (node.op == BinaryOp::logical_or && lhs.value != 0) return {1, 32};
    const Number rhs = number(node.rhs);
    const bool is_shift = node.op == BinaryOp::shl || node.op == BinaryOp::shr;
    const int bits = is_shift ? lhs.bits : std::max(lhs.bits, rhs.bits);
    const int64_t result =
        is_logical(node.op) ? rhs.value != 0 : value_of(node.op, lhs.value, rhs.value);
    if (expr.type() == DType::index && bits == 32 && !llvm::isInt<32>(result))
      throw Race{fmt::format("{} is {}, and has 32 bits in C", to_string(expr), result)};
    return {result, bits};
  }

  int64_t statements_ = 0;  ///< walked so far
  const KernelFunction& kernel_;
  const Sizes& sizes_;
  const bool has_parts_;
  Coordinates grid_, block_, block_index_ = {}, thread_index_ = {};
  llvm::DenseMap<const AxisNode*, int64_t> axes_;
  BlockLog* threads_ = nullptr;
  Log blocks_;
  int64_t barriers_ = 0;               ///< of any kind
  std::vector<BarrierCounts> counts_;  ///< of the kinds, after so many
  int64_t groups_ = 0;                 ///< of copies that the thread has committed
  std::vector<UnderWay> under_way_;
  std::optional<int64_t> barriers_expected_;
};

}  // namespace

std::optional<std::string> find_race(const KernelFunction& kernel, const Sizes& sizes) {
  try {
    Walker(kernel, sizes).walk_all();
  } catch (const Race& race) {
    return race.message;
  } catch (const TooLong&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hone
