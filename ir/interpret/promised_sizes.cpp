#include "ir/interpret/promised_sizes.h"

#include "ir/interpret/interpreter.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

bool keeps_promises(const Function& function, const Sizes& sizes) {
  return llvm::all_of(function.assumptions,
                      [&](const Expr& promise) { return evaluate(promise, sizes) != 0; });
}

}  // namespace hone
