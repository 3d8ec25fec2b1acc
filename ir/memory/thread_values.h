// Index arithmetic of all threads of a block at once.
#pragma once

#include <vector>

#include "ir/core/stmt.h"
#include "ir/interpret/buffer.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// An integer of each thread, or one of all; nothing where what the expression needs is not known.
class ThreadValues {
 public:
  ThreadValues() = default;  ///< not known
  ThreadValues(int64_t value) : values_{value} {}
  ThreadValues(std::vector<int64_t> values) : values_(std::move(values)) {}

  bool is_known() const { return !values_.empty(); }
  bool is_uniform() const { return values_.size() == 1; }
  int64_t of(size_t thread) const { return is_uniform() ? values_[0] : values_[thread]; }

 private:
  std::vector<int64_t> values_;
};

/// One block of a launch.
struct BlockOfThreads {
  std::array<int64_t, 3> extents = {1, 1, 1};  ///< threads in x, y, z
  std::array<int64_t, 3> place = {0, 0, 0};    ///< in the grid
  Sizes sizes = {};                            ///< of the params that are known

  size_t threads() const { return static_cast<size_t>(extents[0] * extents[1] * extents[2]); }
};

/// The values of expressions in a block, as far as they are made of thread indices, of params with
/// a size, and of axes with a value.
class ThreadArithmetic {
 public:
  explicit ThreadArithmetic(const BlockOfThreads& block);

  void set(const AxisPtr& axis, ThreadValues values) { axes_[axis.get()] = std::move(values); }
  const ThreadValues& index(uint8_t dim) const { return threads_[dim]; }
  ThreadValues value(const Expr& expr) const;

 private:
  ThreadValues value(const Binary& binary) const;
  ThreadValues logical_value(const Binary& binary) const;

  const BlockOfThreads& block_;
  ThreadValues threads_[3];
  llvm::DenseMap<const AxisNode*, ThreadValues> axes_;
};

}  // namespace hone
