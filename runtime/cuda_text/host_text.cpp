#include "runtime/cuda_text/host_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

constexpr std::pair<StringRef, Annotation> known_annotations[] = {
    {"__global__", {true, true}},    {"__device__", {false, true}},
    {"__constant__", {false, true}}, {"__shared__", {false, true}},
    {"__managed__", {false, true}},  {"__grid_constant__", {false, false}},
    {"__host__", {false, false}},    {"constexpr", {false, false}},
    {"consteval", {false, false}},   {"constinit", {false, false}}};

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

bool has_annotation(const Declaration& declaration, const Annotations& annotations,
                    bool (*is_meant)(const Annotation&)) {
  return llvm::any_of(declaration.words, [&](StringRef word) {
    const Annotation* const annotation = annotations.find(word);
    return annotation && is_meant(*annotation);
  });
}
bool is_any(const Annotation&) { return true; }

void collect_host_text(llvm::ArrayRef<Declaration> declarations, const Annotations& annotations,
                       std::vector<const Declaration*>& found) {
  for (const Declaration& declaration : declarations) {
    if (declaration.kind == DeclarationKind::scope)
      collect_host_text(declaration.members, annotations, found);
    else if (is_host_alone(declaration, annotations))
      found.push_back(&declaration);
  }
}

}  // namespace

Annotations::Annotations() {
  for (const auto& [word, annotation] : known_annotations) words_[word.str()] = annotation;
}

const Annotation* Annotations::find(StringRef word) const {
  const auto found = words_.find(std::string_view(word.data(), word.size()));
  return found == words_.end() ? nullptr : &found->second;
}

void Annotations::add(const Unit& unit) {
  for (const StringRef define : unit.directives("define")) {
    const std::vector<StringRef> words = words_in(define.drop_front(define.find("define") + 6));
    if (words.empty()) continue;
    Annotation sum;
    bool has_any = false;
    for (const StringRef word : llvm::drop_begin(words, 1)) {
      const Annotation* const annotation = find(word);
      has_any |= annotation != nullptr;
      sum.is_kernel |= annotation && annotation->is_kernel;
      sum.is_device |= annotation && annotation->is_device;
    }
    if (has_any) words_[words.front().str()] = sum;
  }
}

bool is_host_alone(const Declaration& declaration, const Annotations& annotations) {
  if (declaration.has("__host__"))
    return declaration.kind == DeclarationKind::function &&
           llvm::all_of(declaration.words, [&](StringRef word) {
             return word == "__host__" || !annotations.find(word);
           });
  if (has_annotation(declaration, annotations, is_any)) return false;
  if (declaration.kind == DeclarationKind::variable)
    return declaration.words.size() > 1 && !declaration.has("const") && !declaration.is_template;
  const bool is_of_type = declaration.has("class") || declaration.has("struct");
  return declaration.kind == DeclarationKind::function ||
         (declaration.kind == DeclarationKind::instantiation && !is_of_type);
}

bool is_kernel(const Declaration& declaration, const Annotations& annotations) {
  return declaration.kind == DeclarationKind::function &&
         has_annotation(declaration, annotations, [](const Annotation& a) { return a.is_kernel; });
}

bool is_device_code(const Declaration& declaration, const Annotations& annotations) {
  return has_annotation(declaration, annotations, [](const Annotation& a) { return a.is_device; });
}

bool is_for_device(const Declaration& declaration, const Annotations& annotations) {
  return declaration.kind != DeclarationKind::function ||
         has_annotation(declaration, annotations, is_any);
}

void leave_out_host_text(Unit& unit, const Annotations& annotations,
                         llvm::function_ref<void(const Declaration&)> report) {
  std::vector<const Declaration*> found;
  collect_host_text(unit.declarations(), annotations, found);
  for (const Declaration* declaration : found) {
    unit.leave_out(*declaration);
    report(*declaration);
  }
}

}  // namespace hone::ptx
