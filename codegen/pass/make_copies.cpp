// The passes that make copies the accesses of threads: ir/copies has what they do.

#include "codegen/pass/passes.h"
#include "ir/copies/copies.h"

namespace hone {

void share_copies(KernelFunction& kernel) { kernel.body = with_shared_copies(kernel.body); }

void widen_copies(KernelFunction& kernel) {
  kernel.body = with_wide_copies(kernel.body, facts_of(kernel.assumptions), kernel.may_alias);
}

void expand_copies(KernelFunction& kernel) {
  Names names(as_function(kernel));
  kernel.body = with_copy_nests(kernel.body, names);
}

}  // namespace hone
