// The bodies of functions.
#include "runtime/ptx/text/functions.h"
#include "runtime/ptx/text/labels.h"
#include "runtime/ptx/text/locals.h"
#include "runtime/ptx/text/operands.h"

namespace hone::ptx {
namespace {

class BodyParser {
 public:
  BodyParser(Context& context, Function& function)
      : context_(context), lexer_(context.lexer), function_(function) {}

  void parse(llvm::ArrayRef<Declared> params);

 private:
  void parse_statement();
  void parse_directive(const Token& directive);
  void parse_instruction(const Token& opcode, const Guard& guard);
  Instruction& add_instruction();
  void parse_operands(Instruction& instruction);
  void close_scope();

  Context& context_;
  Lexer& lexer_;
  Function& function_;
  Scopes scopes_;
  Locals locals_{context_, function_, scopes_};
  Labels labels_{context_, function_, scopes_};
  OperandParser operands_{context_.lexer, scopes_};
  int location_ = -1;  ///< of the instructions that follow
  int depth_ = 1;      ///< of braces
};

void BodyParser::parse(llvm::ArrayRef<Declared> params) {
  lexer_.expect('{');
  context_.locations.begin_function();
  for (const Declared& param : params) locals_.add_param(param);
  while (depth_ > 0) parse_statement();
  labels_.resolve();
}

void BodyParser::parse_statement() {
  if (lexer_.accept('{')) return ++depth_, scopes_.open();
  if (lexer_.accept('}')) return close_scope();
  if (lexer_.at(TokenKind::dotted)) return parse_directive(lexer_.next());
  const Guard guard = lexer_.accept('@') ? operands_.parse_guard(function_) : Guard();
  const Token name = lexer_.expect(TokenKind::word, "an instruction");
  if (!guard.exists && lexer_.accept(':')) return labels_.parse(name);
  parse_instruction(name, guard);
}

void BodyParser::close_scope() {
  if (--depth_ > 0) scopes_.close();
}

void BodyParser::parse_directive(const Token& directive) {
  if (directive.text == "loc") {
    location_ = context_.locations.parse_location(lexer_);
  } else if (directive.text == "pragma") {
    while (!lexer_.accept(';')) lexer_.expect(TokenKind::string, "a string");
  } else if (space_named(directive.text)) {
    parse_declarations(lexer_, directive, {},
                       [&](const Declared& declared) { locals_.add(declared); });
  } else {
    fail_at(directive.line, "directive {} is not understood in a function", describe(directive));
  }
}

/// A vector that grows copies its instructions, which take long.
Instruction& BodyParser::add_instruction() {
  std::vector<Instruction>& all = function_.instructions;
  if (all.size() == all.capacity()) {
    std::vector<Instruction> larger;
    larger.reserve(std::max<size_t>(16, 2 * all.size()));
    std::move(all.begin(), all.end(), std::back_inserter(larger));
    all.swap(larger);
  }
  return all.emplace_back();
}

void BodyParser::parse_instruction(const Token& opcode, const Guard& guard) {
  Instruction& result = add_instruction();
  result.opcode = opcode.text.str();
  result.guard = guard;
  result.location = location_;
  result.line = opcode.line;
  while (lexer_.at(TokenKind::dotted)) {
    const llvm::StringRef modifier = lexer_.next().text;
    result.modifiers.emplace_back(modifier.data(), modifier.size());
  }
  if (!lexer_.accept(';')) parse_operands(result);
  if (operands_.found_label()) labels_.use();
}

void BodyParser::parse_operands(Instruction& instruction) {
  const bool is_call = instruction.opcode == "call";
  do operands_.parse(instruction.operands.emplace_back(), is_call);
  while (lexer_.accept(','));
  lexer_.expect(';');
}

}  // namespace

void parse_body(Context& context, Function& function, llvm::ArrayRef<Declared> params) {
  BodyParser(context, function).parse(params);
}

}  // namespace hone::ptx
