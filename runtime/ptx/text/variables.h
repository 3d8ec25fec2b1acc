// Declarations of variables, of registers and of parameters.
#pragma once

#include <optional>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "runtime/ptx/text/lexer.h"

namespace hone::ptx {

/// ".visible", ".extern", ".weak" and ".common" in front of a declaration.
struct Linkage {
  bool is_extern = false, is_visible = false;
};
Linkage parse_linkage(Lexer& lexer);

/// Behind an attribute: a list in parentheses.
void skip_parentheses(Lexer& lexer);

/// "shared", "tex"; generic of "reg", and nothing where it is no space.
std::optional<Space> space_named(llvm::StringRef directive);

struct Declared {
  Token name;
  Variable variable;
  int width = 1;       ///< of .v2 and .v4
  int64_t count = -1;  ///< of "%r<25>"; -1: the name stands for itself
};

/// Behind the token of a space: calls `add` for each name, and goes behind the ';'. Throws
/// PtxError, as the others do.
void parse_declarations(Lexer& lexer, const Token& space, Linkage linkage,
                        llvm::function_ref<void(const Declared&)> add);

/// Behind "(", and goes behind ")": parameters, or registers of Space::generic.
std::vector<Declared> parse_params(Lexer& lexer);

/// Behind "=": the first bytes of a variable, and the addresses in it. `extents` are those of the
/// array and of a vector in it; the first is 0 where the values say it, and is then set.
void parse_initial(Lexer& lexer, const Token& name, Variable& variable,
                   llvm::SmallVectorImpl<int64_t>& extents);

}  // namespace hone::ptx
