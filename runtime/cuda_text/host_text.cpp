#include "runtime/cuda_text/host_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

constexpr StringRef annotations[] = {
    "__global__",        "__device__", "__constant__", "__shared__", "__managed__",
    "__grid_constant__", "__host__",   "constexpr",    "consteval",  "constinit"};

/// The words of a macro's definition, its name first.
std::vector<StringRef> words_in(StringRef text) {
  std::vector<StringRef> words;
  for (size_t at = 0; at < text.size();) {
    const StringRef word =
        text.substr(at).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!word.empty()) words.push_back(word);
    at += std::max<size_t>(word.size(), 1);
  }
  return words;
}

bool has_annotation(const Declaration& declaration, const AnnotationMacros& macros) {
  return llvm::any_of(declaration.words, [&](StringRef word) { return macros.has(word); });
}

void collect_host_text(llvm::ArrayRef<Declaration> declarations, const AnnotationMacros& macros,
                       std::vector<const Declaration*>& found) {
  for (const Declaration& declaration : declarations) {
    if (declaration.kind == DeclarationKind::scope)
      collect_host_text(declaration.members, macros, found);
    else if (is_host_alone(declaration, macros))
      found.push_back(&declaration);
  }
}

}  // namespace

AnnotationMacros::AnnotationMacros() : kernel_words_{"__global__"} {
  for (const StringRef word : annotations) words_.insert(word.str());
}

void AnnotationMacros::add(const Unit& unit) {
  for (const StringRef define : unit.directives("define")) {
    const std::vector<StringRef> words = words_in(define.drop_front(define.find("define") + 6));
    if (words.empty()) continue;
    const auto body = llvm::drop_begin(words, 1);
    if (llvm::any_of(body, [&](StringRef word) { return has(word); }))
      words_.insert(words.front().str());
    if (llvm::any_of(body, [&](StringRef word) { return has_kernel(word); }))
      kernel_words_.insert(words.front().str());
  }
}

bool is_host_alone(const Declaration& declaration, const AnnotationMacros& macros) {
  const bool is_for_both = declaration.has("__device__") || declaration.has("__global__");
  if (declaration.has("__host__") && !is_for_both) {
    const bool has_macro = llvm::any_of(declaration.words, [&](StringRef word) {
      return macros.has(word) && !llvm::is_contained(annotations, word);
    });
    return !has_macro && declaration.kind == DeclarationKind::function;
  }
  if (has_annotation(declaration, macros)) return false;
  if (declaration.kind == DeclarationKind::variable)
    return declaration.words.size() > 1 && !declaration.has("const") && !declaration.is_template;
  return declaration.kind == DeclarationKind::function ||
         (declaration.kind == DeclarationKind::instantiation && !declaration.has("class") &&
          !declaration.has("struct"));
}

bool is_kernel(const Declaration& declaration, const AnnotationMacros& macros) {
  return declaration.kind == DeclarationKind::function &&
         llvm::any_of(declaration.words, [&](StringRef word) { return macros.has_kernel(word); });
}

bool is_for_device(const Declaration& declaration, const AnnotationMacros& macros) {
  return declaration.kind != DeclarationKind::function || has_annotation(declaration, macros);
}

void leave_out_host_text(Unit& unit, const AnnotationMacros& macros,
                         llvm::function_ref<void(const Declaration&)> report) {
  std::vector<const Declaration*> found;
  collect_host_text(unit.declarations(), macros, found);
  for (const Declaration* declaration : found) {
    unit.leave_out(*declaration);
    report(*declaration);
  }
}

}  // namespace hone::ptx
