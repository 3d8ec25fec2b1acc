#include "runtime/ptx/text/parser.h"

#include "llvm/ADT/StringMap.h"
#include "runtime/ptx/text/constant.h"
#include "runtime/ptx/text/functions.h"

namespace hone::ptx {
namespace {

class ModuleParser {
 public:
  explicit ModuleParser(llvm::StringRef text) : context_{Lexer(text)} {}

  Module parse() {
    while (!lexer_.at(TokenKind::end)) parse_directive();
    if (module_.major == 0) fail_at(lexer_.peek().line, "the text has no .version");
    check_references();
    context_.locations.finish(module_);
    return std::move(module_);
  }

 private:
  void parse_directive();
  bool parse_declaration(const Token& directive, Linkage linkage);
  void parse_version();
  void parse_target();
  void parse_address_size();
  void parse_alias();
  void parse_pragma();
  void add_variable(const Declared& declared);
  void check_references() const;

  Context context_;
  Lexer& lexer_ = context_.lexer;
  Module& module_ = context_.module;
};

void ModuleParser::parse_directive() {
  static const llvm::StringMap<void (*)(ModuleParser&)> directives = {
      {"version", [](ModuleParser& parser) { parser.parse_version(); }},
      {"target", [](ModuleParser& parser) { parser.parse_target(); }},
      {"address_size", [](ModuleParser& parser) { parser.parse_address_size(); }},
      {"alias", [](ModuleParser& parser) { parser.parse_alias(); }},
      {"pragma", [](ModuleParser& parser) { parser.parse_pragma(); }},
      {"file", [](ModuleParser& parser) { parser.context_.locations.parse_file(parser.lexer_); }},
      {"loc",
       [](ModuleParser& parser) { parser.context_.locations.parse_location(parser.lexer_); }},
      {"section",
       [](ModuleParser& parser) { parser.context_.locations.parse_section(parser.lexer_); }},
  };
  const Linkage linkage = parse_linkage(lexer_);
  const Token directive = lexer_.expect(TokenKind::dotted, "a directive");
  if (parse_declaration(directive, linkage)) return;
  const auto found = directives.find(directive.text);
  if (found == directives.end())
    fail_at(directive.line, "directive {} is not understood", describe(directive));
  found->second(*this);
}

bool ModuleParser::parse_declaration(const Token& directive, Linkage linkage) {
  if (directive.text == "entry" || directive.text == "func") {
    parse_function(context_, directive.text == "entry");
    return true;
  }
  const std::optional<Space> space = space_named(directive.text);
  if (!space) return false;
  if (*space == Space::generic || *space == Space::local || *space == Space::param)
    fail_at(directive.line, "{} variables are those of functions", describe(directive));
  parse_declarations(lexer_, directive, linkage,
                     [&](const Declared& declared) { add_variable(declared); });
  return true;
}

void ModuleParser::parse_version() {
  const Token version = lexer_.expect(TokenKind::number, "a version");
  const auto [major, minor] = version.text.split('.');
  if (major.getAsInteger(10, module_.major) || minor.getAsInteger(10, module_.minor))
    fail_at(version.line, "{} is no version of PTX", describe(version));
}

void ModuleParser::parse_target() {
  module_.target = lexer_.expect(TokenKind::word, "a target").text.str();
  while (lexer_.accept(',')) lexer_.expect(TokenKind::word, "a part of the target");
}

void ModuleParser::parse_address_size() {
  const int line = lexer_.peek().line;
  const int64_t bits = parse_integer(lexer_);
  if (bits != 64)
    fail_at(line, "the addresses have {} bits, and those of the simulated device 64", bits);
}

void ModuleParser::parse_alias() {
  const Token alias = lexer_.expect(TokenKind::word, "a function");
  lexer_.expect(',');
  module_.aliases[alias.text.str()] = lexer_.expect(TokenKind::word, "a function").text.str();
  lexer_.expect(';');
}

void ModuleParser::parse_pragma() {
  while (!lexer_.accept(';')) lexer_.expect(TokenKind::string, "a string");
}

/// A definition takes the place of `.extern`.
void ModuleParser::add_variable(const Declared& declared) {
  if (declared.count >= 0)
    return context_.spell_out(declared, [this](const Declared& one) { add_variable(one); });
  const auto [known, is_new] =
      context_.variables.try_emplace(declared.name.text, module_.variables.size());
  if (is_new) return module_.variables.push_back(declared.variable);
  Variable& variable = module_.variables[known->second];
  if (!variable.is_extern && !declared.variable.is_extern)
    fail_at(declared.name.line, "{} is declared twice", variable.name);
  if (variable.is_extern) variable = declared.variable;
}

void ModuleParser::check_references() const {
  for (const Variable& variable : module_.variables)
    for (const Variable::Reference& reference : variable.references)
      if (!context_.declares(reference.symbol))
        fail_at(variable.line, "{} is not declared", reference.symbol);
}

}  // namespace

Module parse(std::string_view text) {
  return ModuleParser(llvm::StringRef(text.data(), text.size())).parse();
}

}  // namespace hone::ptx
