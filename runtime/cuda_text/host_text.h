// The declarations that are for the host alone.
#pragma once

#include <set>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "runtime/cuda_text/unit.h"

namespace hone::ptx {

/// Macros that stand for annotations, by the definitions that were seen: `#define DEVICE
/// __device__`.
class AnnotationMacros {
 public:
  AnnotationMacros();
  void add(const Unit& unit);
  bool has(llvm::StringRef word) const { return words_.count(word.str()) != 0; }
  bool has_kernel(llvm::StringRef word) const { return kernel_words_.count(word.str()) != 0; }

 private:
  /// The annotations themselves are among them; the second are those of kernels.
  std::set<std::string> words_, kernel_words_;
};

/// True if device code can have no use of it: a function without annotation that is no constexpr,
/// or a variable that is neither annotated nor constant. Members of types are never sure.
bool is_host_alone(const Declaration& declaration, const AnnotationMacros& macros);

/// A kernel, also one that a macro marks as such.
bool is_kernel(const Declaration& declaration, const AnnotationMacros& macros);

/// Device code may use it: all but functions without an annotation.
bool is_for_device(const Declaration& declaration, const AnnotationMacros& macros);

/// Leaves out all declarations of the unit that are for the host alone, and calls `report` with
/// each.
void leave_out_host_text(Unit& unit, const AnnotationMacros& macros,
                         llvm::function_ref<void(const Declaration&)> report);

}  // namespace hone::ptx
