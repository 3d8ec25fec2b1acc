// IR text as tokens, and the errors that point into it.
#pragma once

#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

struct Token {
  enum class Kind : uint8_t { identifier, number, string, symbol, end };

  Kind kind;
  llvm::StringRef text;  ///< a part of the whole text, which tells the place

  bool is(llvm::StringRef spelling) const { return kind != Kind::number && text == spelling; }
  bool is_identifier() const { return kind == Kind::identifier; }
  bool is_string() const { return kind == Kind::string; }
};

/// True for a letter, a digit and '_'.
bool is_word_character(char c);

/// A cursor over the tokens of a text, which must outlive it.
class TokenStream {
 public:
  /// Throws ParseError at a character that starts no token.
  explicit TokenStream(llvm::StringRef text);

  /// The token `ahead` places from here; the last one, of kind `end`, repeats for ever.
  const Token& peek(size_t ahead = 0) const;
  Token next();
  bool at(llvm::StringRef spelling) const { return peek().is(spelling); }
  /// The line of the next token, from 1.
  int line() const;
  bool at_end() const { return peek().kind == Token::Kind::end; }

  /// Goes past the token if it is spelt so.
  bool accept(llvm::StringRef spelling);
  /// Goes past a token that must be spelt so.
  Token expect(llvm::StringRef spelling);
  /// Goes past an identifier; `what` completes "expected ...".
  Token expect_identifier(llvm::StringRef what);
  /// Goes past a number without point, exponent or suffix.
  int64_t expect_integer(llvm::StringRef what);
  /// Goes past a text in double quotes, and returns it without them.
  llvm::StringRef expect_string(llvm::StringRef what);

  [[noreturn]] void fail(const Token& place, const std::string& message) const;
  /// Throws "expected <what>, found <the next token>".
  [[noreturn]] void fail_expected(const std::string& what) const;

 private:
  llvm::StringRef text_;
  llvm::SmallVector<Token, 0> tokens_;
  size_t position_ = 0;
};

}  // namespace hone
