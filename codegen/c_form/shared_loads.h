// Addresses of the loads from shared memory whose order a loop keeps.
//
//   for k in 0..n                               T_at = address of T[0, y]
//     for j in 0..4 @unroll @ordered            T_flip = y / 2 * 16
//       R[j] = T[k % 2, j*4 + y]          =>    for k in 0..n
//                                                 ... load at T_at + k % 2 * 512 + j * 256
//
// An address is a number of 32 bits: a part that is known before the loops begin, and numbers of
// bytes that unrolled loops make constants of. Of an index that is swizzled, the part that is known
// before goes to a variable of its own, which is flipped into it.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/core/stmt.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// The part of addresses that does not change in a loop nest.
struct SharedBase {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> indices;  ///< of the element
  Expr flip;                           ///< bits to flip, in bytes; null for none
};

/// The start of a load: `bytes` from its base, and `flipped ^ flip` more if the base has a flip.
struct SharedAddress {
  size_t base = 0;
  Expr bytes;
  Expr flipped;  ///< null for none
};

/// The loads in ordered loops of a nest.
struct SharedLoads {
  llvm::SmallVector<SharedBase, 2> bases;
  llvm::DenseMap<const StmtNode*, SharedAddress> addresses;  ///< of stores and copies
};

/// Those in `nest`, before which the bases are computed. `facts` hold around it.
SharedLoads shared_loads(const For& nest, const Facts& facts);

}  // namespace hone
