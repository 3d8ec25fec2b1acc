// The words that C++ keeps for itself.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace hone {

/// A keyword of C++20, or another spelling of an operator: no variable has that name.
bool is_cpp_keyword(llvm::StringRef word);

}  // namespace hone
