// Names that users give to things.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace hone {

/// Throws DefinitionError where the word cannot name `what`: "an axis".
void check_name(llvm::StringRef what, llvm::StringRef name);

/// The same for names in expressions, where some words are constants.
void check_name_of_value(llvm::StringRef what, llvm::StringRef name);

}  // namespace hone
