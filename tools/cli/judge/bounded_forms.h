// The forms of a program's tensors in the one that bounds its errors.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "tools/cli/judge/error_bounds.h"

namespace hone {

/// Of a component, or of a number as a whole.
DType part_type(DType type, unsigned position);
/// A float, or a tuple with one.
bool has_floats(DType type);
/// With f64 in the place of any float.
DType wide_type(DType type);

class BoundedForms {
 public:
  BoundedForms(const Stmt& body, const Sizes& sizes, const InputFacts& inputs);

  /// Makes the forms of a tensor of the program.
  BoundedTensor& add(const TensorPtr& tensor);
  BoundedTensor& of(const TensorPtr& tensor) { return forms_.find(tensor.get())->second; }
  const BoundedTensor& of(const TensorPtr& tensor) const {
    return forms_.find(tensor.get())->second;
  }

  /// The statements that add to the tensor, less those that have been counted down.
  int& sums_to_come(const TensorPtr& tensor) { return sums_[tensor.get()].statements; }
  /// The number of terms in the longest sum; 1 without any.
  int64_t longest_sum() const;

 private:
  struct Sums {
    int64_t terms = 0;  ///< of an element
    int statements = 0;
    bool is_short = false;  ///< as of BoundedTensor
  };

  void count_sums(const Stmt& stmt);
  int64_t terms_of(const Store& store) const;

  const Sizes& sizes_;
  const InputFacts& inputs_;
  llvm::SmallVector<const For*, 8> around_;
  llvm::DenseMap<const TensorNode*, BoundedTensor> forms_;
  llvm::DenseMap<const TensorNode*, Sums> sums_;
  llvm::DenseSet<const TensorNode*> written_;
};

/// Calls `use` on the forms that there are.
void for_each_form(const BoundedTensor& form, llvm::function_ref<void(const TensorPtr&)> use);

}  // namespace hone
