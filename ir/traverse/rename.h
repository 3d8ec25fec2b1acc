// Names: unique ones for new axes and tensors, and copies of code under new names.
#pragma once

#include "ir/core/stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace hone {

/// The names that a function uses for its axes, tensors and params.
class Names {
 public:
  explicit Names(const Function& function);

  void take(llvm::StringRef name) { used_.insert(name); }
  bool contains(llvm::StringRef name) const { return used_.contains(name); }
  /// `wanted`, or where that is taken or reserved `wanted_2`, `wanted_3`...; taken from now on.
  std::string fresh(llvm::StringRef wanted);

 private:
  llvm::StringSet<> used_;
};

/// A copy of `stmt` for use beside the original: its loops, lets and allocs have fresh names, made
/// from the old ones and `suffix` (".init": i becomes i.init).
Stmt with_fresh_names(const Stmt& stmt, llvm::StringRef suffix, Names& names);

/// The element of another tensor that an access is replaced by.
struct TensorElement {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> indices;
};

/// Every load and store of `tensor` in `stmt`, and every place of an instruction in it, redirected:
/// `redirect` sees its indices, already redirected themselves. Copies keep their tensors.
Stmt redirect_accesses(const Stmt& stmt, const TensorNode* tensor,
                       llvm::function_ref<TensorElement(llvm::ArrayRef<Expr>)> redirect);

/// Every access to `from` as one to a ring, by copies too: in `slot`, and there at the indices of
/// `from` behind the first `dropped` ones. `from` may be the ring, whose slot is dropped.
Stmt redirect_to_slot(const Stmt& stmt, const TensorPtr& from, const TensorPtr& ring,
                      const Expr& slot, size_t dropped = 0);

/// `stmt` with the tensor `to`, of the same shape, wherever `from` is allocated, read, written or
/// copied.
Stmt replace_tensor(const Stmt& stmt, const TensorNode* from, const TensorPtr& to);

}  // namespace hone
