// Whether code sets every element of a box before it uses one.
#pragma once

#include "ir/schedule/rewrite/region.h"

namespace hone {

/// Whether every element of the box that lies inside the tensor is set by `stmt` before it is used.
/// `facts` hold around it.
bool sets_whole_box(const Stmt& stmt, const TensorPtr& tensor, const Box& box, Facts facts);

}  // namespace hone
