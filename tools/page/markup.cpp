#include "tools/page/markup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace hone {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Quotes have a meaning in attributes alone, whose values stand between double ones.
std::string_view escaped(char character, bool is_attribute) {
  switch (character) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    case '"':
      return is_attribute ? "&quot;" : std::string_view();
    default:
      return {};
  }
}

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\n' && character != '\t') || code == 0x7F;
}

std::string escape(std::string_view text, bool is_attribute) {
  std::string result;
  for (const char character : llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size()))) {
    const std::string_view sequence =
        is_control(character) ? replacement : escaped(character, is_attribute);
    if (sequence.empty())
      result += character;
    else
      result += sequence;
  }
  return result;
}

bool has_no_content(std::string_view name) {
  constexpr std::string_view empty[] = {"br", "hr", "img", "input", "link", "meta"};
  return llvm::is_contained(empty, name);
}

}  // namespace

Markup Markup::text(std::string_view text) { return trusted(escape(text, false)); }

Markup Markup::trusted(std::string markup) {
  Markup result;
  result.markup_ = std::move(markup);
  return result;
}

Markup& Markup::operator+=(const Markup& other) {
  markup_ += other.markup_;
  return *this;
}

Markup element(std::string_view name, Attributes attributes, const Markup& content) {
  std::string markup = "<" + std::string(name);
  for (const auto& [attribute, value] : attributes)
    if (!value.empty()) markup += " " + std::string(attribute) + "=\"" + escape(value, true) + "\"";
  if (has_no_content(name)) return Markup::trusted(markup + "/>");
  return Markup::trusted(markup + ">" + content.string() + "</" + std::string(name) + ">");
}

Markup element(std::string_view name, const Markup& content) { return element(name, {}, content); }

Markup element(std::string_view name, Attributes attributes, std::string_view text) {
  return element(name, attributes, Markup::text(text));
}

Markup element(std::string_view name, std::string_view text) {
  return element(name, {}, Markup::text(text));
}

}  // namespace hone
