// The factors of a product, in a list that is cheap to copy: most products have one factor, or
// none.
#pragma once

#include "ir/core/expr.h"

namespace hone {

class Factors {
 public:
  Factors() = default;
  Factors(const Expr& factor) : first_(factor) {}
  explicit Factors(llvm::ArrayRef<Expr> list) { assign(list); }

  operator llvm::ArrayRef<Expr>() const { return llvm::ArrayRef<Expr>(begin(), size()); }
  bool empty() const { return !first_.defined(); }
  size_t size() const { return more_ ? more_->list.size() : static_cast<size_t>(!empty()); }
  const Expr* begin() const { return more_ ? more_->list.begin() : &first_; }
  const Expr* end() const { return begin() + size(); }
  const Expr& front() const { return *begin(); }
  const Expr& operator[](size_t n) const { return begin()[n]; }

  /// The first that is equal to `factor`; end() where there is none.
  const Expr* find(const Expr& factor) const;
  /// Inserts before factor n.
  void insert(size_t n, const Factors& list);
  void erase(const Expr* factor);

 private:
  struct List : RefCounted<List> {
    llvm::SmallVector<Expr, 4> list;
  };

  void assign(llvm::ArrayRef<Expr> list);

  Expr first_;                                 ///< null where there is none
  llvm::IntrusiveRefCntPtr<const List> more_;  ///< all of them, where there are several
};

}  // namespace hone
