#include "ir/text/layout_parser.h"

#include "fmt/format.h"

namespace hone {
namespace {

bool is_layout_word(llvm::StringRef word) {
  return word == "order" || word == "pad" || word == "pitch" || word == "swizzle";
}

llvm::SmallVector<int64_t, 4> parse_integers(TokenStream& tokens) {
  llvm::SmallVector<int64_t, 4> integers;
  do integers.push_back(tokens.expect_integer("an integer"));
  while (tokens.accept(","));
  return integers;
}

IndexDigit parse_digit(TokenStream& tokens) {
  return parse_digit_of(tokens, static_cast<int>(tokens.expect_integer("an integer")));
}

void check_count(TokenStream& tokens, const Token& word, size_t wanted, size_t found) {
  if (found == wanted) return;
  tokens.fail(word, fmt::format("@{} takes {} integers, found {}", word.text.str(), wanted, found));
}

Swizzle parse_swizzle(TokenStream& tokens, const Token& word) {
  const auto values = parse_integers(tokens);
  const bool names_digits = tokens.accept("^");
  check_count(tokens, word, names_digits ? 4 : 3, values.size());
  Swizzle swizzle = {values[0], values[1], values[2]};
  if (!names_digits) return swizzle;
  swizzle.digit = static_cast<int>(values[3]);
  swizzle.by = static_cast<int>(tokens.expect_integer("an integer"));
  return swizzle;
}

void parse_attribute(TokenStream& tokens, Layout& layout, llvm::function_ref<Expr()> parse_expr) {
  const Token word = tokens.next();
  tokens.expect("(");
  if (word.is("pitch")) {
    layout.row_pitch = parse_expr();
  } else if (word.is("swizzle")) {
    layout = layout.swizzle(parse_swizzle(tokens, word));
  } else if (word.is("order")) {
    layout.digits.clear();
    do layout.digits.push_back(parse_digit(tokens));
    while (tokens.accept(","));
  } else {
    const auto values = parse_integers(tokens);
    check_count(tokens, word, 1, values.size());
    layout.padding = values[0];
  }
  tokens.expect(")");
}

}  // namespace

IndexDigit parse_digit_of(TokenStream& tokens, int dim) {
  IndexDigit digit(dim);
  if (tokens.accept("/")) digit.stride = tokens.expect_integer("an integer");
  if (tokens.accept("%")) digit.count = tokens.expect_integer("an integer");
  return digit;
}

Layout parse_layout(TokenStream& tokens, llvm::function_ref<Expr()> parse_expr) {
  Layout layout;
  while (tokens.at("@") && is_layout_word(tokens.peek(1).text)) {
    tokens.next();
    parse_attribute(tokens, layout, parse_expr);
  }
  return layout;
}

}  // namespace hone
