#include "runtime/cuda_text/dialect.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;
using Tokens = llvm::ArrayRef<CudaToken>;

// ---- Extensions of C++ --------------------------------------------------------------------------

bool is_annotation_of_lambda(StringRef word) { return word == "__device__" || word == "__host__"; }

/// The end of `(float2)` at the begin of `(float2){x, y}`, in tokens; 0 where none begins.
size_t end_of_cast(Tokens tokens) {
  size_t words = 0, at = 1;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind == CudaTokenKind::word)
      ++words;
    else if (!tokens[at].is("::"))
      break;
  }
  const bool is_cast =
      words > 0 && at + 1 < tokens.size() && tokens[at].is(")") && tokens[at + 1].is("{");
  return is_cast ? at + 1 : 0;
}

/// False behind what parentheses of a statement, a function or a lambda may follow.
bool may_begin_value(const CudaToken* before) {
  if (!before || before->is("return")) return true;
  return before->kind == CudaTokenKind::mark && !before->is(")") && !before->is("]") &&
         !before->is(">");
}

/// The tokens behind the name and the parameters of `#define NAME(x) ...`.
std::vector<CudaToken> body_of_macro(StringRef define) {
  const StringRef name = name_of_macro(define);
  StringRef body = define.substr(name.end() - define.begin());
  if (body.startswith("(")) body = body.split(')').second;
  return tokens_of(body);
}

void find_extensions(Tokens tokens, std::vector<StringRef>& found) {
  for (size_t at = 0; at < tokens.size(); ++at) {
    const CudaToken& token = tokens[at];
    const CudaToken* const before = at > 0 ? &tokens[at - 1] : nullptr;
    if (token.kind == CudaTokenKind::directive && name_of_directive(token.text) == "define")
      find_extensions(body_of_macro(token.text), found);
    if (token.is("(") && may_begin_value(before))
      if (const size_t end = end_of_cast(tokens.drop_front(at))) {
        found.push_back(token.text);
        found.push_back(tokens[at + end - 1].text);
        if (tokens[at + 1].is("struct")) found.push_back(tokens[at + 1].text);
      }
    if (!token.is("]")) continue;
    while (at + 1 < tokens.size() && is_annotation_of_lambda(tokens[at + 1].text))
      found.push_back(tokens[++at].text);
  }
}

// ---- Functions from before CUDA 9 ---------------------------------------------------------------

struct OldFunction {
  StringRef name, result, params, arguments;
};

constexpr StringRef of_values = "template <class T> __device__ inline T",
                    of_conditions = "__device__ inline int";
constexpr OldFunction old_functions[] = {
    {"__shfl", of_values, "T v, int lane, int width = 32", "v, lane, width"},
    {"__shfl_up", of_values, "T v, unsigned n, int width = 32", "v, n, width"},
    {"__shfl_down", of_values, "T v, unsigned n, int width = 32", "v, n, width"},
    {"__shfl_xor", of_values, "T v, int lanes, int width = 32", "v, lanes, width"},
    {"__any", of_conditions, "int is", "is"},
    {"__all", of_conditions, "int is", "is"},
    {"__ballot", "__device__ inline unsigned", "int is", "is"}};

bool has_word(Tokens tokens, StringRef word) {
  return llvm::any_of(tokens, [&](const CudaToken& token) {
    if (token.kind != CudaTokenKind::directive) return token.is(word);
    return token.text.contains(word) && has_word(tokens_of(token.text.drop_front()), word);
  });
}

/// A text may overload a template: old ones add shuffles of doubles to those of CUDA.
bool defines(llvm::ArrayRef<Declaration> declarations, const OldFunction& function) {
  const bool may_overload = function.result == of_values;
  return llvm::any_of(declarations, [&](const Declaration& one) {
    if (one.kind == DeclarationKind::scope) return defines(one.members, function);
    return one.name == function.name && (one.is_template || !may_overload);
  });
}

bool defines(const Unit& unit, const OldFunction& function) {
  return defines(unit.declarations(), function) ||
         llvm::any_of(unit.directives("define"),
                      [&](StringRef define) { return name_of_macro(define) == function.name; });
}

bool needs(const Sources& sources, const OldFunction& function) {
  const auto& units = sources.units();
  return llvm::any_of(units,
                      [&](const auto& unit) { return has_word(unit->tokens(), function.name); }) &&
         llvm::none_of(units, [&](const auto& unit) { return defines(*unit, function); });
}

}  // namespace

std::vector<StringRef> extensions_in(Tokens tokens) {
  std::vector<StringRef> found;
  find_extensions(tokens, found);
  return found;
}

OldFunctions old_functions_of(const Sources& sources) {
  OldFunctions found;
  for (const OldFunction& one : old_functions) {
    if (!needs(sources, one)) continue;
    found.names.push_back(one.name);
    found.text +=
        fmt::format("{} {}({}) {{ return {}_sync(__activemask(), {}); }}\n", one.result.str(),
                    one.name.str(), one.params.str(), one.name.str(), one.arguments.str());
  }
  return found;
}

}  // namespace hone::ptx
