// The tensors that statements name: the one place that knows where in a statement they stand.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

enum class TensorUse : uint8_t { allocates, reads, writes };

/// Calls `use` on each tensor that `stmt` itself names, in the order of the text; not on those of
/// the statements in it.
void for_each_tensor(const Stmt& stmt, llvm::function_ref<void(const TensorPtr&, TensorUse)> use);

/// True if `stmt`, or a statement in it, names the tensor.
bool names_tensor(const Stmt& stmt, const TensorNode* tensor);

/// `stmt` with other tensors: `replacement` returns the one in the place of a tensor, which has as
/// many dimensions, or null where it stays.
Stmt replace_tensors(const Stmt& stmt, llvm::function_ref<TensorPtr(const TensorPtr&)> replacement);

}  // namespace hone
