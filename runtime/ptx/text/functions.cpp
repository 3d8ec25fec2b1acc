#include "runtime/ptx/text/functions.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/text/constant.h"

namespace hone::ptx {
namespace {

using ThreeNumbers = std::array<int, 3>;

/// The directives between the parameters and the body: ".maxntid 32, 1, 1".
struct FunctionDirective {
  const char* name;
  void (*apply)(Function&, const ThreeNumbers&);
};

void ignore(Function& /*function*/, const ThreeNumbers& /*numbers*/) {}

constexpr FunctionDirective function_directives[] = {
    {"maxntid",
     [](Function& function, const ThreeNumbers& numbers) { function.most_threads = numbers; }},
    {"reqntid",
     [](Function& function, const ThreeNumbers& numbers) { function.threads = numbers; }},
    {"reqnctapercluster",
     [](Function& function, const ThreeNumbers& numbers) { function.cluster = numbers; }},
    {"minnctapersm",
     [](Function& function, const ThreeNumbers& numbers) { function.least_blocks = numbers[0]; }},
    {"maxnreg",
     [](Function& function, const ThreeNumbers& numbers) { function.most_registers = numbers[0]; }},
    {"noreturn",
     [](Function& function, const ThreeNumbers& /*numbers*/) { function.never_returns = true; }},
    {"maxnctapersm", ignore},
    {"maxclusterrank", ignore},
    {"explicitcluster", ignore},
    {"blocksareclusters", ignore},
    {"abi_preserve", ignore},
    {"abi_preserve_control", ignore},
    {"noinline", ignore},
    {"unified", ignore},
};

/// "32, 4": those that are missing are 1.
ThreeNumbers parse_numbers(Lexer& lexer) {
  ThreeNumbers result{1, 1, 1};
  size_t count = 0;
  do {
    const int line = lexer.peek().line;
    const int64_t number = parse_integer(lexer);
    if (count == result.size()) fail_at(line, "more than 3 numbers");
    result[count++] = static_cast<int>(number);
  } while (lexer.accept(','));
  return result;
}

void parse_function_directive(Lexer& lexer, Function& function) {
  const Token token = lexer.next();
  if (token.text == "pragma") {
    lexer.expect(TokenKind::string, "a string");
    return lexer.expect(';');
  }
  const auto* found = llvm::find_if(function_directives, [&](const FunctionDirective& known) {
    return token.text == known.name;
  });
  if (found == std::end(function_directives))
    fail_at(token.line, "directive {} is not understood at a function", describe(token));
  found->apply(function,
               lexer.at(TokenKind::number) ? parse_numbers(lexer) : ThreeNumbers{1, 1, 1});
}

std::vector<Variable> variables_of(llvm::ArrayRef<Declared> params) {
  std::vector<Variable> result;
  for (const Declared& param : params) result.push_back(param.variable);
  return result;
}

/// The function of that name, which has no body yet.
Function& function_named(Context& context, const Token& name, bool has_body) {
  std::vector<Function>& functions = context.module.functions;
  const auto [known, is_new] = context.functions.try_emplace(name.text, functions.size());
  if (is_new) return functions.emplace_back();
  Function& result = functions[known->second];
  if (has_body && result.has_body)
    fail_at(name.line, "function {} has a body already", name.text.str());
  return result;
}

}  // namespace

void parse_function(Context& context, bool is_entry) {
  Lexer& lexer = context.lexer;
  Function header;
  header.is_entry = is_entry;
  if (lexer.accept(TokenKind::dotted, "attribute")) skip_parentheses(lexer);
  std::vector<Declared> params;
  if (lexer.accept('(')) params = parse_params(lexer);
  header.returns = variables_of(params);
  const Token name = lexer.expect(TokenKind::word, "the name of a function");
  header.name = name.text.str();
  header.line = name.line;
  if (lexer.accept('(')) llvm::append_range(params, parse_params(lexer));
  header.params = variables_of(llvm::ArrayRef(params).drop_front(header.returns.size()));
  while (lexer.at(TokenKind::dotted)) parse_function_directive(lexer, header);
  header.has_body = !lexer.accept(';');
  Function& function = function_named(context, name, header.has_body);
  if (!header.has_body && function.has_body) return;
  const bool never_returns = function.never_returns || header.never_returns;
  function = std::move(header);
  function.never_returns = never_returns;
  if (function.has_body) parse_body(context, function, params);
}

}  // namespace hone::ptx
