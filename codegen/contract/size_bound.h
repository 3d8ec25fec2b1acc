// The growth of index expressions with the sizes.
#pragma once

#include "codegen/kernel.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// An upper bound of a magnitude: a sum of products of powers of params, each with a factor. Params
/// count as 1 or more.
class SizeBound {
 public:
  struct Term {
    /// Of params by their names, which kernels keep, in the order of these.
    using Powers = llvm::SmallVector<std::pair<llvm::StringRef, int>, 2>;

    double factor = 0;
    Powers powers = {};  ///< without those that are 0

    Term times(const Term& other, int exponent = 1) const;
    int power_of(llvm::StringRef param) const;
    /// True if no power is above that of `other`: the product is no larger, but for factors.
    bool is_within(const Term& other) const;
  };

  SizeBound(double constant = 0);
  static SizeBound of(const ParamNode& param);
  /// The bound of a value that no size bounds.
  static SizeBound none();

  bool exists() const { return exists_; }
  llvm::ArrayRef<Term> terms() const { return terms_; }

  SizeBound operator+(const SizeBound& other) const;
  SizeBound operator*(const SizeBound& other) const;
  /// The bound of a quotient whose divisor is at least `divisor`.
  SizeBound operator/(const Term& divisor) const;
  /// Of the larger one.
  friend SizeBound max(const SizeBound& lhs, const SizeBound& rhs);

 private:
  void add(const Term& term);

  llvm::SmallVector<Term, 2> terms_;
  bool exists_ = true;
};

/// The bounds of index expressions in a kernel.
class SizeBounds {
 public:
  explicit SizeBounds(const KernelFunction& kernel);

  SizeBound of(const Expr& index);
  /// True if the value stays in about 32 bits for all sizes with which params, the elements of each
  /// argument, the extents of loops and the threads of the grid do.
  bool grows_like_sizes(const Expr& index);
  /// True if all loops and lets have such values.
  bool variables_grow_like_sizes();

 private:
  SizeBound of(const Binary& binary);
  SizeBound of_axis(const AxisNode* axis);
  SizeBound smaller(const SizeBound& lhs, const SizeBound& rhs) const;
  bool is_like_sizes(const SizeBound& bound) const;
  void add_size(const Expr& size);
  bool is_like_a_size(const SizeBound::Term& term) const;

  const KernelFunction& kernel_;
  llvm::DenseMap<const AxisNode*, llvm::SmallVector<Expr, 1>> definitions_;  ///< extents and values
  llvm::DenseMap<const AxisNode*, SizeBound> axes_;
  llvm::SmallVector<SizeBound, 8> sizes_;
};

}  // namespace hone
