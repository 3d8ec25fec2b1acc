#include "runtime/ptx/text/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {
namespace {

/// Of a character, whatever stands around it.
enum class CharacterClass : uint8_t { other, blank, word, digit };

constexpr std::array<CharacterClass, 256> classes = [] {
  std::array<CharacterClass, 256> result{};
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f', '\0'}) result[c] = CharacterClass::blank;
  for (int c = 'a'; c <= 'z'; ++c) result[c] = result[c - 'a' + 'A'] = CharacterClass::word;
  for (int c = '0'; c <= '9'; ++c) result[c] = CharacterClass::digit;
  result['_'] = result['$'] = CharacterClass::word;
  return result;
}();

CharacterClass class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
bool is_in_word(char c) { return class_of(c) >= CharacterClass::word; }

const char* end_of_word(const char* at, const char* end) {
  while (at != end && is_in_word(*at)) ++at;
  return at;
}

/// Of "shared::cta::x".
const char* end_of_scoped_word(const char* at, const char* end) {
  at = end_of_word(at, end);
  while (end - at > 2 && at[0] == ':' && at[1] == ':' && is_in_word(at[2]))
    at = end_of_word(at + 2, end);
  return at;
}

const char* end_of_digits(const char* at, const char* end) {
  while (at != end && class_of(*at) == CharacterClass::digit) ++at;
  return at;
}

/// Of "e-12" and "E5", if that is there.
const char* end_of_exponent(const char* at, const char* end) {
  if (at == end || (*at != 'e' && *at != 'E')) return at;
  const char* digits = at + 1;
  if (digits != end && (*digits == '+' || *digits == '-')) ++digits;
  return digits != end && class_of(*digits) == CharacterClass::digit ? end_of_digits(digits, end)
                                                                     : at;
}

/// <<, >>, &&, ||, and <=, >=, ==, !=.
bool is_double(const char* at, const char* end) {
  if (end - at < 2) return false;
  if (at[0] == at[1]) return llvm::StringRef("<>&|=").contains(at[0]);
  return at[1] == '=' && llvm::StringRef("<>!").contains(at[0]);
}

}  // namespace

std::string describe(const Token& token) {
  if (token.is(TokenKind::end)) return "the end of the text";
  return fmt::format("'{}{}'", token.is(TokenKind::dotted) ? "." : "", token.text.str());
}

Lexer::Lexer(llvm::StringRef text) : begin_(text.begin()), at_(text.begin()), end_(text.end()) {
  advance();
}

Token Lexer::peek_second() const {
  Lexer ahead = *this;
  ahead.advance();
  return ahead.token_;
}

Token Lexer::next() {
  const Token result = token_;
  advance();
  return result;
}

bool Lexer::accept(Token::Kind kind, llvm::StringRef text) {
  if (token_.kind != kind || token_.text != text) return false;
  advance();
  return true;
}

void Lexer::expect(char symbol) {
  if (!accept(symbol)) fail_expecting(fmt::format("'{}'", symbol));
}

Token Lexer::expect(Token::Kind kind, const char* what) {
  if (!at(kind)) fail_expecting(what);
  return next();
}

void Lexer::fail_expecting(const std::string& what) const {
  fail_at(token_.line, "expected {}, got {}", what, describe(token_));
}

void Lexer::skip_braces() {
  if (!at('{')) fail_expecting("'{'");
  const char* const close = std::find(at_, end_, '}');
  if (close == end_) fail_at(token_.line, "the '{{' has no '}}'");
  skip_to(close + 1);
  advance();
}

void Lexer::skip_to(const char* place) {
  line_ += static_cast<int>(std::count(at_, place, '\n'));
  at_ = place;
}

/// Of a comment, or of a line that names a place in another text: "# 12 "a.cu"".
bool Lexer::skip_comment() {
  const llvm::StringRef rest(at_, end_ - at_);
  const bool begins_line = at_ == begin_ || at_[-1] == '\n';
  if (rest.take_front(2) == "//" || (begins_line && rest.front() == '#')) {
    skip_to(std::find(at_, end_, '\n'));
    return true;
  }
  if (rest.take_front(2) != "/*") return false;
  const size_t close = rest.find("*/", 2);
  if (close == llvm::StringRef::npos) fail_at(line_, "the comment has no end");
  skip_to(at_ + close + 2);
  return true;
}

void Lexer::skip_blanks() {
  for (;; ++at_) {
    while (at_ != end_ && (*at_ == '/' || *at_ == '#') && skip_comment()) {
    }
    if (at_ == end_ || class_of(*at_) != CharacterClass::blank) return;
    if (*at_ == '\n') ++line_;
  }
}

TokenKind Lexer::kind_at_hand() const {
  if (at_ == end_) return TokenKind::end;
  const CharacterClass first = class_of(*at_),
                       second = end_ - at_ > 1 ? class_of(at_[1]) : CharacterClass::other;
  if (first == CharacterClass::word || (*at_ == '%' && second >= CharacterClass::word))
    return TokenKind::word;
  if (first == CharacterClass::digit) return TokenKind::number;
  if (*at_ == '"') return TokenKind::string;
  if (*at_ != '.' || second < CharacterClass::word) return TokenKind::symbol;
  const bool follows_word = at_ != begin_ && is_in_word(at_[-1]);
  return second == CharacterClass::digit && !follows_word ? TokenKind::number : TokenKind::dotted;
}

void Lexer::advance() {
  skip_blanks();
  token_.kind = kind_at_hand();
  token_.line = line_;
  const char* const end = end_of_token();
  const bool is_string = at(TokenKind::string);
  const char* const start = at_ + (is_string || at(TokenKind::dotted) ? 1 : 0);
  token_.text = {start, static_cast<size_t>(end - start)};
  token_.symbol = at(TokenKind::symbol) && end - at_ == 1 ? *at_ : '\0';
  at_ = end + (is_string ? 1 : 0);
}

const char* Lexer::end_of_token() const {
  switch (token_.kind) {
    case TokenKind::end:
      return at_;
    case TokenKind::word:
      return end_of_word(at_ + 1, end_);
    case TokenKind::dotted:
      return end_of_scoped_word(at_ + 1, end_);
    case TokenKind::number:
      return end_of_number();
    case TokenKind::string: {
      const char* const close = std::find(at_ + 1, end_, '"');
      if (close == end_) fail_at(line_, "the string has no end");
      return close;
    }
    case TokenKind::symbol:
      return end_of_symbol();
  }
  return at_;
}

const char* Lexer::end_of_symbol() const {
  if (is_double(at_, end_)) return at_ + 2;
  if (std::strchr("{}()[]<>,;:|@!+-*/%&^~=?", *at_)) return at_ + 1;
  fail_at(line_, "unexpected {}",
          llvm::isPrint(*at_) ? fmt::format("character '{}'", *at_)
                              : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(*at_)));
}

/// Of 12U, 0x1F, 0f3F800000, 1.5e-3, .5 and "5."; of 4 in "4.x".
const char* Lexer::end_of_number() const {
  const char* const digits = end_of_digits(at_, end_);
  const bool has_point = digits != end_ && *digits == '.';
  const char* const tail = has_point ? end_of_digits(digits + 1, end_) : digits;
  const char* const end = end_of_exponent(tail, end_);
  const bool ends = end == end_ || !is_in_word(*end);
  if (has_point && (ends || digits == at_)) return end;
  if (!has_point && end != tail && *at_ != '0') return end;
  return end_of_word(digits, end_);
}

}  // namespace hone::ptx
