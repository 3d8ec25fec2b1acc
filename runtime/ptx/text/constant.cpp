#include "runtime/ptx/text/constant.h"

#include <bit>

#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {
namespace {

// ---- Literals -----------------------------------------------------------------------------------

Constant real_constant(double value) { return {std::bit_cast<int64_t>(value), Type::f64}; }

[[noreturn]] void fail_literal(const Token& token) {
  fail_at(token.line, "{} is no literal of PTX", describe(token));
}

/// "0f3F800000" and "0d3FF0000000000000".
Constant bits_of_real(const Token& token, size_t digits, Type type) {
  uint64_t bits = 0;
  if (token.text.size() != digits + 2 || token.text.drop_front(2).getAsInteger(16, bits))
    fail_literal(token);
  return {static_cast<int64_t>(bits), type};
}

/// Decimal, octal with a 0 in front, hexadecimal with 0x, binary with 0b.
Constant integer_literal(const Token& token) {
  llvm::StringRef digits = token.text;
  const bool is_unsigned = digits.consume_back("U");
  uint64_t bits = 0;
  if (digits.getAsInteger(0, bits)) fail_literal(token);
  const bool is_wide = bits > static_cast<uint64_t>(INT64_MAX);
  return {static_cast<int64_t>(bits), is_unsigned || is_wide ? Type::u64 : Type::s64};
}

Constant literal(const Token& token) {
  const llvm::StringRef text = token.text;
  const char second = text.size() > 1 ? llvm::toLower(text[1]) : ' ';
  const bool has_prefix = text.front() == '0' && llvm::isAlpha(second);
  if (has_prefix && second == 'f') return bits_of_real(token, 8, Type::f32);
  if (has_prefix && second == 'd') return bits_of_real(token, 16, Type::f64);
  if (has_prefix || text.find_first_of(".eE") == llvm::StringRef::npos)
    return integer_literal(token);
  double value = 0;
  if (text.getAsDouble(value)) fail_literal(token);
  return real_constant(value);
}

// ---- Operators ----------------------------------------------------------------------------------

struct BinaryOperator {
  const char* text;
  int precedence;
  enum class Meaning : uint8_t {
    logical_or,
    logical_and,
    bit_or,
    bit_xor,
    bit_and,
    equal,
    different,
    less_equal,
    greater_equal,
    less,
    greater,
    left,
    right,
    add,
    subtract,
    multiply,
    divide,
    modulo
  } meaning;
};
using Meaning = BinaryOperator::Meaning;

constexpr BinaryOperator binary_operators[] = {
    {"||", 1, Meaning::logical_or},    {"&&", 2, Meaning::logical_and},
    {"|", 3, Meaning::bit_or},         {"^", 4, Meaning::bit_xor},
    {"&", 5, Meaning::bit_and},        {"==", 6, Meaning::equal},
    {"!=", 6, Meaning::different},     {"<=", 7, Meaning::less_equal},
    {">=", 7, Meaning::greater_equal}, {"<", 7, Meaning::less},
    {">", 7, Meaning::greater},        {"<<", 8, Meaning::left},
    {">>", 8, Meaning::right},         {"+", 9, Meaning::add},
    {"-", 9, Meaning::subtract},       {"*", 10, Meaning::multiply},
    {"/", 10, Meaning::divide},        {"%", 10, Meaning::modulo},
};

const BinaryOperator* binary_operator(const Token& token) {
  if (!token.is(TokenKind::symbol) || llvm::StringRef(";,)]}").contains(token.symbol))
    return nullptr;
  for (const BinaryOperator& candidate : binary_operators)
    if (token.text == candidate.text) return &candidate;
  return nullptr;
}

/// Those that hold or do not, of integers and of floating point.
template <class T>
std::optional<bool> compare(Meaning meaning, T a, T b) {
  switch (meaning) {
    case Meaning::logical_or:
      return a != 0 || b != 0;
    case Meaning::logical_and:
      return a != 0 && b != 0;
    case Meaning::equal:
      return a == b;
    case Meaning::different:
      return a != b;
    case Meaning::less_equal:
      return a <= b;
    case Meaning::greater_equal:
      return a >= b;
    case Meaning::less:
      return a < b;
    case Meaning::greater:
      return a > b;
    default:
      return std::nullopt;
  }
}

/// Those of integers and of floating point; division by a `b` that is not 0.
template <class T>
std::optional<T> calculate(Meaning meaning, T a, T b) {
  switch (meaning) {
    case Meaning::add:
      return a + b;
    case Meaning::subtract:
      return a - b;
    case Meaning::multiply:
      return a * b;
    case Meaning::divide:
      return a / b;
    default:
      return std::nullopt;
  }
}

/// Those of bits.
uint64_t combine(Meaning meaning, uint64_t a, uint64_t b) {
  switch (meaning) {
    case Meaning::bit_or:
      return a | b;
    case Meaning::bit_xor:
      return a ^ b;
    case Meaning::bit_and:
      return a & b;
    case Meaning::left:
      return b < 64 ? a << b : 0;
    case Meaning::right:
      return b < 64 ? a >> b : 0;
    default:
      return a % b;
  }
}

/// Of division and of a shift to the right, which are not those of the bits.
std::optional<int64_t> signed_result(Meaning meaning, int64_t a, int64_t b) {
  if (meaning == Meaning::right) return a >> std::min<uint64_t>(b, 63);
  if (meaning == Meaning::divide)
    return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
  if (meaning == Meaning::modulo) return b == -1 ? 0 : a % b;
  return std::nullopt;
}

std::optional<bool> compare_integers(Meaning meaning, const Constant& a, const Constant& b) {
  if (a.type == Type::s64 && b.type == Type::s64) return compare(meaning, a.bits, b.bits);
  return compare(meaning, static_cast<uint64_t>(a.bits), static_cast<uint64_t>(b.bits));
}

Constant apply_to_integers(Meaning meaning, const Constant& a, const Constant& b) {
  if (const auto holds = compare_integers(meaning, a, b)) return {*holds};
  const bool is_shift = meaning == Meaning::left || meaning == Meaning::right;
  const bool is_signed = a.type == Type::s64 && (is_shift || b.type == Type::s64);
  const Type type = is_signed ? Type::s64 : Type::u64;
  if (is_signed)
    if (const auto result = signed_result(meaning, a.bits, b.bits)) return {*result, type};
  const auto x = static_cast<uint64_t>(a.bits), y = static_cast<uint64_t>(b.bits);
  const std::optional<uint64_t> result = calculate(meaning, x, y);
  return {static_cast<int64_t>(result ? *result : combine(meaning, x, y)), type};
}

Constant apply_to_reals(const Token& token, Meaning meaning, double a, double b) {
  if (const auto holds = compare(meaning, a, b)) return {*holds};
  const auto result = calculate(meaning, a, b);
  if (!result) fail_at(token.line, "{} is no operator of floating-point values", describe(token));
  return real_constant(*result);
}

Constant apply(const Token& token, Meaning meaning, const Constant& a, const Constant& b) {
  if (is_real(a.type) || is_real(b.type)) return apply_to_reals(token, meaning, a.real(), b.real());
  if ((meaning == Meaning::divide || meaning == Meaning::modulo) && b.bits == 0)
    fail_at(token.line, "division by zero");
  return apply_to_integers(meaning, a, b);
}

// ---- Expressions --------------------------------------------------------------------------------

Constant unary(Lexer& lexer);

Constant binary(Lexer& lexer, int least_precedence) {
  Constant result = unary(lexer);
  while (const BinaryOperator* const found = binary_operator(lexer.peek())) {
    if (found->precedence < least_precedence) break;
    const Token token = lexer.next();
    result = apply(token, found->meaning, result, binary(lexer, found->precedence + 1));
  }
  return result;
}

/// Behind "(": "(.s64) x", "(.u64) x" and an expression in parentheses.
Constant in_parentheses(Lexer& lexer) {
  const bool is_cast = lexer.at(TokenKind::dotted);
  const bool is_unsigned = lexer.accept(TokenKind::dotted, "u64");
  if (is_cast && !is_unsigned && !lexer.accept(TokenKind::dotted, "s64"))
    lexer.fail_expecting("'.s64' or '.u64'");
  Constant result = is_cast ? Constant() : parse_constant(lexer);
  lexer.expect(')');
  return is_cast ? Constant{unary(lexer).bits, is_unsigned ? Type::u64 : Type::s64} : result;
}

Constant negative(const Constant& value) {
  if (is_real(value.type)) return real_constant(-value.real());
  return {static_cast<int64_t>(-static_cast<uint64_t>(value.bits)), value.type};
}

Constant unary(Lexer& lexer) {
  if (lexer.at(TokenKind::number)) return literal(lexer.next());
  if (lexer.accept('-')) return negative(unary(lexer));
  if (lexer.accept('+')) return unary(lexer);
  if (lexer.accept('(')) return in_parentheses(lexer);
  if (lexer.accept('!')) return {unary(lexer).bits == 0};
  if (lexer.accept(TokenKind::word, "WARP_SZ")) return {32};
  if (!lexer.accept('~')) lexer.fail_expecting("a constant");
  const Constant operand = unary(lexer);
  return {~operand.bits, operand.type};
}

}  // namespace

double Constant::real() const {
  if (type == Type::f64) return std::bit_cast<double>(bits);
  if (type == Type::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return type == Type::u64 ? static_cast<double>(static_cast<uint64_t>(bits))
                           : static_cast<double>(bits);
}

Constant parse_constant(Lexer& lexer) {
  const Constant condition = binary(lexer, 1);
  if (!lexer.accept('?')) return condition;
  const Constant yes = parse_constant(lexer);
  lexer.expect(':');
  const Constant no = parse_constant(lexer);
  return condition.bits != 0 ? yes : no;
}

int64_t parse_integer(Lexer& lexer) {
  const int line = lexer.peek().line;
  const Constant result = parse_constant(lexer);
  if (is_real(result.type)) fail_at(line, "expected an integer, got a floating-point value");
  return result.bits;
}

}  // namespace hone::ptx
