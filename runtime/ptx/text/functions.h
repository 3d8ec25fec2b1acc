// Functions: their headers, their bodies.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/text/context.h"
#include "runtime/ptx/text/variables.h"

namespace hone::ptx {

/// Behind ".entry" or ".func": adds the function, or its body to what is declared of it.
void parse_function(Context& context, bool is_entry);

/// The text in braces. `params` are the function's returns and parameters.
void parse_body(Context& context, Function& function, llvm::ArrayRef<Declared> params);

}  // namespace hone::ptx
