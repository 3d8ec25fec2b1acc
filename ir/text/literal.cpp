#include "ir/text/literal.h"

#include <cmath>
#include <limits>

#include "fmt/format.h"
#include "ir/scalar/scalar.h"
#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

/// The decimal with the fewest digits that reads back as the constant; a whole number in full.
std::string shortest(const FloatConst& constant) {
  constexpr double exponent_from = 1e16;
  if (constant.value == std::trunc(constant.value) && std::abs(constant.value) < exponent_from)
    return fmt::format("{:.1f}", constant.value);
  constexpr int enough = std::numeric_limits<double>::max_digits10;
  for (int digits = 1; digits < enough; ++digits) {
    double candidate = 0;
    const std::string text = fmt::format("{:.{}e}", constant.value, digits - 1);
    llvm::StringRef(text).getAsDouble(candidate);
    if (round_to(constant.type, candidate) == constant.value) return fmt::format("{}", candidate);
  }
  return fmt::format("{}", constant.value);
}

/// The type that a word for a float names; nothing for any other word.
std::optional<DType> type_of_float_word(llvm::StringRef word) {
  if (word == "inf" || word == "nan") return DType::f32;
  if (!word.consume_front("inf_") && !word.consume_front("nan_")) return std::nullopt;
  const std::optional<DType> type = parse_dtype(word);
  return type && is_float(*type) ? type : std::nullopt;
}

[[noreturn]] void fail_to_fit(const std::string& number, DType type) {
  throw DefinitionError(fmt::format("{} does not fit {}", number, name(type).str()));
}

Expr make_integer(llvm::StringRef digits, bool negative, DType type) {
  const std::string text = (negative ? "-" : "") + digits.str();
  int64_t value = 0;
  if (llvm::StringRef(text).getAsInteger(10, value) || wrap_to(type, value) != value)
    fail_to_fit(text, type);
  return IntConst::make(value, type);
}

Expr make_float(llvm::StringRef digits, bool negative, DType type) {
  const std::string text = (negative ? "-" : "") + digits.str();
  double value = 0;
  llvm::StringRef(text).getAsDouble(value);
  const double rounded = round_to(type, value);
  const bool is_beyond = std::abs(value) > round_to(type, std::numeric_limits<double>::infinity());
  if (std::isinf(rounded) || is_beyond) fail_to_fit(text, type);
  return FloatConst::make(rounded, type);
}

Expr make_float_word(llvm::StringRef word, bool negative, DType type) {
  using Limits = std::numeric_limits<double>;
  if (word.front() == 'n') return FloatConst::make(Limits::quiet_NaN(), type);
  if (std::isfinite(round_to(type, Limits::infinity()))) fail_to_fit("inf", type);
  return FloatConst::make(negative ? -Limits::infinity() : Limits::infinity(), type);
}

DType number_type(const NumberParts& parts) {
  if (parts.rest.empty()) return parts.is_float ? DType::f32 : DType::index;
  const std::optional<DType> type = parse_dtype(parts.rest);
  if (!type || !(is_float(*type) || is_integer(*type)))
    throw DefinitionError(fmt::format("'{}' is no type of a number; there are {}", parts.rest.str(),
                                      names_of_numbers()));
  if (parts.is_float && !is_float(*type)) fail_to_fit(parts.digits.str(), *type);
  return *type;
}

}  // namespace

std::string spell(const IntConst& constant) {
  if (constant.type == DType::boolean) return constant.value != 0 ? "true" : "false";
  const llvm::StringRef suffix = constant.type == DType::index ? "" : name(constant.type);
  return fmt::format("{}{}", constant.value, suffix.str());
}

std::string spell(const FloatConst& constant) {
  const std::string suffix = constant.type == DType::f32 ? "" : name(constant.type).str();
  const std::string word_suffix = suffix.empty() ? "" : "_" + suffix;
  if (std::isnan(constant.value)) return "nan" + word_suffix;
  if (std::isinf(constant.value)) return (constant.value < 0 ? "-inf" : "inf") + word_suffix;
  std::string digits = shortest(constant);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + suffix;
}

NumberParts split_number(llvm::StringRef text) {
  const auto digit_at = [&](size_t i) { return i < text.size() && llvm::isDigit(text[i]); };
  const auto one_of_at = [&](size_t i, llvm::StringRef characters) {
    return i < text.size() && characters.contains(text[i]);
  };
  const auto skip_digits = [&](size_t i) {
    while (digit_at(i)) ++i;
    return i;
  };
  const size_t whole = skip_digits(0);
  size_t end = whole;
  if (one_of_at(end, ".") && digit_at(end + 1)) end = skip_digits(end + 1);
  if (one_of_at(end, "eE")) {
    const size_t exponent = end + (one_of_at(end + 1, "+-") ? 2 : 1);
    if (digit_at(exponent)) end = skip_digits(exponent);
  }
  return {text.take_front(end), text.drop_front(end), end != whole};
}

Expr parse_number(llvm::StringRef text, bool negative) {
  if (const auto type = type_of_float_word(text)) return make_float_word(text, negative, *type);
  const NumberParts parts = split_number(text);
  const DType type = number_type(parts);
  return is_float(type) ? make_float(parts.digits, negative, type)
                        : make_integer(parts.digits, negative, type);
}

bool is_float_word(llvm::StringRef word) { return type_of_float_word(word).has_value(); }

bool is_constant_word(llvm::StringRef word) {
  return word == "true" || word == "false" || is_float_word(word);
}

}  // namespace hone
