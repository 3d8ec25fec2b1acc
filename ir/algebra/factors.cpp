#include "ir/algebra/factors.h"

#include <algorithm>

#include "ir/traverse/order.h"

namespace hone {

void Factors::assign(llvm::ArrayRef<Expr> list) {
  llvm::IntrusiveRefCntPtr<List> more;
  if (list.size() > 1) {
    more = new List;
    more->list.append(list.begin(), list.end());
  }
  first_ = list.empty() ? Expr() : list.front();
  more_ = more;
}

const Expr* Factors::find(const Expr& factor) const {
  return std::find_if(begin(), end(), [&](const Expr& e) { return compare(e, factor) == 0; });
}

void Factors::insert(size_t n, const Factors& list) {
  if (list.empty()) return;
  if (empty()) {
    *this = list;
    return;
  }
  llvm::SmallVector<Expr, 4> result(begin(), end());
  result.insert(result.begin() + n, list.begin(), list.end());
  assign(result);
}

void Factors::erase(const Expr* factor) {
  if (!more_) {
    first_ = {};
    return;
  }
  llvm::SmallVector<Expr, 4> result(begin(), end());
  result.erase(result.begin() + (factor - begin()));
  assign(result);
}

}  // namespace hone
