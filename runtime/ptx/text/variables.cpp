#include "runtime/ptx/text/variables.h"

#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/text/constant.h"

namespace hone::ptx {
namespace {

constexpr int64_t bytes_of_handle = 8;
/// Of %r<25>, against mistakes.
constexpr int64_t most_numbers = 1 << 22;

/// ".align 4 .v2 .f32", and ".ptr .global .align 8" of a parameter, which says nothing about the
/// parameter itself.
class Specifiers {
 public:
  Specifiers(Lexer& lexer, Declared& result) : lexer_(lexer), result_(result) {
    result_.variable.alignment = 0;
    while (lexer_.at(TokenKind::dotted)) parse_one(lexer_.next());
    if (result_.variable.type == Type::none) lexer_.fail_expecting("a type");
  }

 private:
  void parse_one(const Token& token) {
    const std::optional<Type> type = type_named(token.text);
    if (type)
      result_.variable.type = *type;
    else if (token.text == "align")
      parse_alignment();
    else if (token.text == "ptr")
      is_pointer_ = true;
    else if (token.text == "attribute")
      skip_parentheses(lexer_);
    else if (!parse_width(token.text) && !parse_handle(token.text) &&
             !(is_pointer_ && space_named(token.text)))
      fail_at(token.line, "{} is not understood in a declaration", describe(token));
  }

  void parse_alignment() {
    const int64_t alignment = parse_integer(lexer_);
    if (!is_pointer_) result_.variable.alignment = alignment;
  }

  bool parse_width(llvm::StringRef text) {
    if (text != "v2" && text != "v4" && text != "v8") return false;
    result_.width = text.back() - '0';
    return true;
  }

  bool parse_handle(llvm::StringRef text) {
    if (text != "texref" && text != "samplerref" && text != "surfref") return false;
    result_.variable.is_opaque = true;
    result_.variable.type = Type::b64;
    return true;
  }

  Lexer& lexer_;
  Declared& result_;
  bool is_pointer_ = false;
};

/// "[4][2]"; 0 of "[]".
llvm::SmallVector<int64_t> parse_extents(Lexer& lexer) {
  llvm::SmallVector<int64_t> result;
  while (lexer.accept('[')) {
    const int line = lexer.peek().line;
    const int64_t extent = lexer.at(']') ? 0 : parse_integer(lexer);
    if (extent < 0) fail_at(line, "the array has {} elements", extent);
    result.push_back(extent);
    lexer.expect(']');
  }
  return result;
}

void parse_value(Lexer& lexer, Declared& declared, llvm::SmallVectorImpl<int64_t>& extents) {
  if (!lexer.accept('=')) return;
  if (declared.variable.is_opaque) return lexer.skip_braces();
  parse_initial(lexer, declared.name, declared.variable, extents);
}

/// "[16] = {1, 2}", behind the name.
void parse_extent_and_value(Lexer& lexer, Declared& declared) {
  Variable& variable = declared.variable;
  llvm::SmallVector<int64_t> extents = parse_extents(lexer);
  if (declared.width > 1) extents.push_back(declared.width);
  parse_value(lexer, declared, extents);
  variable.bytes = variable.is_opaque ? bytes_of_handle : bytes_of(variable.type);
  if (variable.alignment == 0)
    variable.alignment = std::max<int64_t>(1, variable.bytes * declared.width);
  for (const int64_t extent : extents)
    if (__builtin_mul_overflow(variable.bytes, extent, &variable.bytes))
      fail_at(declared.name.line, "{} has more bytes than any memory", variable.name);
}

int64_t parse_count(Lexer& lexer) {
  int64_t result = 0;
  const Token count = lexer.expect(TokenKind::number, "a number of registers");
  if (count.text.getAsInteger(10, result) || result > most_numbers)
    fail_at(count.line, "{} is no number of registers", describe(count));
  lexer.expect('>');
  return result;
}

void parse_name(Lexer& lexer, Declared& declared) {
  declared.name = lexer.expect(TokenKind::word, "a name");
  declared.variable.name = declared.name.text.str();
  declared.variable.line = declared.name.line;
  declared.count = lexer.accept('<') ? parse_count(lexer) : -1;
}

/// With the space, up to the names.
Declared parse_start(Lexer& lexer, const Token& space, Linkage linkage) {
  Declared result;
  result.variable.space = *space_named(space.text);
  result.variable.type = Type::none;
  result.variable.is_extern = linkage.is_extern;
  result.variable.is_visible = linkage.is_visible;
  Specifiers(lexer, result);
  if (space.text == "tex") result.variable.is_opaque = true;
  return result;
}

}  // namespace

Linkage parse_linkage(Lexer& lexer) {
  Linkage result;
  for (;;) {
    if (lexer.accept(TokenKind::dotted, "extern"))
      result.is_extern = true;
    else if (lexer.accept(TokenKind::dotted, "visible") ||
             lexer.accept(TokenKind::dotted, "weak") || lexer.accept(TokenKind::dotted, "common"))
      result.is_visible = true;
    else
      return result;
  }
}

void skip_parentheses(Lexer& lexer) {
  lexer.expect('(');
  for (int depth = 1; depth > 0;) {
    if (lexer.at(TokenKind::end)) lexer.fail_expecting("')'");
    const Token token = lexer.next();
    depth += token.symbol == '(' ? 1 : token.symbol == ')' ? -1 : 0;
  }
}

std::optional<Space> space_named(llvm::StringRef directive) {
  return llvm::StringSwitch<std::optional<Space>>(directive)
      .Case("reg", Space::generic)
      .Cases("global", "tex", Space::global)
      .Case("const", Space::constant)
      .Case("shared", Space::shared)
      .Case("local", Space::local)
      .Case("param", Space::param)
      .Default(std::nullopt);
}

void parse_declarations(Lexer& lexer, const Token& space, Linkage linkage,
                        llvm::function_ref<void(const Declared&)> add) {
  const Declared start = parse_start(lexer, space, linkage);
  do {
    Declared declared = start;
    parse_name(lexer, declared);
    parse_extent_and_value(lexer, declared);
    add(declared);
  } while (lexer.accept(','));
  lexer.expect(';');
}

std::vector<Declared> parse_params(Lexer& lexer) {
  std::vector<Declared> result;
  while (!lexer.accept(')')) {
    if (!result.empty()) lexer.expect(',');
    const Token space = lexer.expect(TokenKind::dotted, "'.param' or '.reg'");
    if (space.text != "param" && space.text != "reg")
      fail_at(space.line, "expected '.param' or '.reg', got {}", describe(space));
    parse_name(lexer, result.emplace_back(parse_start(lexer, space, {})));
    parse_extent_and_value(lexer, result.back());
  }
  return result;
}

}  // namespace hone::ptx
