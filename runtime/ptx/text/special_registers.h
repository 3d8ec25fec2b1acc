// The registers that PTX itself declares.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

/// "%laneid", "%envreg3"; "%tid" too, which has the elements "%tid.x" to "%tid.w".
bool is_special_register(llvm::StringRef name);

}  // namespace hone::ptx
