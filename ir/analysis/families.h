// Accesses that differ in integer constants alone, as the copies that a loop leaves behind when it
// is written out do. Together they are one access, under one more loop for each constant that
// varies: a proof about that access is one about all of them at once.
//
//   C[i, 0], C[i, 1], ... C[i, 63]     =>     C[i, c] for c in 0..64
#pragma once

#include <set>
#include <unordered_map>

#include "ir/analysis/accesses.h"

namespace hone {

/// Lists of integers as one list over axes: the n-th integers of the lists are values of the n-th
/// expression. Those that grow in step with each other share an axis.
class ConstantLists {
 public:
  /// Each list is as long as the first one, and of integers below 2^30.
  void add(llvm::ArrayRef<int64_t> constants);

  /// Appends the axes that it makes to `axes`, with their extents.
  llvm::SmallVector<Expr, 8> over_axes(llvm::SmallVectorImpl<AxisRange>& axes) const;

 private:
  /// The n-th integers: the first of them, and how the others differ from it.
  struct Column {
    Column(int64_t first, size_t number);
    /// Adds the next integer. True if it is the first that differs from those before it.
    bool extend(int64_t constant);
    Expr in_step_with(const Column& leader_column, const Expr& axis) const;

    int64_t first;
    int64_t least = 0, most = 0, divisor = 0;
    int64_t step = 0, latest = 0;  ///< the first difference that is not 0, and the last one
    size_t leader;                 ///< the number of the column that this one grows in step with
  };
  bool is_in_step(const Column& column) const;

  llvm::SmallVector<Column, 8> columns_;
};

/// Accesses by family, in the order in which they are added.
class AccessFamilies {
 public:
  AccessFamilies() = default;
  explicit AccessFamilies(llvm::ArrayRef<MemoryAccess> accesses);

  struct Added {
    size_t family;
    bool is_new;  ///< no access of the family is equal to it so far
  };
  /// Accesses under different labels are not alike.
  Added add(const MemoryAccess& access, llvm::ArrayRef<uint64_t> label = {});

  size_t size() const { return families_.size(); }
  size_t family_of(size_t access) const { return family_of_[access]; }
  /// The numbers of the accesses in the family, in order.
  llvm::ArrayRef<size_t> members(size_t family) const { return families_[family].members; }
  /// All accesses of the family as one: the first of them, over axes in the place of constants,
  /// which come last in `inner`.
  MemoryAccess whole(size_t family) const;

 private:
  /// The common part of the accesses of a family.
  struct Skeleton {
    llvm::SmallVector<uint64_t, 8> label;
    llvm::SmallVector<Expr, 8> exprs;
    bool operator==(const Skeleton& other) const;
  };
  struct SkeletonHash {
    size_t operator()(const Skeleton& skeleton) const;
  };
  struct Family {
    MemoryAccess first;
    ConstantLists constants;
    std::set<std::vector<int64_t>> distinct;
    llvm::SmallVector<size_t, 2> members;
  };
  Skeleton skeleton_of(const MemoryAccess& access, llvm::ArrayRef<uint64_t> label,
                       llvm::SmallVectorImpl<int64_t>& constants);

  std::unordered_map<Skeleton, size_t, SkeletonHash> numbers_;
  std::vector<Family> families_;
  std::vector<size_t> family_of_;
  /// Of any constant, and of the axes of the loops, in what accesses have in common.
  llvm::SmallVector<Expr, 8> stand_ins_;
};

/// Two accesses by their numbers in two lists.
using AccessPair = std::pair<size_t, size_t>;

/// The first pair of an access of `lhs` and one of `rhs` that is not harmless, in the order of the
/// text; where both are one list, no pair is looked at both ways. Two families may be harmless only
/// if all their members are.
std::optional<AccessPair> find_harm(
    llvm::ArrayRef<MemoryAccess> lhs, llvm::ArrayRef<MemoryAccess> rhs,
    llvm::function_ref<bool(const MemoryAccess&, const MemoryAccess&)> is_harmless);

}  // namespace hone
