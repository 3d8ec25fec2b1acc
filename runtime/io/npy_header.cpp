#include "runtime/io/npy_header.h"

#include <array>
#include <cctype>
#include <utility>

#include "fmt/ranges.h"
#include "runtime/array.h"

namespace hone {
namespace {

struct Spelling {
  DType type;
  std::string_view text;
};

/// Of two types with one spelling, files are read as the first.
constexpr std::array<Spelling, 9> spellings = {{{DType::f64, "<f8"},
                                                {DType::f32, "<f4"},
                                                {DType::tf32, "<f4"},
                                                {DType::f16, "<f2"},
                                                {DType::i64, "<i8"},
                                                {DType::i32, "<i4"},
                                                {DType::i8, "|i1"},
                                                {DType::u8, "|u1"},
                                                {DType::boolean, "|b1"}}};

/// Elements that Hone has no type for, each with one of as many bytes.
constexpr std::array<Spelling, 4> foreign_spellings = {
    {{DType::i64, "<u8"}, {DType::i32, "<u4"}, {DType::f16, "<u2"}, {DType::f16, "<i2"}}};

/// A type of one byte has no byte order: '<', '=' and '|' mean the same.
DType parse_descr(const std::string& path, std::string_view descr, NpyElements taken) {
  const std::string_view letters = descr.substr(descr.empty() ? 0 : 1);
  const bool one_byte = !letters.empty() && letters.back() == '1';
  if (!one_byte && descr.substr(0, 1) == ">")
    throw RuntimeError("{} holds big-endian '{}'; little-endian '<{}' is read", path, descr,
                       letters);
  for (const Spelling& spelling : spellings)
    if (spelling.text == descr || (one_byte && spelling.text.substr(1) == letters))
      return spelling.type;
  if (taken == NpyElements::own)
    throw RuntimeError("{} holds '{}'; f8, f4, f2, i8, i4, i1, u1 and b1 are read", path, descr);
  for (const Spelling& spelling : foreign_spellings)
    if (spelling.text == descr) return spelling.type;
  throw RuntimeError("{} holds '{}'; f8, f4, f2, i8 to i1, u8 to u1 and b1 are read", path, descr);
}

/// A cursor over the header:
///
///   header = "{" { entry "," } [ entry ] "}"
///   entry  = "'descr'" ":" string | "'fortran_order'" ":" bool | "'shape'" ":" shape
///   shape  = "(" { number "," } [ number ] ")"
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text, NpyElements taken)
      : path_(path), text_(text), taken_(taken) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (peek() != '}') expect(',');
    }
    skip_space();
    if (at_ != text_.size()) fail("nothing after '}'");
    for (const auto& [seen, key] :
         {std::pair(seen_descr_, "'descr'"), std::pair(seen_order_, "'fortran_order'"),
          std::pair(seen_shape_, "'shape'")})
      if (!seen) fail(key);
    return header_;
  }

 private:
  void entry() {
    const std::string_view key = string();
    expect(':');
    if (key == "descr") {
      if (peek() == '[')
        throw RuntimeError("{} holds structured elements; plain ones are read", path_);
      const std::string_view descr = string();
      header_.type = parse_descr(path_, descr, taken_);
      header_.elements = descr.substr(1);
      seen_descr_ = true;
    } else if (key == "fortran_order") {
      header_.fortran_order = boolean();
      seen_order_ = true;
    } else if (key == "shape") {
      header_.shape = shape();
      seen_shape_ = true;
    } else {
      fail("'descr', 'fortran_order' or 'shape'");
    }
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a string");
    const size_t start = at_ + 1;
    const size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) fail("a closing quote");
    at_ = end + 1;
    return text_.substr(start, end - start);
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("True or False");
  }

  std::vector<int64_t> shape() {
    std::vector<int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(number());
      if (peek() != ')') expect(',');
    }
    return extents;
  }

  int64_t number() {
    if (!std::isdigit(static_cast<unsigned char>(peek()))) fail("an extent");
    int64_t value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value))
        fail("an extent below 2^63");
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    const bool found = at_ < text_.size() && peek() == c;
    at_ += found;
    return found;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}'", c));
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw RuntimeError("{} has a malformed .npy header: expected {} at byte {} of {}", path_,
                       expected, at_, printable(text_.substr(0, 200)));
  }

  const std::string& path_;
  std::string_view text_;
  NpyElements taken_;
  size_t at_ = 0;
  NpyHeader header_;
  bool seen_descr_ = false, seen_order_ = false, seen_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& path, std::string_view text, NpyElements taken) {
  return HeaderParser(path, text, taken).parse();
}

bool has_npy_form(DType type) {
  return llvm::any_of(spellings, [=](const Spelling& spelling) { return spelling.type == type; });
}

std::string npy_header_text(const std::string& path, DType type, llvm::ArrayRef<int64_t> shape) {
  for (const Spelling& spelling : spellings)
    if (spelling.type == type)
      return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                         spelling.text, fmt::join(shape.begin(), shape.end(), ", "),
                         shape.size() == 1 ? "," : "");
  throw RuntimeError("cannot write {}: {} has no .npy form; {}", path, name(type).str(),
                     is_tuple(type) ? "take its components apart" : "cast it to f32 first");
}

std::string printable(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    result += std::isprint(static_cast<unsigned char>(c))
                  ? std::string(1, c)
                  : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result + "\"";
}

}  // namespace hone
