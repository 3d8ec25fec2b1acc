#include "runtime/cuda_text/unit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/cuda_text/dialect.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

Include include_of(const CudaToken& token) {
  const StringRef operand =
      token.text.drop_front(token.text.find("include") + StringRef("include").size()).ltrim();
  const bool is_quoted = operand.startswith("\"");
  const bool is_named = is_quoted || operand.startswith("<");
  const StringRef name = operand.drop_front(is_named ? 1 : operand.size());
  return {token.text, name.take_until([](char c) { return c == '"' || c == '>'; }).str(), is_quoted,
          token.line};
}

/// Directives that hold a text together, or that make macros.
bool stays(StringRef directive) {
  const StringRef name = name_of_directive(directive);
  return name.startswith("if") || name.startswith("el") || name == "endif" || name == "define" ||
         name == "undef";
}

const Declaration* innermost(llvm::ArrayRef<Declaration> declarations, int line,
                             const std::set<const Declaration*>& left_out) {
  for (const Declaration& declaration : declarations) {
    if (line < declaration.line || line > declaration.last_line) continue;
    if (left_out.count(&declaration) != 0) continue;
    if (const Declaration* member = innermost(declaration.members, line, left_out)) return member;
    if (declaration.kind != DeclarationKind::scope) return &declaration;
  }
  return nullptr;
}

const Declaration* outermost_type(llvm::ArrayRef<Declaration> declarations, int line,
                                  const std::set<const Declaration*>& left_out) {
  for (const Declaration& declaration : declarations) {
    if (line < declaration.line || line > declaration.last_line) continue;
    if (declaration.kind == DeclarationKind::type && left_out.count(&declaration) == 0)
      return &declaration;
    if (declaration.kind == DeclarationKind::scope)
      if (const Declaration* const type = outermost_type(declaration.members, line, left_out))
        return type;
  }
  return nullptr;
}

bool lies_in(StringRef part, StringRef text) {
  return text.begin() <= part.begin() && part.end() <= text.end();
}

}  // namespace

Unit::Unit(std::string path, std::string source)
    : path_(std::move(path)), source_(std::move(source)) {
  tokens_ = tokens_of(source_);
  declarations_ = declarations_of(tokens_);
  extensions_ = extensions_in(tokens_);
  for (const CudaToken& token : tokens_)
    if (token.kind == CudaTokenKind::directive && name_of_directive(token.text) == "include")
      includes_.push_back(include_of(token));
}

std::vector<StringRef> Unit::directives(StringRef name) const {
  std::vector<StringRef> result;
  for (const CudaToken& token : tokens_)
    if (token.kind == CudaTokenKind::directive && name_of_directive(token.text) == name)
      result.push_back(token.text);
  return result;
}

const Declaration* Unit::find(int line) const { return innermost(declarations_, line, left_out_); }

const Declaration* Unit::find_type(int line) const {
  return outermost_type(declarations_, line, left_out_);
}

bool Unit::mentions(StringRef word, const Declaration& besides) const {
  return llvm::any_of(tokens_, [&](const CudaToken& token) {
    if (token.kind == CudaTokenKind::directive) return token.text.contains(word);
    return token.is(word) && !lies_in(token.text, besides.text) &&
           llvm::none_of(left_out_,
                         [&](const Declaration* one) { return lies_in(token.text, one->text); });
  });
}

void Unit::leave_out(const Declaration& declaration) { left_out_.insert(&declaration); }

bool Unit::is_left_out(const Declaration& declaration) const {
  return llvm::any_of(left_out_,
                      [&](const Declaration* one) { return lies_in(declaration.text, one->text); });
}

bool Unit::replace(const Include& include, std::string text) {
  const auto known = llvm::find_if(
      replaced_, [&](const auto& one) { return one.first.data() == include.text.data(); });
  if (known == replaced_.end()) {
    replaced_.emplace_back(include.text, std::move(text));
    return true;
  }
  return std::exchange(known->second, text) != text;
}

void Unit::blank(StringRef part, std::string& text) const {
  const size_t begin = offset(part), end = begin + part.size();
  const std::string whole = text.substr(begin, part.size());
  for (size_t at = begin; at < end; ++at)
    if (text[at] != '\n' && text[at] != '\r') text[at] = ' ';
  for (const CudaToken& token : tokens_) {
    const size_t at = offset(token.text);
    if (token.kind == CudaTokenKind::directive && at >= begin && at < end && stays(token.text))
      text.replace(at, token.text.size(), whole, at - begin, token.text.size());
  }
}

std::string Unit::text() const {
  std::string text = source_;
  for (const StringRef part : extensions_)
    text.replace(offset(part), part.size(), part.size(), ' ');
  for (const Declaration* declaration : left_out_) blank(declaration->text, text);
  auto replaced = replaced_;
  llvm::sort(replaced,
             [](const auto& lhs, const auto& rhs) { return lhs.first.data() > rhs.first.data(); });
  for (const auto& [directive, replacement] : replaced)
    text.replace(offset(directive), directive.size(), replacement);
  return text;
}

StringRef name_of_macro(StringRef define) {
  const StringRef behind = define.drop_front(define.find("define") + 6).ltrim();
  return behind.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

}  // namespace hone::ptx
