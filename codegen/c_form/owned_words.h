// The words of generated text that belong to somebody: to C, C++ and CUDA, to names that their
// compilers declare unasked, and to the text itself.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace hone {

/// True if the word belongs to somebody, as it is or without the underscores at its end.
/// So does every word that the C++ standard keeps for implementations: `__syncthreads`, `_Bool`.
bool is_owned(llvm::StringRef word);

/// A word that belongs to nobody: `log` becomes `log_`, `__syncthreads` becomes
/// `name__syncthreads`, and others stay as they are. Different words stay different.
std::string unowned(llvm::StringRef word);

}  // namespace hone
