#include "runtime/cuda_text/declaration.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

bool is_type_word(StringRef word) {
  return word == "struct" || word == "class" || word == "union" || word == "enum";
}

/// Words that parentheses may follow which are no parameters.
bool takes_arguments(StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("alignas", "__align__", "__attribute__", "__declspec", "__launch_bounds__", true)
      .Cases("decltype", "noexcept", "__cluster_dims__", "__maxnreg__", "__block_size__", true)
      .Cases("explicit", "throw", "asm", "__nv_pure__", true)
      .Default(false);
}

bool ends_with_semicolon(StringRef word) {
  return word == "using" || word == "typedef" || word == "static_assert" || word == "asm" ||
         word == "namespace";
}

StringRef between(const CudaToken& first, const CudaToken& last) {
  const char* const end = last.text.data() + last.text.size();
  return {first.text.data(), static_cast<size_t>(end - first.text.data())};
}

class DeclarationReader {
 public:
  explicit DeclarationReader(llvm::ArrayRef<CudaToken> tokens) : tokens_(tokens) {}

  std::vector<Declaration> run() {
    std::vector<Declaration> result;
    while (!ended()) {
      read_members(result);
      ++at_;  // a brace that closes nothing
    }
    return result;
  }

 private:
  bool ended() const { return at_ >= tokens_.size(); }
  const CudaToken& token() const { return tokens_[at_]; }
  bool sees(StringRef text, size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(text);
  }
  bool sees_directive(StringRef name) const {
    return token().kind == CudaTokenKind::directive && name_of_directive(token().text) == name;
  }

  // ---- Sequences ----

  /// To the brace that closes the scope, which stays, or to the end.
  void read_members(std::vector<Declaration>& members) {
    while (!ended() && !token().is("}")) {
      if (token().kind == CudaTokenKind::directive)
        pass_directive(/*is_inside=*/false);
      else if (token().is(";") || is_access_specifier())
        ++at_;
      else if (const size_t words = words_of_scope())
        members.push_back(read_scope(words));
      else
        members.push_back(read_declaration());
    }
  }

  bool is_access_specifier() const {
    return token().is(":") || (sees(":", 1) && (token().is("public") || token().is("private") ||
                                                token().is("protected")));
  }

  /// The number of tokens before the brace of a scope; 0 where none begins.
  size_t words_of_scope() const {
    size_t ahead = sees("inline") ? 1 : 0;
    const bool is_extern = sees("extern") && at_ + 1 < tokens_.size() &&
                           tokens_[at_ + 1].kind == CudaTokenKind::text && sees("{", 2);
    if (is_extern) return 2;
    if (!sees("namespace", ahead)) return 0;
    while (at_ + ahead < tokens_.size() && !sees("{", ahead) && !sees(";", ahead) &&
           !sees("=", ahead))
      ++ahead;
    return sees("{", ahead) ? ahead : 0;
  }

  Declaration read_scope(size_t words) {
    const size_t start = at_;
    Declaration scope;
    scope.kind = DeclarationKind::scope;
    scope.name = tokens_[start + words - 1].text;
    at_ += words + 1;
    read_members(scope.members);
    return finish(std::move(scope), start, /*takes_token=*/true);
  }

  /// Includes the token at hand.
  Declaration finish(Declaration declaration, size_t start, bool takes_token) {
    if (takes_token && !ended()) ++at_;
    const CudaToken& last = tokens_[std::max(at_, start + 1) - 1];
    declaration.text = between(tokens_[start], last);
    declaration.line = tokens_[start].line;
    declaration.last_line = last.line + static_cast<int>(last.text.count('\n'));
    return declaration;
  }

  // ---- Preprocessor ----

  /// Inside of a declaration its first branch counts alone: braces of the others would not fit.
  void pass_directive(bool is_inside) {
    const bool is_else = sees_directive("else") || sees_directive("elif");
    const bool is_never = sees_directive("if") && token().text.endswith(" 0");
    ++at_;
    if (is_never || (is_else && is_inside)) pass_branches(is_never);
  }
  void pass_branches(bool stops_at_else) {
    for (int depth = 0; !ended(); ++at_) {
      if (token().kind != CudaTokenKind::directive) continue;
      const StringRef name = name_of_directive(token().text);
      if (name.startswith("if")) ++depth;
      if (depth == 0 && stops_at_else && name.startswith("el")) break;
      if (name == "endif" && depth-- == 0) break;
    }
    if (!ended()) ++at_;
  }

  /// Behind what closes the bracket at hand.
  StringRef pass_brackets() {
    const size_t start = at_;
    int depth = 0;
    while (!ended()) {
      if (token().kind == CudaTokenKind::directive) {
        pass_directive(/*is_inside=*/true);
        continue;
      }
      if (token().is("(") || token().is("[") || token().is("{")) ++depth;
      if (token().is(")") || token().is("]") || token().is("}")) --depth;
      ++at_;
      if (depth == 0) break;
    }
    return between(tokens_[start], tokens_[at_ - 1]).drop_front().drop_back();
  }

  /// Behind the `>` of the `<` at hand, if there is one before the statement ends. Returns what is
  /// between them.
  StringRef pass_angles() {
    const size_t start = at_;
    for (int depth = 0; !ended() && !token().is(";") && !token().is("{");) {
      if (token().is("(") || token().is("[")) {
        pass_brackets();
        continue;
      }
      depth += token().is("<") ? 1 : token().is(">") ? -1 : 0;
      ++at_;
      if (depth == 0) return between(tokens_[start], tokens_[at_ - 1]).drop_front().drop_back();
    }
    at_ = start + 1;
    return "";
  }

  // ---- A declaration ----

  struct Head {
    size_t start = 0;
    bool is_type = false, has_params = false, has_value = false, is_in_initializers = false;
    bool is_other = false;
  };

  Declaration read_declaration() {
    Head head{at_};
    Declaration declaration;
    while (sees("template") && sees("<", 1)) {
      ++at_;
      declaration.template_params = pass_angles();
      declaration.is_template = true;
    }
    if (sees("template")) declaration.kind = DeclarationKind::instantiation;
    head.is_other = !ended() && ends_with_semicolon(token().text);
    while (!ended() && !token().is(";") && !token().is("}"))
      if (!read_token(head, declaration))
        return finish(classified(declaration, head), head.start, false);
    return finish(classified(declaration, head), head.start, !ended() && token().is(";"));
  }

  static Declaration classified(Declaration& declaration, const Head& head) {
    if (declaration.kind == DeclarationKind::instantiation) return std::move(declaration);
    declaration.kind = head.is_other     ? DeclarationKind::other
                       : head.has_params ? DeclarationKind::function
                       : head.is_type    ? DeclarationKind::type
                                         : DeclarationKind::variable;
    if ((declaration.name.empty() || head.is_other) && !declaration.words.empty())
      declaration.name = declaration.words.back();
    return std::move(declaration);
  }

  /// False where the declaration ends with what was read.
  bool read_token(Head& head, Declaration& declaration) {
    if (token().kind == CudaTokenKind::directive) {
      pass_directive(/*is_inside=*/true);
    } else if (token().is("{")) {
      return read_braces(head, declaration);
    } else if (token().is("(")) {
      read_parentheses(head, declaration);
    } else if (token().is("[")) {
      pass_brackets();
    } else if (token().is("<") && !head.has_params && !head.has_value) {
      pass_angles();
    } else if (token().kind == CudaTokenKind::word && !head.has_value) {
      read_word(head, declaration);
    } else {
      head.has_value |= token().is("=");
      head.is_in_initializers |= token().is(":") && head.has_params;
      ++at_;
    }
    return true;
  }

  void read_word(Head& head, Declaration& declaration) {
    const StringRef word = token().text;
    if (!head.is_in_initializers) declaration.words.push_back(word);
    head.is_type |= is_type_word(word) && !head.has_params;
    ++at_;
    if (takes_arguments(word) && sees("(")) pass_brackets();
    if (word == "operator") {
      declaration.name = word;
      pass_operator();
    }
  }
  void pass_operator() {
    if (sees("(") && sees(")", 1)) at_ += 2;
    while (!ended() && !sees("(") && !sees(";")) ++at_;
  }

  /// The last parentheses behind a name are the parameters: macros with arguments come before.
  void read_parentheses(Head& head, Declaration& declaration) {
    const StringRef name = name_before_parentheses(head, declaration);
    const StringRef inside = pass_brackets();
    if (head.has_value || head.is_in_initializers || (name.empty() && head.has_params)) return;
    head.has_params = true;
    declaration.params = inside;
    declaration.name = name;
  }
  /// The word before them, also one with arguments of a template; of an operator "operator".
  StringRef name_before_parentheses(const Head& head, const Declaration& declaration) const {
    if (at_ == head.start) return "";
    if (declaration.name == "operator" && !head.has_params) return declaration.name;
    const CudaToken& before = tokens_[at_ - 1];
    if (before.is(">") && !declaration.words.empty()) return declaration.words.back();
    return before.kind == CudaTokenKind::word ? before.text : "";
  }

  bool read_braces(Head& head, Declaration& declaration) {
    const bool is_behind_name =
        tokens_[at_ - 1].kind == CudaTokenKind::word || tokens_[at_ - 1].is(">");
    if (head.is_type && !head.has_params && !head.has_value) {
      if (declaration.name.empty() && !declaration.words.empty())
        declaration.name = name_of_type(declaration.words);
      read_body_of_type(declaration);
      return true;
    }
    pass_brackets();
    const bool is_value =
        head.has_value || head.is_other || (head.is_in_initializers && is_behind_name);
    return is_value || (!head.has_params && (sees(";") || sees(",")));
  }

  /// The word behind `struct` that is no macro and no attribute: the last but `final`.
  static StringRef name_of_type(llvm::ArrayRef<StringRef> words) {
    const auto* const keyword = llvm::find_if(words, is_type_word);
    StringRef name;
    for (const auto* word = keyword + 1; word < words.end(); ++word)
      if (!takes_arguments(*word) && *word != "final" && !is_type_word(*word)) {
        name = *word;
        break;
      }
    return name;
  }

  void read_body_of_type(Declaration& declaration) {
    if (declaration.has("enum")) {
      pass_brackets();
      return;
    }
    ++at_;
    read_members(declaration.members);
    if (!ended()) ++at_;
  }

  llvm::ArrayRef<CudaToken> tokens_;
  size_t at_ = 0;
};

}  // namespace

bool Declaration::has(StringRef word) const { return llvm::is_contained(words, word); }

std::vector<Declaration> declarations_of(llvm::ArrayRef<CudaToken> tokens) {
  return DeclarationReader(tokens).run();
}

std::vector<StringRef> split_at_commas(StringRef text) {
  std::vector<StringRef> parts;
  size_t start = 0;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += StringRef("([{<").contains(text[at]) ? 1 : 0;
    depth -= StringRef(")]}>").contains(text[at]) ? 1 : 0;
    if (text[at] != ',' || depth != 0) continue;
    parts.push_back(text.slice(start, at).trim());
    start = at + 1;
  }
  if (!text.trim().empty()) parts.push_back(text.substr(start).trim());
  return parts;
}

}  // namespace hone::ptx
