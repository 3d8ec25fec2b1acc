// Guards that can go, judged by the statements under them.
#pragma once

#include "ir/analysis/tiles.h"

namespace hone {

/// True where no result of the program depends on `guard`, a condition that reads no tensor, around
/// `stmt`: without it every index stays within its tensor, nothing is read that nobody has written,
/// and nothing reads the additional elements that it writes. `tiles` are those of the whole
/// function, `facts` hold around the guard.
bool is_needless_guard(const Expr& guard, const Stmt& stmt, const Tiles& tiles, const Facts& facts);

/// True where a statement with these accesses needs a guard beside what `facts` has, whatever tiles
/// hold: an index may leave its tensor, or a copy writes what stands outside.
bool needs_guard(llvm::ArrayRef<MemoryAccess> accesses, Facts& facts);

}  // namespace hone
