// Private to the verifier: the rules of kernel IR that depend on one statement alone.
#pragma once

#include "ir/kernel_stmt.h"

namespace hone {

/// Throws Violation unless the loop is serial or unrolled.
void check_in_kernel(const For& loop);
/// Throws Violation unless a kernel may allocate the tensor.
void check_in_kernel(const TensorNode& tensor);
/// Throws Violation unless the copy is one access of a whole vector.
void check_in_kernel(const Copy& copy);
/// Throws Violation unless cp.async can make the copy.
void check_in_kernel(const AsyncCopy& copy);
/// Throws Violation unless an mbarrier counts as many.
void check_in_kernel(const InitMbarrier& init);
/// Throws Violation unless the tensor holds mbarriers, and the slot is an index of one.
void check_mbarrier(const TensorNode& mbarriers, const Expr& slot);
/// Throws Violation unless the parity is an index, too.
void check_in_kernel(const WaitMbarrier& wait);
/// Throws Violation unless the flag, too, is a bool in registers.
void check_in_kernel(const TestMbarrier& test);
/// Throws Violation unless an mbarrier can expect as many.
void check_in_kernel(const ExpectBytes& expect);
/// Throws Violation unless the copy engine has such a box.
void check_in_kernel(const BulkMove& move);
/// Throws Violation unless a warpgroup may have as many registers.
void check_in_kernel(const SetRegisters& set);
/// Throws Violation unless a block has such a barrier.
void check_in_kernel(const BarrierScope& scope);

}  // namespace hone
