#include "ir/analysis/nests.h"

#include "ir/analysis/site.h"

namespace hone {

llvm::SmallVector<Stmt, 4> nests_of(const Stmt& body,
                                    llvm::SmallVectorImpl<TensorPtr>* temporaries) {
  if (is_global_alloc(body)) {
    const Alloc& alloc = *llvm::cast<Alloc>(body);
    if (temporaries) temporaries->push_back(alloc.tensor);
    return nests_of(alloc.body, temporaries);
  }
  const auto* seq = llvm::dyn_cast<Seq>(body);
  if (!seq) return {body};
  llvm::SmallVector<Stmt, 4> nests;
  for (const Stmt& stmt : seq->stmts) llvm::append_range(nests, nests_of(stmt, temporaries));
  return nests;
}

}  // namespace hone
