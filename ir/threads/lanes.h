// One iteration of a vector loop is a lane: where the lanes of an access lie, and which conditions
// all lanes share.
#pragma once

#include "ir/algebra/facts.h"

namespace hone {

/// The iterations of a loop that are to run as one: 0..count.
struct Lanes {
  AxisPtr axis;
  int64_t count = 0;
};

struct LaneAccess {
  enum class Form : uint8_t {
    invariant,   ///< one element for all lanes
    contiguous,  ///< neighbours along the fastest dimension, from a multiple of the count on
    other,
  };
  Form form = Form::other;
  /// The element of lane 0; of an invariant access, the element.
  llvm::SmallVector<Expr, 4> first;
  /// Of `other`, the reason: "A[i, k + v] does not run along the fastest dimension of A".
  std::string reason;
  std::string note;  ///< advice that would change that; may be empty
};

/// The access of the lanes to `tensor`, whose layout says which elements lie side by side. `facts`
/// hold at the access.
LaneAccess lane_access(const TensorNode& tensor, llvm::ArrayRef<Expr> indices, const Lanes& lanes,
                       const Facts& facts);

/// A condition without the axis of the lanes that is true where `condition` is: i*4 + v < M is
/// i*4 < M for all of four lanes where 4 divides M. Null where lanes are not proved to agree.
Expr uniform_condition(const Expr& condition, const Lanes& lanes, const Facts& facts);

/// The conditions of guards and selects in `body` as uniform conditions, where lanes are proved to
/// agree.
Stmt with_uniform_conditions(const Stmt& body, const Lanes& lanes, const Facts& facts);

}  // namespace hone
