// Updates that the iterations of a reduction loop make together.
#pragma once

#include <optional>
#include <string>

#include "ir/analysis/accesses.h"
#include "ir/analysis/site.h"

namespace hone {

/// The updates `T[e] op= v` of the tensors of which several iterations of a loop update one
/// element, in the order of the text. All updates of such a tensor are among them, as iterations
/// combine whole tensors: also those that are of another element in each iteration.
Accesses shared_updates(const Site& site);

/// The cause of an index that differs between iterations of a reduction loop.
struct Varying {
  std::string name;       ///< of an axis, or of a tensor that iterations change
  bool is_inner = false;  ///< an axis inside the loop
};
/// Nothing where the index is the same for all iterations. Spatial axes inside the loop say which
/// element an update is about, and count only where `over_spatial`.
std::optional<Varying> what_varies(const Expr& index, const MemoryAccess& update, const For& loop,
                                   bool over_spatial);

/// The dimensions in which the updates of a reduction loop choose their element by a varying value,
/// or several updates choose different ones: those in which a block may have any.
llvm::SmallVector<bool, 4> scattered_dims(const Accesses& updates, const For& loop);

/// `update` of any element in the dimensions that are scattered.
MemoryAccess with_any_element(MemoryAccess update, llvm::ArrayRef<bool> scattered);

}  // namespace hone
