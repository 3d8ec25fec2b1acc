// IR as text, on the grammar of docs/ir-text.md. The parser, ir/text/parser.h, reads it back to an
// equal tree. No text ends in a newline.
#pragma once

#include <string>

#include "fmt/format.h"
#include "ir/core/stmt.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

std::string to_string(const Expr& expr);
/// Named values with their values, as no lines before say them: "let(fy, f32(i) * 0.5) + fy".
std::string to_string_with_values(const Expr& expr);
std::string to_string(const Function& function);

/// "operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0"
std::string to_string(const OperatorNode& op);

/// The declarations of the operators that `body` updates with, a line each with its end: what
/// stands before `func` and `kernel`.
std::string operator_lines(const Stmt& body);

/// The statement's lines, each indented by two spaces per level.
std::string to_string(const Stmt& stmt, unsigned level = 0);

/// The lines of a text on which each statement begins, counted from 1. A node that occurs in
/// several places has a line for each; a sequence has none. Nodes are looked up by identity, and
/// must live.
using StatementLines = llvm::DenseMap<const StmtNode*, llvm::SmallVector<unsigned, 1>>;

struct LinedText {
  std::string text;
  StatementLines lines;
};

/// The statement's lines as to_string has them, the first of which counts as `first_line`.
LinedText print_with_lines(const Stmt& stmt, unsigned level, unsigned first_line = 1);

/// A tensor as it is declared, without its scope: "A: f32[M, K] @order(1, 0)".
std::string declaration(const TensorNode& tensor);

/// The text behind `func` or `kernel`: "matmul[M, K](A: f32[M, K]) @may_alias where K % 4 == 0",
/// where " @may_alias" is the text of the attributes.
std::string signature(llvm::StringRef name, llvm::ArrayRef<ParamPtr> params,
                      llvm::ArrayRef<TensorPtr> arguments, llvm::StringRef attributes,
                      llvm::ArrayRef<Expr> assumptions);

/// The loop nest around `culprit`, cut to the lines that matter, with "<-- here" on its first line.
/// Empty when `culprit` is not in the function.
std::string excerpt(const Function& function, const StmtNode* culprit);

}  // namespace hone

template <>
struct fmt::formatter<hone::Expr> : fmt::formatter<std::string> {
  auto format(const hone::Expr& expr, fmt::format_context& context) const {
    return formatter<std::string>::format(hone::to_string(expr), context);
  }
};
template <>
struct fmt::formatter<hone::Stmt> : fmt::formatter<std::string> {
  auto format(const hone::Stmt& stmt, fmt::format_context& context) const {
    return formatter<std::string>::format(hone::to_string(stmt), context);
  }
};
template <>
struct fmt::formatter<hone::Function> : fmt::formatter<std::string> {
  auto format(const hone::Function& function, fmt::format_context& context) const {
    return formatter<std::string>::format(hone::to_string(function), context);
  }
};
