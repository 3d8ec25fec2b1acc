// The operands of instructions.
#pragma once

#include <utility>

#include "runtime/ptx/text/scopes.h"

namespace hone::ptx {

class OperandParser {
 public:
  OperandParser(Lexer& lexer, const Scopes& scopes) : lexer_(lexer), scopes_(scopes) {}

  /// A name that is declared nowhere in the function, so far, becomes a label. `is_call`: lists in
  /// parentheses are vectors, and no constant expressions.
  void parse(Operand& result, bool is_call);
  /// True if one of them has become such a label since this was asked the last time.
  bool found_label() { return std::exchange(found_label_, false); }
  /// Of @%p and @!%p: a predicate.
  Guard parse_guard(const Function& function);

 private:
  void parse_single(Operand& result);
  void parse_name(Operand& result);
  void parse_register(Operand& result, const Token& token, const Name& name);
  void parse_unknown(Operand& result, const Token& token);
  void parse_constant_operand(Operand& result);
  void parse_list(Operand& result, char close);
  void parse_address(Operand& result);
  bool parse_negated(Operand& result);
  void parse_pair(Operand& result);
  /// Of "%tid.x": "x"; empty where there is none.
  llvm::StringRef parse_element();

  Lexer& lexer_;
  const Scopes& scopes_;
  bool is_call_ = false, found_label_ = false;
};

}  // namespace hone::ptx
