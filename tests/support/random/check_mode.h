// Lowered random programs in check mode of the simulated device.
#pragma once

#include "codegen/kernel.h"
#include "ir/interpret/interpreter.h"
#include "llvm/ADT/StringSet.h"
#include "runtime/sim/check/check.h"

namespace hone {

/// Fills with values that no program computes from its small inputs.
void poison(Buffer& buffer);

/// The arguments that the function writes in full before it reads them: with others in `before`,
/// it leaves `after` all the same.
llvm::StringSet<> written_in_full(const Function& function, const Sizes& sizes,
                                  const Buffers& before, const Buffers& after);

/// Runs the kernels of the module in order, in check mode, and leaves the results in the buffers,
/// which are those of its arguments. A temporary, and an argument of `uninitialised`, is poisoned,
/// and nobody may use an element of it before it is written. `order` is that of warps.
std::vector<Finding> check_kernels(const Module& module, const Sizes& sizes,
                                   const llvm::StringSet<>& uninitialised, Buffers& buffers,
                                   uint64_t order = 0);

/// The texts of the findings, one below the other.
std::string texts_of(llvm::ArrayRef<Finding> findings);

}  // namespace hone
