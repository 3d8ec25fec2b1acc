#include "runtime/ptx/text/labels.h"

#include "runtime/ptx/text/variables.h"

namespace hone::ptx {

void Labels::parse(const Token& name) {
  const std::string unique = scopes_.add_label(name);
  if (lexer_.accept(TokenKind::dotted, "branchtargets")) {
    tables_.push_back({unique, parse_names(), scopes_.current()});
  } else if (lexer_.accept(TokenKind::dotted, "calltargets")) {
    for (const Token& target : parse_names())
      function_.targets[unique].push_back(target.text.str());
  } else if (lexer_.accept(TokenKind::dotted, "callprototype")) {
    parse_prototype(unique);
  } else {
    function_.labels[unique] = function_.instructions.size();
  }
}

std::vector<Token> Labels::parse_names() {
  std::vector<Token> result;
  do result.push_back(lexer_.expect(TokenKind::word, "a name"));
  while (lexer_.accept(','));
  lexer_.expect(';');
  return result;
}

/// "(.param .b32 _) _ (.param .b64 _) .noreturn;"
void Labels::parse_prototype(const std::string& name) {
  Function::Prototype& result = function_.prototypes[name];
  const auto parse_list = [&](std::vector<Variable>& variables) {
    if (!lexer_.accept('(')) return;
    for (Declared& declared : parse_params(lexer_))
      variables.push_back(std::move(declared.variable));
  };
  parse_list(result.returns);
  lexer_.expect(TokenKind::word, "a name");
  parse_list(result.params);
  while (lexer_.at(TokenKind::dotted) || lexer_.at(TokenKind::number)) lexer_.next();
  lexer_.expect(';');
}

void Labels::resolve() {
  for (const Use& use : uses_) {
    Instruction& instruction = function_.instructions[use.instruction];
    for (Operand& operand : instruction.operands) resolve(operand, instruction.line, use.scope);
  }
  for (const Table& table : tables_)
    for (const Token& label : table.labels) {
      const std::string* const unique = scopes_.find_label(label.text, table.scope);
      if (!unique) fail_at(label.line, "label {} is not declared", label.text.str());
      function_.targets[table.name].push_back(*unique);
    }
}

void Labels::resolve(Operand& operand, int line, int scope) const {
  for (Operand& part : operand.parts) resolve(part, line, scope);
  if (!operand.is(Operand::Kind::label)) return;
  if (const std::string* const unique = scopes_.find_label(operand.name, scope))
    operand.name = *unique;
  else if (context_.declares(operand.name))
    operand.kind = Operand::Kind::symbol;
  else
    fail_at(line, "{} is not declared", operand.name);
}

}  // namespace hone::ptx
