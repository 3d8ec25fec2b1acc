// Layouts in IR text.
#pragma once

#include "ir/core/expr.h"
#include "ir/text/lexer.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// layout   := attribute*
/// attribute := '@order' '(' digit (',' digit)* ')' | '@pad' '(' integer ')'
///            | '@pitch' '(' expr ')' | '@swizzle' '(' integer ',' integer ',' integer
///              [',' integer '^' integer] ')'
/// digit    := integer ['/' integer] ['%' integer]
///
/// `parse_expr` reads an expression from the tokens.
Layout parse_layout(TokenStream& tokens, llvm::function_ref<Expr()> parse_expr);

/// The digit of a dimension, whose number has been read: ['/' integer] ['%' integer].
IndexDigit parse_digit_of(TokenStream& tokens, int dim);

}  // namespace hone
