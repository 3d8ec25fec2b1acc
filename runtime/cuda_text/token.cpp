#include "runtime/cuda_text/token.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

bool begins_word(char c) { return llvm::isAlpha(c) || c == '_' || c == '$' || (c & 0x80) != 0; }
bool continues_word(char c) { return begins_word(c) || llvm::isDigit(c); }

bool is_string_prefix(StringRef word) {
  return word == "L" || word == "u" || word == "U" || word == "u8" || word == "R" || word == "LR" ||
         word == "uR" || word == "UR" || word == "u8R";
}

class Tokenizer {
 public:
  explicit Tokenizer(StringRef source) : source_(source) {}

  std::vector<CudaToken> run() {
    while (skip_blanks()) {
      const size_t start = at_;
      const int line = line_;
      const CudaTokenKind kind = step();
      is_line_start_ = false;
      tokens_.push_back({kind, source_.slice(start, at_), line});
    }
    return std::move(tokens_);
  }

 private:
  bool ended() const { return at_ >= source_.size(); }
  bool sees(StringRef text) const { return source_.substr(at_, text.size()) == text; }

  void advance(size_t end) {
    end = std::min(end, source_.size());
    const StringRef passed = source_.slice(at_, end);
    line_ += static_cast<int>(passed.count('\n'));
    at_ = end;
  }
  /// Behind the next `text`, or at the end.
  void advance_behind(StringRef text, size_t from) {
    const size_t found = source_.find(text, from);
    advance(found == StringRef::npos ? source_.size() : found + text.size());
  }

  /// False at the end.
  bool skip_blanks() {
    while (!ended()) {
      if (sees("//"))
        advance(end_of_line());
      else if (sees("/*"))
        advance_behind("*/", at_ + 2);
      else if (source_[at_] == '\\' || llvm::isSpace(source_[at_])) {
        is_line_start_ |= source_[at_] == '\n';
        advance(at_ + 1);
      } else {
        return true;
      }
    }
    return false;
  }

  /// Of a line that goes on behind `\`, the end of the last one.
  size_t end_of_line() const {
    size_t end = source_.find('\n', at_);
    while (end != StringRef::npos && source_.take_front(end).rtrim('\r').endswith("\\"))
      end = source_.find('\n', end + 1);
    return std::min(end, source_.size());
  }

  CudaTokenKind step() {
    const char first = source_[at_];
    if (first == '#' && is_line_start_) return directive();
    if (begins_word(first)) return word();
    const bool is_number = llvm::isDigit(first) || (first == '.' && at_ + 1 < source_.size() &&
                                                    llvm::isDigit(source_[at_ + 1]));
    if (is_number) return number();
    if (first == '"' || first == '\'') return quoted(first);
    advance(at_ + (sees("::") || sees("->") ? 2 : 1));
    return CudaTokenKind::mark;
  }

  /// Without a comment at its end.
  CudaTokenKind directive() {
    const StringRef line = source_.slice(at_, end_of_line());
    const bool is_include = name_of_directive(line) == "include";
    advance(at_ + (is_include ? line.size() : start_of_last_comment(line)));
    return CudaTokenKind::directive;
  }
  /// The size of the line where it ends with no comment.
  static size_t start_of_last_comment(StringRef line) {
    size_t start = std::min(line.find("//"), line.find("/*"));
    while (line.substr(start).startswith("/*")) {
      const size_t end = line.find("*/", start + 2);
      if (end == StringRef::npos || line.substr(end + 2).trim(" \t\r\n\\").empty()) break;
      start = std::min(line.find("//", end + 2), line.find("/*", end + 2));
    }
    return std::min(start, line.size());
  }

  CudaTokenKind word() {
    size_t end = at_;
    while (end < source_.size() && continues_word(source_[end])) ++end;
    const StringRef text = source_.slice(at_, end);
    const bool is_text = is_string_prefix(text) && end < source_.size() &&
                         (source_[end] == '"' || source_[end] == '\'');
    if (!is_text) {
      advance(end);
      return CudaTokenKind::word;
    }
    advance(end);
    return text.endswith("R") && source_[end] == '"' ? raw() : quoted(source_[end]);
  }

  CudaTokenKind number() {
    size_t end = at_;
    while (end < source_.size()) {
      const char c = source_[end];
      const bool is_sign =
          (c == '+' || c == '-') && end > at_ && StringRef("eEpP").contains(source_[end - 1]) &&
          !(StringRef("eE").contains(source_[end - 1]) && source_.substr(at_, 2).lower() == "0x");
      const bool is_separator =
          c == '\'' && end + 1 < source_.size() && llvm::isAlnum(source_[end + 1]);
      if (!continues_word(c) && c != '.' && !is_sign && !is_separator) break;
      ++end;
    }
    advance(end);
    return CudaTokenKind::number;
  }

  CudaTokenKind quoted(char quote) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n')
      end += source_[end] == '\\' ? 2 : 1;
    const bool is_closed = end < source_.size() && source_[end] == quote;
    advance(end + (is_closed ? 1 : 0));
    return CudaTokenKind::text;
  }

  CudaTokenKind raw() {
    const size_t open = source_.find('(', at_);
    const StringRef mark = source_.slice(at_ + 1, open);
    advance_behind((")" + mark + "\"").str(), open);
    return CudaTokenKind::text;
  }

  StringRef source_;
  size_t at_ = 0;
  int line_ = 1;
  bool is_line_start_ = true;
  std::vector<CudaToken> tokens_;
};

}  // namespace

std::vector<CudaToken> tokens_of(StringRef source) { return Tokenizer(source).run(); }

StringRef name_of_directive(StringRef directive) {
  return directive.drop_front().ltrim(" \t").take_while(llvm::isAlpha);
}

}  // namespace hone::ptx
