// Kernels with pipelines, asynchronous copies and roles, small enough to be run a thousand times.
#pragma once

#include <ostream>

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// A kernel without mistakes, and what it is run with.
struct RightKernel {
  Function program;  ///< before any schedule
  KernelFunction kernel;
  std::vector<Sizes> sizes;  ///< of many trips, and of few

  /// Small numbers, none of them 0; what a kernel writes is none that it computes.
  Buffers buffers(const Sizes& at) const;
};

struct KernelCase {
  const char* name;
  RightKernel (*make)();

  /// The name by which GoogleTest shows the case.
  friend void PrintTo(const KernelCase& right, std::ostream* out) { *out << right.name; }
};

/// Those of CUDA cores.
llvm::ArrayRef<KernelCase> kernel_cases();
/// Those of tensor cores: the steps of the ladder hgemm, with small tiles.
llvm::ArrayRef<KernelCase> tensor_kernel_cases();

/// The first kernel of the schedule, for several lengths K of the sum.
RightKernel right_kernel(const Program& program, const Schedule& schedule, Sizes sizes,
                         llvm::ArrayRef<int64_t> lengths);

}  // namespace hone
