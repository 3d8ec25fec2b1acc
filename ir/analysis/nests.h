// The nests of a function, which become its kernels.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// The statements of the body that become a kernel each, in order. The tensors of the allocs around
/// them, which outlive the launches, go to `temporaries`.
llvm::SmallVector<Stmt, 4> nests_of(const Stmt& body,
                                    llvm::SmallVectorImpl<TensorPtr>* temporaries = nullptr);

}  // namespace hone
