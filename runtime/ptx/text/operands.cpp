#include "runtime/ptx/text/operands.h"

#include "runtime/ptx/text/constant.h"
#include "runtime/ptx/text/special_registers.h"

namespace hone::ptx {

void OperandParser::parse(Operand& result, bool is_call) {
  is_call_ = is_call;
  parse_single(result);
  if (lexer_.accept('|')) parse_pair(result);
}

/// %r1|%p1, behind "|".
void OperandParser::parse_pair(Operand& result) {
  Operand first = std::move(result);
  result = {};
  result.kind = Operand::Kind::pair;
  result.parts.reserve(2);
  result.parts.push_back(std::move(first));
  parse_single(result.parts.emplace_back());
}

void OperandParser::parse_single(Operand& result) {
  const Token& token = lexer_.peek();
  if (token.is(TokenKind::word) && token.text != "WARP_SZ") return parse_name(result);
  if (lexer_.accept('[')) return parse_address(result);
  if (lexer_.accept('{')) return parse_list(result, '}');
  if (is_call_ && lexer_.accept('(')) return parse_list(result, ')');
  if ((token.symbol == '!' || token.symbol == '-') && parse_negated(result)) return;
  parse_constant_operand(result);
}

/// !%p1, -%r1; false where a constant follows.
bool OperandParser::parse_negated(Operand& result) {
  const Token operand = lexer_.peek_second();
  if (!operand.is(TokenKind::word) || operand.text == "WARP_SZ") return false;
  lexer_.next();
  parse_name(result);
  result.negated = true;
  return true;
}

void OperandParser::parse_constant_operand(Operand& result) {
  const Token& token = lexer_.peek();
  const bool is_constant = token.is(TokenKind::number) || token.is(TokenKind::word) ||
                           llvm::StringRef("(-+!~").contains(token.symbol);
  if (!is_constant) lexer_.fail_expecting("an operand");
  const Constant value = parse_constant(lexer_);
  result.kind = Operand::Kind::integer;
  result.integer = value.bits;
  result.literal = value.type == Type::s64 ? Type::none : value.type;
}

void OperandParser::parse_list(Operand& result, char close) {
  result.kind = Operand::Kind::vector;
  if (lexer_.accept(close)) return;
  result.parts.reserve(4);
  do {
    parse_single(result.parts.emplace_back());
    if (lexer_.accept('|')) parse_pair(result.parts.back());
  } while (lexer_.accept(','));
  lexer_.expect(close);
}

/// Behind "[": a base, bytes behind it, and coordinates.
void OperandParser::parse_address(Operand& result) {
  result.kind = Operand::Kind::address;
  const bool has_base = lexer_.at(TokenKind::word) && lexer_.peek().text != "WARP_SZ";
  if (has_base) {
    Operand& base = result.parts.emplace_back();
    parse_name(base);
    result.integer = std::exchange(base.integer, 0);
  }
  if (!has_base)
    result.integer = parse_integer(lexer_);
  else if (lexer_.at('-') || lexer_.accept('+'))
    result.integer += parse_integer(lexer_);
  while (lexer_.accept(',')) parse_single(result.parts.emplace_back());
  lexer_.expect(']');
}

llvm::StringRef OperandParser::parse_element() {
  return lexer_.at(TokenKind::dotted) ? lexer_.next().text : llvm::StringRef();
}

void OperandParser::parse_name(Operand& result) {
  const Token token = lexer_.next();
  if (token.text == "_") return;
  const Name name = scopes_.find(token.text);
  if (name.kind == Name::Kind::reg) return parse_register(result, token, name);
  if (name.kind == Name::Kind::variable) {
    result.kind = Operand::Kind::symbol;
    result.name = scopes_.variable_name(name);
  } else {
    parse_unknown(result, token);
  }
  if (lexer_.at('['))
    fail_at(token.line, "{0}[...] is not understood: write [{0}+bytes]", token.text.str());
  if (result.kind != Operand::Kind::special && lexer_.accept('+'))
    result.integer = parse_integer(lexer_);
}

/// %r1, and of vectors of registers %v.x, or all elements as a vector.
void OperandParser::parse_register(Operand& result, const Token& token, const Name& name) {
  const llvm::StringRef element = parse_element();
  result.kind = Operand::Kind::reg;
  result.reg = name.number;
  if (name.width == 1) return void(result.name = element.str());
  const size_t place = llvm::StringRef("xyzwrgba").find(element);
  if (element.size() == 1 && place % 4 < name.width) {
    result.reg += static_cast<uint32_t>(place % 4);
  } else if (element.empty()) {
    result.kind = Operand::Kind::vector;
    for (uint32_t i = 0; i < name.width; ++i) {
      result.parts.emplace_back().kind = Operand::Kind::reg;
      result.parts.back().reg = name.number + i;
    }
  } else {
    fail_at(token.line, "{} has no element .{}", token.text.str(), element.str());
  }
}

/// A special register, or a name that the function does not declare, so far.
void OperandParser::parse_unknown(Operand& result, const Token& token) {
  result.name = token.text.str();
  if (token.text.front() != '%') {
    result.kind = Operand::Kind::label;
    found_label_ = true;
    return;
  }
  if (!is_special_register(token.text))
    fail_at(token.line, "register {} is not declared", token.text.str());
  result.kind = Operand::Kind::special;
  const llvm::StringRef element = parse_element();
  if (!element.empty()) result.name += "." + element.str();
}

Guard OperandParser::parse_guard(const Function& function) {
  Guard result{.exists = true, .negated = lexer_.accept('!')};
  const Token token = lexer_.expect(TokenKind::word, "a predicate");
  const Name name = scopes_.find(token.text);
  if (name.kind != Name::Kind::reg)
    fail_at(token.line, "register {} is not declared", token.text.str());
  if (function.registers[name.number].type != Type::pred)
    fail_at(token.line, "{} is no predicate", token.text.str());
  result.reg = name.number;
  return result;
}

}  // namespace hone::ptx
