// The threads of a block, by the digits of their numbers that loops tell apart.
#pragma once

#include "ir/threads/launch_shape.h"

namespace hone {

/// A set of the digits of a ThreadSpace.
class ThreadDigits {
 public:
  ThreadDigits() = default;
  bool contains(size_t digit) const { return (bits_ >> digit & 1) != 0; }
  ThreadDigits with(size_t digit) const { return ThreadDigits(bits_ | uint64_t{1} << digit); }
  ThreadDigits with(ThreadDigits more) const { return ThreadDigits(bits_ | more.bits_); }
  ThreadDigits without(ThreadDigits other) const { return ThreadDigits(bits_ & ~other.bits_); }
  ThreadDigits common(ThreadDigits other) const { return ThreadDigits(bits_ & other.bits_); }
  bool meets(ThreadDigits other) const { return (bits_ & other.bits_) != 0; }
  bool empty() const { return bits_ == 0; }
  bool operator==(const ThreadDigits&) const = default;

 private:
  explicit ThreadDigits(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

/// Threads that differ in neighbouring digits of one dimension, and in nothing else.
struct ThreadGroup {
  Binding binding;  ///< of a loop over them
  Expr count;
};

/// The strides at which the digits begin and end that loops over a dimension of the threads of a
/// kernel go over, in increasing order, 1 first.
llvm::SmallVector<int64_t, 4> digit_strides(const Stmt& kernel, uint8_t dim);

/// The digits of the number of a thread in its block. A dimension is one digit, unless loops are
/// bound to digits of it: those of `lane(8)` and `lane` in a block of 64 are 0..8, 0..4 and 0..2.
/// So is one of a size that is known at launch only.
class ThreadSpace {
 public:
  explicit ThreadSpace(const Stmt& kernel);

  std::array<Expr, 3> block() const { return {sizes_[0], sizes_[1], sizes_[2]}; }
  /// From the fastest of x to the slowest of z; the block's number in its cluster is the last one.
  llvm::ArrayRef<ThreadGroup> digits() const { return digits_; }

  /// Those that iterations of a loop over threads differ in; none of another loop.
  ThreadDigits digits_of(const For& loop) const { return digits_of(loop.binding); }
  ThreadDigits digits_of(const Binding& binding) const;
  /// Those of all loops in `stmt`, and of the threads that make its copies.
  ThreadDigits digits_in(const Stmt& stmt) const;
  /// The digit that numbers the blocks of a cluster.
  ThreadDigits of_cluster() const { return ThreadDigits().with(digits_.size() - 1); }
  /// Those in which more than one thread may be: not where there is one for certain.
  ThreadDigits used() const;

  /// The set as runs of neighbouring digits, as long as they go, the fastest first.
  llvm::SmallVector<ThreadGroup, 3> groups_of(ThreadDigits digits) const;

 private:
  void add_digits(const Stmt& kernel, uint8_t dim);
  /// Threads of a dimension that differ in the digits between two strides.
  ThreadGroup group(uint8_t dim, int64_t stride, int64_t end) const;

  std::array<Expr, 4> sizes_;  ///< of the block in x, y, z, and of its cluster
  llvm::SmallVector<ThreadGroup, 3> digits_;
};

}  // namespace hone
