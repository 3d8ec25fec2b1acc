// Text to IR, on the grammar of docs/ir-text.md. ir/text/lexer.h cuts the text into tokens,
// ir/text/expr_parser.h and ir/text/stmt_parser.h descend over them.
#pragma once

#include <stdexcept>

#include "ir/core/stmt.h"

namespace hone {

/// "3:14: expected ']', found ','", then the line and a caret below the place. Columns count bytes
/// from 1.
class ParseError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The function that `text` spells, "func name[M](A: f32[M]) { ... }". Throws ParseError. Names are
/// resolved and types are checked; for the rest see ir/verify/verifier.h.
Function parse_function(llvm::StringRef text);

}  // namespace hone
