// Some of the accesses to a tensor, picked out by the axes that choose their element.
#pragma once

#include "ir/schedule/site.h"

namespace hone {

/// A function in which the picked accesses are those of a tensor of their own.
struct Picked {
  Function function;
  TensorPtr view;  ///< of the same shape, an argument of the function
};

/// Picks the accesses inside the loop of `axis` that run, dimension by dimension, over the axes
/// which those of `element` descend from. Refuses a tensor that is written inside the loop, a tile,
/// and an element of which there is no access.
Picked pick_accesses(const Preconditions& check, const Function& function, const TensorPtr& tensor,
                     const AxisPtr& axis, llvm::ArrayRef<Expr> element);

/// `function` with `tensor` in the place of the view.
Function without_view(const Function& function, const TensorPtr& view, const TensorPtr& tensor);

}  // namespace hone
