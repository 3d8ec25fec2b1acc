// XML text that is well formed by construction: HTML pages and SVG pictures are made of it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace hone {

/// Elements and escaped text, one after the other. Nothing gets in unescaped but `trusted`.
class Markup {
 public:
  Markup() = default;

  /// The text with <, > and & escaped. Bytes that are no UTF-8, and control characters,
  /// which XML has no way to write, become U+FFFD.
  static Markup text(std::string_view text);
  /// Markup that was made elsewhere, as it stands.
  static Markup trusted(std::string markup);

  Markup& operator+=(const Markup& other);
  friend Markup operator+(Markup first, const Markup& second) { return first += second; }

  bool empty() const { return markup_.empty(); }
  const std::string& string() const { return markup_; }

 private:
  std::string markup_;
};

struct Attribute {
  std::string_view name;
  std::string value;  ///< unescaped
};
using Attributes = std::initializer_list<Attribute>;

/// <name attribute="value">content</name>. An attribute without a value is left out. Elements of
/// HTML that have no content, as br, end in themselves.
Markup element(std::string_view name, Attributes attributes, const Markup& content = {});
Markup element(std::string_view name, const Markup& content = {});
/// The same around escaped text.
Markup element(std::string_view name, Attributes attributes, std::string_view text);
Markup element(std::string_view name, std::string_view text);

}  // namespace hone
