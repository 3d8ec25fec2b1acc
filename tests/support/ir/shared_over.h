// Loops whose iterations may meet, by their names.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"

namespace hone {

/// The loops of `names` in which two instances of the body of the first of them may differ while
/// one writes what the other touches: "i j", or "none".
std::string shared_over(llvm::StringRef text, std::initializer_list<llvm::StringRef> names);

}  // namespace hone
