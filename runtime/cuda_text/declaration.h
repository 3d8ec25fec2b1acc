// The declarations of CUDA text: where they begin and end, and for which side of the program they
// are. It is no parser of C++: it finds braces and words, so that it takes text that does not
// compile.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/cuda_text/token.h"

namespace hone::ptx {

enum class DeclarationKind : uint8_t {
  function,
  variable,
  type,           ///< a struct, class, union or enum; its functions are members
  scope,          ///< a namespace, or `extern "C" { }`
  instantiation,  ///< `template void f<int>(int);`
  other,          ///< using, typedef, static_assert, a macro
};

/// A declaration. The texts lie in the source.
struct Declaration {
  DeclarationKind kind = DeclarationKind::other;
  llvm::StringRef name;  ///< empty where there is none
  llvm::StringRef text;  ///< all of it, with its `template <...>` and its `;`
  int line = 0, last_line = 0;
  llvm::StringRef params;           ///< of a function, without parentheses
  llvm::StringRef template_params;  ///< the same in `template <...>`; empty where it is none
  bool is_template = false;
  std::vector<llvm::StringRef> words;  ///< those before the parameters, the body or the value
  std::vector<Declaration> members;    ///< of a type or a scope

  bool has(llvm::StringRef word) const;
};

std::vector<Declaration> declarations_of(llvm::ArrayRef<CudaToken> tokens);

/// The parts between commas that no bracket encloses; none of an empty text.
std::vector<llvm::StringRef> split_at_commas(llvm::StringRef text);

}  // namespace hone::ptx
