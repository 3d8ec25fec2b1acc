#include "ir/text/lexer.h"

#include "fmt/format.h"
#include "ir/text/literal.h"
#include "ir/text/parser.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
bool is_word_character(char c) { return llvm::isAlnum(c) || c == '_'; }

namespace {

size_t skip_word(llvm::StringRef text, size_t position) {
  while (position < text.size() && is_word_character(text[position])) ++position;
  return position;
}

/// A word, then '.' and a word any number of times: "i.0" whole, but "N..M" only up to the dots.
size_t identifier_length(llvm::StringRef text) {
  size_t end = skip_word(text, 0);
  while (end + 1 < text.size() && text[end] == '.' && is_word_character(text[end + 1]))
    end = skip_word(text, end + 1);
  return end;
}

/// As in "3i32" and "1.5e-10f64"; "0..N" gives "0".
size_t number_length(llvm::StringRef text) {
  return skip_word(text, split_number(text).digits.size());
}

/// The length of a text in double quotes, which ends on its line; 0 if it does not.
size_t string_length(llvm::StringRef text) {
  const size_t end = text.find_first_of("\"\n", 1);
  return end == llvm::StringRef::npos || text[end] == '\n' ? 0 : end + 1;
}

/// The length of the operator or bracket that `text` starts with; 0 if there is none. `<-` is two.
size_t symbol_length(llvm::StringRef text) {
  for (llvm::StringRef pair : {"..", "+=", "*=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"})
    if (text.take_front(2) == pair) return 2;
  if (text.front() == '.') return text.size() > 1 && llvm::isAlpha(text[1]) ? 1 : 0;
  return llvm::StringRef("()[]{},;:+-*/%^&|~=<>!@").contains(text.front()) ? 1 : 0;
}

llvm::StringRef skip_blanks_and_comments(llvm::StringRef text) {
  text = text.ltrim();
  while (text.take_front(2) == "//")
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text;
}

/// Of a token at the front of `text`, which is not blank; 0 length where none can be made.
Token first_token(llvm::StringRef text) {
  if (llvm::isDigit(text.front()))
    return {Token::Kind::number, text.take_front(number_length(text))};
  if (is_word_character(text.front()))
    return {Token::Kind::identifier, text.take_front(identifier_length(text))};
  if (text.front() == '"') return {Token::Kind::string, text.take_front(string_length(text))};
  return {Token::Kind::symbol, text.take_front(symbol_length(text))};
}

std::string describe(char c) {
  if (llvm::isPrint(c)) return fmt::format("character '{}'", c);
  return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
}

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  return fmt::format("'{}'", token.text.str());
}

/// The line with the place, cut to what fits a terminal, and a caret below it.
std::string point_at(llvm::StringRef line, size_t column) {
  constexpr size_t before = 70, width = 96;
  const size_t start = column > before ? column - before : 0;
  std::string shown = line.substr(start, width).str();
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  return fmt::format("  {}\n  {:>{}}", shown, '^', column - start + 1);
}

}  // namespace

TokenStream::TokenStream(llvm::StringRef text) : text_(text) {
  for (llvm::StringRef rest = skip_blanks_and_comments(text); !rest.empty();) {
    const Token token = first_token(rest);
    if (token.text.empty())
      fail({token.kind, rest.take_front(1)}, "unexpected " + describe(rest.front()));
    tokens_.push_back(token);
    rest = skip_blanks_and_comments(rest.drop_front(token.text.size()));
  }
  const char* end = tokens_.empty() ? text.begin() : tokens_.back().text.end();
  tokens_.push_back({Token::Kind::end, llvm::StringRef(end, 0)});
}

const Token& TokenStream::peek(size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

int TokenStream::line() const {
  return static_cast<int>(text_.take_front(peek().text.begin() - text_.begin()).count('\n')) + 1;
}

Token TokenStream::next() {
  const Token token = peek();
  if (!at_end()) ++position_;
  return token;
}

bool TokenStream::accept(llvm::StringRef spelling) {
  if (!at(spelling)) return false;
  next();
  return true;
}

Token TokenStream::expect(llvm::StringRef spelling) {
  if (!at(spelling)) fail_expected(fmt::format("'{}'", spelling.str()));
  return next();
}

Token TokenStream::expect_identifier(llvm::StringRef what) {
  if (!peek().is_identifier()) fail_expected(what.str());
  return next();
}

int64_t TokenStream::expect_integer(llvm::StringRef what) {
  int64_t value = 0;
  if (peek().kind != Token::Kind::number || peek().text.getAsInteger(10, value))
    fail_expected(what.str());
  next();
  return value;
}

llvm::StringRef TokenStream::expect_string(llvm::StringRef what) {
  if (!peek().is_string()) fail_expected(what.str());
  return next().text.drop_front().drop_back();
}

void TokenStream::fail(const Token& place, const std::string& message) const {
  const auto offset = static_cast<size_t>(place.text.begin() - text_.begin());
  const llvm::StringRef before = text_.take_front(offset);
  const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  const llvm::StringRef line = text_.substr(start).split('\n').first;
  const size_t column = offset - start;
  throw ParseError(fmt::format("{}:{}: {}\n{}", before.count('\n') + 1, column + 1, message,
                               point_at(line, column)));
}

void TokenStream::fail_expected(const std::string& what) const {
  fail(peek(), fmt::format("expected {}, found {}", what, describe(peek())));
}

}  // namespace hone
