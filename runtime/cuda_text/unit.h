// A file of CUDA text, and what is left out of it: its lines keep their numbers.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/cuda_text/declaration.h"

namespace hone::ptx {

/// An `#include`.
struct Include {
  llvm::StringRef text;  ///< the directive; lies in the source
  std::string name;      ///< "cuda_fp16.h"; empty where a macro names it
  bool is_quoted = false;
  int line = 0;
};

class Unit {
 public:
  Unit(std::string path, std::string source);
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  const std::string& path() const { return path_; }
  llvm::ArrayRef<CudaToken> tokens() const { return tokens_; }
  const std::vector<Declaration>& declarations() const { return declarations_; }
  const std::vector<Include>& includes() const { return includes_; }
  /// The directives of the name "define".
  std::vector<llvm::StringRef> directives(llvm::StringRef name) const;

  /// The innermost declaration that has the line and can be left out: no scope, and not one that
  /// was left out already; null where there is none.
  const Declaration* find(int line) const;
  /// The outermost type that has the line and is not left out; null where there is none.
  const Declaration* find_type(int line) const;
  /// True if the word is in the text that is not left out, besides in this declaration.
  bool mentions(llvm::StringRef word, const Declaration& besides) const;
  /// Its text becomes blanks but for line ends and directives that others depend on.
  void leave_out(const Declaration& declaration);
  /// It, or what it is in.
  bool is_left_out(const Declaration& declaration) const;
  /// The directive becomes another one, or nothing. False where it was that before.
  bool replace(const Include& include, std::string text);

  /// The text without what was left out, as many lines as before.
  std::string text() const;

 private:
  size_t offset(llvm::StringRef part) const { return part.data() - source_.data(); }
  void blank(llvm::StringRef part, std::string& text) const;

  std::string path_, source_;
  std::vector<CudaToken> tokens_;
  std::vector<llvm::StringRef> extensions_;  ///< what the text has beyond C++
  std::vector<Declaration> declarations_;
  std::vector<Include> includes_;
  std::set<const Declaration*> left_out_;
  std::vector<std::pair<llvm::StringRef, std::string>> replaced_;
};

/// "GEMM" of `#define GEMM(x) f(x)`.
llvm::StringRef name_of_macro(llvm::StringRef define);

}  // namespace hone::ptx
