// Copies as the accesses of threads: by whom they are made, how wide, and in which loops.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/traverse/rename.h"

namespace hone {

/// True if the copy reads or writes memory of that scope.
bool is_in(const Copy& copy, Scope scope);

/// Copies between shared and other memory say which threads of the block make them together: those
/// that no loop between the copy and the allocation tells apart.
Stmt with_shared_copies(const Stmt& nest);

/// Copies from and to global memory that promise no width get the widest that is proved for both of
/// their sides, where each of the threads that share it still has a vector to move. `facts` hold
/// around the nest; `may_alias`: global tensors may overlap.
Stmt with_wide_copies(const Stmt& nest, const Facts& facts, bool may_alias);

/// Copies become loops over their region, clipped at the ends of the tensors, and over the threads
/// that make them.
Stmt with_copy_nests(const Stmt& nest, Names& names);

/// All three, for a nest of the function. Copies of producers are made as if by all its threads;
/// those of the copy engine are left out, as it has no conflicts.
Stmt with_copies_made(const Function& function, const Stmt& nest);

}  // namespace hone
