#include "tools/cli/source/source_text.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "tools/cli/source/code_mask.h"

namespace hone {
namespace {

bool is_opening(char character) { return llvm::StringRef("([{").contains(character); }
bool is_closing(char character) { return llvm::StringRef(")]}").contains(character); }
bool is_name(char character) { return llvm::isAlnum(character) || character == '_'; }

/// True of what stands before the brace of a namespace, whose declarations count like others.
bool opens_namespace(llvm::StringRef head) {
  const std::string_view start = head.ltrim();
  return start.starts_with("namespace") || start.starts_with("inline namespace") ||
         start.starts_with("extern \"");
}

/// True if a declaration goes on behind a closing brace of its own.
bool goes_on(llvm::StringRef behind) {
  behind = behind.ltrim();
  return !behind.empty() && llvm::StringRef(";,=(){[.").contains(behind.front());
}

llvm::StringRef without_template(llvm::StringRef head) {
  head = head.ltrim();
  if (!std::string_view(head).starts_with("template")) return head;
  int depth = 0;
  for (size_t n = 0; n < head.size(); ++n) {
    depth += head[n] == '<' ? 1 : head[n] == '>' ? -1 : 0;
    if (head[n] == '>' && depth == 0) return head.substr(n + 1);
  }
  return head;
}

/// The word before the arguments of a function, or before the value or the length of a constant.
llvm::StringRef name_in(llvm::StringRef code) {
  llvm::StringRef head =
      without_template(code)
          .take_until([](char one) { return llvm::StringRef("(={;").contains(one); })
          .rtrim();
  if (!head.empty() && head.back() == ']') head = head.take_front(head.rfind('[')).rtrim();
  size_t start = head.size();
  while (start > 0 && is_name(head[start - 1])) --start;
  return head.substr(start) == "auto" ? "" : head.substr(start);  // of structured bindings
}

size_t indentation(llvm::StringRef line) { return line.size() - line.ltrim().size(); }

}  // namespace

SourceText::SourceText(std::string text) : text_(std::move(text)), code_(code_of(text_)) {
  starts_.push_back(0);
  for (size_t n = 0; n < text_.size(); ++n)
    if (text_[n] == '\n') starts_.push_back(n + 1);
  if (starts_.back() != text_.size()) starts_.push_back(text_.size());
  find_declarations();
}

void SourceText::find_declarations() {
  size_t start = 0;
  int depth = 0;
  const llvm::StringRef code = code_;
  for (size_t n = 0; n < code.size(); ++n) {
    const char now = code[n];
    if (depth == 0 && (now == '}' || (now == '{' && opens_namespace(code.slice(start, n))))) {
      start = n + 1;
      continue;
    }
    depth += is_opening(now) ? 1 : is_closing(now) && depth > 0 ? -1 : 0;
    if (depth > 0 || (now != ';' && (now != '}' || goes_on(code.substr(n + 1))))) continue;
    declare(start, n + 1);
    start = n + 1;
  }
}

void SourceText::declare(size_t from, size_t to) {
  while (from < to && llvm::isSpace(code_[from])) ++from;
  const unsigned above = declarations_.empty() ? 0 : declarations_.back().lines.last;
  LineRange lines = {line_of(from), line_of(to - 1)};
  const llvm::StringRef name = name_in(llvm::StringRef(code_).slice(from, to));
  const unsigned start = lines.first;
  while (lines.first - 1 > above && is_comment(lines.first - 1)) --lines.first;
  declarations_.push_back({name.str(), lines, start - lines.first});
}

unsigned SourceText::line_of(size_t position) const {
  return static_cast<unsigned>(llvm::upper_bound(starts_, position) - starts_.begin());
}

llvm::StringRef SourceText::code(const LineRange& lines) const {
  return llvm::StringRef(code_).slice(starts_[lines.first - 1], starts_[lines.last]);
}

llvm::StringRef SourceText::raw_line(unsigned line) const {
  return llvm::StringRef(text_).slice(starts_[line - 1], starts_[line]).rtrim("\n");
}

bool SourceText::is_comment(unsigned line) const {
  const llvm::StringRef text = raw_line(line).trim();
  return !text.empty() && text.front() != '#' && code({line, line}).trim().empty();
}

const SourceDeclaration* SourceText::declaration_at(unsigned line) const {
  const auto found =
      llvm::find_if(declarations_, [&](const auto& one) { return one.lines.contains(line); });
  return found == declarations_.end() ? nullptr : &*found;
}

std::vector<LineRange> SourceText::brackets_around(size_t position) const {
  std::vector<LineRange> result;
  size_t from = position, to = position;
  const auto leave = [&](int step, size_t& at, auto is_inward, auto is_outward) {
    int depth = 0;
    for (at += step; at < code_.size(); at += step) {
      if (is_outward(code_[at]) && depth-- == 0) return true;
      if (is_inward(code_[at])) ++depth;
    }
    return false;
  };
  while (leave(-1, from, is_closing, is_opening) && leave(1, to, is_opening, is_closing))
    result.push_back({line_of(from), line_of(to)});
  return result;
}

std::optional<LineRange> SourceText::stretch_around(unsigned line, unsigned most_lines) const {
  if (line == 0 || line >= starts_.size()) return std::nullopt;
  const SourceDeclaration* declaration = declaration_at(line);
  if (declaration && declaration->lines.size() <= most_lines) return declaration->lines;
  LineRange best = {line, line};
  for (const LineRange& one : brackets_around(starts_[line - 1] + indentation(raw_line(line))))
    if (one.size() <= most_lines) best = one;
  return best;
}

std::optional<LineRange> SourceText::call_with(llvm::StringRef literal, unsigned line) const {
  const SourceDeclaration* declaration = declaration_at(line);
  if (!declaration) return std::nullopt;
  const std::string quoted = ("\"" + literal + "\"").str();
  const auto distance = [&](const LineRange& one) {
    return line < one.first ? one.first - line : line > one.last ? line - one.last : 0;
  };
  std::optional<LineRange> best;
  const size_t end = starts_[declaration->lines.last];
  for (size_t at = starts_[declaration->lines.first - 1];; ++at) {
    at = text_.find(quoted, at);
    if (at == std::string::npos || at >= end) return best;
    const std::vector<LineRange> around = brackets_around(at);
    if (code_[at] != '"' || around.empty()) continue;
    if (!best || distance(around.front()) < distance(*best)) best = around.front();
  }
}

std::vector<llvm::StringRef> SourceText::words(const LineRange& lines) const {
  std::vector<llvm::StringRef> result;
  llvm::StringRef rest = code(lines);
  while (!rest.empty()) {
    rest = rest.drop_until(is_name);
    const llvm::StringRef word = rest.take_while(is_name);
    if (!word.empty()) result.push_back(word);
    rest = rest.drop_front(word.size());
  }
  return result;
}

std::vector<llvm::StringRef> SourceText::includes() const {
  std::vector<llvm::StringRef> result;
  for (unsigned line = 1; line < starts_.size(); ++line) {
    llvm::StringRef rest = raw_line(line);
    if (rest.consume_front("#include \""))
      result.push_back(rest.take_until([](char one) { return one == '"'; }));
  }
  return result;
}

std::string SourceText::text(const LineRange& lines) const {
  size_t margin = llvm::StringRef::npos;
  for (unsigned line = lines.first; line <= lines.last; ++line)
    if (const auto one = raw_line(line); !one.trim().empty())
      margin = std::min(margin, indentation(one));
  std::string result;
  for (unsigned line = lines.first; line <= lines.last; ++line)
    result += raw_line(line).drop_front(std::min(margin, raw_line(line).size())).str() + "\n";
  return result;
}

}  // namespace hone
