#include "tools/cli/source/code_mask.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"

namespace hone {
namespace {

class Mask {
 public:
  explicit Mask(const std::string& text) : text_(text), code_(text) {}

  std::string run() {
    bool is_start = true;  // of a line, but for blanks
    while (position_ < text_.size()) {
      const char now = text_[position_];
      if (now == '#' && is_start)
        blank(end_of_directive());
      else if (!skip_token())
        ++position_;
      is_start = now == '\n' || (is_start && llvm::isSpace(now));
    }
    return std::move(code_);
  }

 private:
  bool at(llvm::StringRef mark) const {
    return llvm::StringRef(text_).substr(position_, mark.size()) == mark;
  }

  /// A comment, a string or a character.
  bool skip_token() {
    if (at("//"))
      blank(find("\n", position_));
    else if (at("/*"))
      blank(find("*/", position_ + 2) + 2);
    else if (at("R\""))
      blank_raw_string();
    else if (at("\"") || (at("'") && !is_separator()))
      blank_quoted();
    else
      return false;
    return true;
  }

  size_t find(llvm::StringRef mark, size_t from) const {
    return std::min(llvm::StringRef(text_).find(mark, from), text_.size());
  }

  /// Of the digits of a number.
  bool is_separator() const { return position_ > 0 && llvm::isAlnum(text_[position_ - 1]); }

  size_t end_of_directive() const {
    size_t end = find("\n", position_);
    while (end < text_.size() && text_[end - 1] == '\\') end = find("\n", end + 1);
    return end;
  }

  void blank(size_t end) {
    end = std::min(end, text_.size());
    for (; position_ < end; ++position_)
      if (text_[position_] != '\n') code_[position_] = ' ';
  }

  /// R"mark(text)mark"
  void blank_raw_string() {
    const size_t open = find("(", position_);
    const std::string close = ")" + text_.substr(position_ + 2, open - position_ - 2) + "\"";
    blank(find(close, open) + close.size());
  }

  void blank_quoted() {
    const char quote = text_[position_++];
    const size_t from = position_;
    size_t end = from;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    blank(end);
    if (position_ < text_.size() && text_[position_] == quote) ++position_;
  }

  const std::string& text_;
  std::string code_;
  size_t position_ = 0;
};

}  // namespace

std::string code_of(const std::string& text) { return Mask(text).run(); }

}  // namespace hone
