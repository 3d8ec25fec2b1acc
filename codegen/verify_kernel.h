// Well-formedness of kernel IR, which lowering keeps and a text may lack.
#pragma once

#include <optional>
#include <string>

#include "codegen/kernel.h"

namespace hone {

/// The first violation, or nothing: see IrLevel::kernel in ir/verifier.h. The sizes of the grid and
/// of a block are over the kernel's params.
std::optional<std::string> verify(const KernelFunction& kernel);

}  // namespace hone
