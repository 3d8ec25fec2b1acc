// Well-formedness of kernel IR, which lowering keeps and a text may lack.
#pragma once

#include <optional>
#include <string>

#include "codegen/kernel.h"

namespace hone {

/// The stages of a kernel in lowering.
enum class KernelForm : uint8_t {
  nest,    ///< tensors have their dimensions; statements are those of loop IR and of kernel IR
  flat,    ///< global tensors have one flat index
  thread,  ///< kernel IR, the program of one thread
};

/// The first violation, or nothing: see ir/verify/verifier.h, and of a thread's program
/// IrLevel::kernel. The sizes of the grid and of a block are over the kernel's params; only a
/// thread's program must have them.
std::optional<std::string> verify(const KernelFunction& kernel,
                                  KernelForm form = KernelForm::thread);

/// The way in which the kernel does not fit its number of blocks of a cluster; nothing if it fits.
std::optional<std::string> cluster_problem(const KernelFunction& kernel);

}  // namespace hone
