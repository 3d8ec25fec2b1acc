// Single passes of lowering, on IR text.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// The function `text`, which is one nest, as a kernel that no pass has seen.
KernelFunction unlowered(llvm::StringRef text);

using KernelPass = void(KernelFunction&);

/// The statements of the function `text` after these passes alone.
std::string after_passes(llvm::ArrayRef<KernelPass*> passes, llvm::StringRef text);
/// After one pass, and what simplification makes of it.
std::string after_pass(KernelPass* pass, llvm::StringRef text);

/// The statements of the only kernel that the function `text` is lowered to.
std::string lowered_body(llvm::StringRef text);

/// "error\nnote" of the ScheduleError that lowering the function `text` ends with, or "no error".
std::string lowering_error(llvm::StringRef text);

}  // namespace hone
