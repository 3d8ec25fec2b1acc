#include "runtime/sim/meaning_plan.h"

#include <map>
#include <mutex>

#include "ir/core/layout.h"
#include "ir/memory/storage_map.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

class Planner {
 public:
  Planner(const Function& meaning, const Opcode& opcode)
      : meaning_(meaning), spreads_(opcode.rules.spreads), threads_(opcode.rules.threads) {}

  MeaningPlan run() {
    visit(meaning_.body);
    if (!is_known_) return {};
    for (size_t n = 0; n < meaning_.arguments.size(); ++n) plan_.elements.push_back(elements_of(n));
    return std::move(plan_);
  }

 private:
  void visit(const Stmt& stmt) {
    if (const auto* store = llvm::dyn_cast<Store>(stmt)) return add(*store);
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const auto trips = loop ? as_int(loop->extent) : std::nullopt;
    is_known_ &= trips.has_value();
    for (int64_t n = 0; is_known_ && n < *trips; ++n) {
      values_[loop->axis.get()] = n;
      visit(loop->body);
    }
  }

  void add(const Store& store) {
    const auto* product = llvm::dyn_cast<Binary>(store.value);
    const bool is_sum = store.update == Update::add && product && product->op == BinaryOp::mul;
    const bool is_move = store.update == Update::set && llvm::isa<Load>(store.value);
    is_known_ &= is_sum || is_move;
    if (!is_known_) return;
    plan_.kind = is_sum ? MeaningPlan::Kind::products : MeaningPlan::Kind::moves;
    MeaningPlan::Step step;
    step.to = number_of(0, store.tensor, store.indices);
    step.lhs = number_of(1, is_sum ? product->lhs : store.value);
    if (is_sum) step.rhs = number_of(2, product->rhs);
    plan_.steps.push_back(step);
  }

  /// The element that the value is, converted or not.
  uint32_t number_of(size_t argument, Expr value) {
    if (const auto* cast = llvm::dyn_cast<Cast>(value)) value = cast->operand;
    const auto* load = llvm::dyn_cast<Load>(value);
    is_known_ &= load != nullptr;
    return load ? number_of(argument, load->tensor, load->indices) : 0;
  }

  uint32_t number_of(size_t argument, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    is_known_ &= argument < meaning_.arguments.size() && meaning_.arguments[argument] == tensor;
    int64_t number = 0;
    for (const auto& [index, extent] : llvm::zip(indices, tensor->shape)) {
      const auto* axis = llvm::dyn_cast<AxisRef>(index);
      is_known_ &= axis != nullptr;
      number = number * *as_int(extent) + (axis ? values_[axis->axis.get()] : 0);
    }
    return static_cast<uint32_t>(number);
  }

  std::vector<uint32_t> elements_of(size_t argument) const {
    std::vector<uint32_t> numbers;
    const FragmentSpread& spread = spreads_[argument];
    const TensorNode& tensor = *meaning_.arguments[argument];
    const auto extents = spread.is_tile() ? storage_of(spread) : extents_of(tensor);
    const std::vector<uint32_t> in_tile = elements_by_place(spread, tensor);
    for (int value = 0; value < spread.values(); ++value)
      for (int lane = 0; lane < threads_; ++lane) {
        int64_t number = 0;
        for (const auto& [index, extent] : llvm::zip(spread.element(lane, value), extents))
          number = number * extent + index;
        numbers.push_back(in_tile.empty() ? static_cast<uint32_t>(number) : in_tile[number]);
      }
    return numbers;
  }

  /// The element that lies at each place in the storage of a tile; of others empty.
  static std::vector<uint32_t> elements_by_place(const FragmentSpread& spread,
                                                 const TensorNode& tensor) {
    std::vector<uint32_t> elements;
    if (!spread.is_tile()) return elements;
    const StorageMap map(*with_layout(tensor, spread.layout(tensor.type)));
    const int64_t rows = spread.tile.front(), columns = spread.tile.back();
    elements.resize(rows * columns);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        elements[map.offset({row, column})] = static_cast<uint32_t>(row * columns + column);
    return elements;
  }

  static llvm::SmallVector<int64_t, 4> extents_of(const TensorNode& tensor) {
    llvm::SmallVector<int64_t, 4> extents;
    for (const Expr& extent : tensor.shape) extents.push_back(*as_int(extent));
    return extents;
  }

  /// The extents of a tile's storage.
  static llvm::SmallVector<int64_t, 4> storage_of(const FragmentSpread& spread) {
    llvm::SmallVector<int64_t, 4> extents;
    for (const SpreadDigit& digit : spread.digits) {
      if (extents.size() <= static_cast<size_t>(digit.dim)) extents.resize(digit.dim + 1, 1);
      extents[digit.dim] *= digit.count;
    }
    return extents;
  }

  const Function& meaning_;
  llvm::ArrayRef<FragmentSpread> spreads_;
  const int threads_;
  llvm::DenseMap<const AxisNode*, int64_t> values_;
  MeaningPlan plan_;
  bool is_known_ = true;
};

}  // namespace

std::shared_ptr<const MeaningPlan> plan_of(const Function& meaning, const Opcode& opcode) {
  static std::mutex mutex;
  static std::map<const Opcode*, std::shared_ptr<const MeaningPlan>> plans;
  const std::lock_guard lock(mutex);
  auto& plan = plans[&opcode];
  if (!plan) plan = std::make_shared<const MeaningPlan>(Planner(meaning, opcode).run());
  return plan;
}

}  // namespace hone
