// PTX of several objects as one text.
#pragma once

#include <string>

#include "llvm/ADT/ArrayRef.h"

namespace hone::cudart {

/// One module that has all that the modules define: one header, each file of `.file` under a number
/// of its own. A declaration (`.extern`) is dropped where another module has the definition. The
/// text is the only module's as it is where there is only one.
std::string link_ptx(llvm::ArrayRef<std::string> modules);

}  // namespace hone::cudart
