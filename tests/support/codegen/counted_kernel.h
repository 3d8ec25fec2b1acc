// The form in which C says a kernel, as kernel IR that can be run.
#pragma once

#include "codegen/c_form/c_form.h"

namespace hone {

/// The kernel whose loops run as `form` counts them, and whose registers become a vector or zeros
/// where C chooses. Loops have one trip more than they should need, so that one that ends too late
/// shows as well.
///
///   for (int k = t; k < K; k += 8)        for k in 0..(K + 7) / 8 + 1
///     C[k] = 1.0;                    =>     if (t + k*8 < K)
///                                             C[t + k*8] = 1.0
KernelFunction counted_kernel(const CForm& form, const KernelFunction& kernel);
/// All kernels of a program, in the form in which C says them.
Module with_counted_kernels(Module module);

}  // namespace hone
