// The tokens of PTX.
#pragma once

#include "fmt/format.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/ptx/text/parser.h"

namespace hone::ptx {

/// Throws PtxError: "line 12: ...".
template <class... Args>
[[noreturn]] void fail_at(int line, fmt::format_string<Args...> format, Args&&... args) {
  throw PtxError("line {}: {}", line, fmt::format(format, std::forward<Args>(args)...));
}

struct Token {
  enum class Kind : uint8_t {
    end,
    word,    ///< an identifier: add, %r1, $L__BB0_1, _
    dotted,  ///< a directive or a modifier: .entry, .v4, .shared::cta
    number,  ///< a literal, of any kind
    string,  ///< between quotes
    symbol,  ///< an operator or a bracket
  };

  Kind kind = Kind::end;
  char symbol = 0;         ///< of a symbol of one character
  llvm::StringRef text{};  ///< without the dot, without the quotes
  int line = 1;

  bool is(Kind wanted) const { return kind == wanted; }
};

using TokenKind = Token::Kind;

/// "'add'", "the end of the text"
std::string describe(const Token& token);

/// The tokens of a text, which outlives them. A copy goes on from the same place.
class Lexer {
 public:
  explicit Lexer(llvm::StringRef text);

  const Token& peek() const { return token_; }
  /// The token behind that of `peek`.
  Token peek_second() const;
  /// The token of `peek`, which is then behind.
  Token next();

  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool at(char symbol) const { return token_.symbol == symbol; }
  bool accept(char symbol) { return at(symbol) && (advance(), true); }
  /// A word or a dotted word of this text.
  bool accept(TokenKind kind, llvm::StringRef text);
  /// Each of these throws PtxError where something else comes.
  void expect(char symbol);
  Token expect(TokenKind kind, const char* what);

  /// Goes behind the '}' that ends the text in braces at hand, without a look at it.
  void skip_braces();
  [[noreturn]] void fail_expecting(const std::string& what) const;

 private:
  void advance();
  void skip_blanks();
  bool skip_comment();
  void skip_to(const char* place);
  TokenKind kind_at_hand() const;
  const char* end_of_token() const;
  const char* end_of_symbol() const;
  const char* end_of_number() const;

  const char *begin_, *at_, *end_;
  int line_ = 1;
  Token token_;
};

}  // namespace hone::ptx
