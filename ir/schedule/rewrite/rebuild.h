// The last step of every primitive.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// `function` with its body replaced, and simplified wherever that or a fact around it is new.
/// Asserts that the result is well formed: a violation is a bug of the primitive. Throws
/// DefinitionError where it has grown too large.
Function rebuild(const Function& function, const Stmt& body);

/// `function` with the statement `from` replaced by `to`.
Function rebuild(const Function& function, const StmtNode* from, const Stmt& to);

/// `function` with another binding of a loop. There is nothing to simplify.
Function rebind(const Function& function, const For& loop, const Binding& binding);

}  // namespace hone
