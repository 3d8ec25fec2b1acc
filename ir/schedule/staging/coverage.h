// Proofs that code sets every element of a box before it uses one.
#pragma once

#include "ir/schedule/staging/region.h"

namespace hone {

/// True if `stmt` sets every element of the box that lies inside the tensor before it uses one.
/// `facts` hold around it.
bool sets_whole_box(const Stmt& stmt, const TensorPtr& tensor, const Box& box, Facts facts);

}  // namespace hone
