// The declarations that are for the host alone.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "runtime/cuda_text/unit.h"

namespace hone::ptx {

/// The property of a declaration that a word before it names.
struct Annotation {
  bool is_kernel = false;  ///< __global__
  bool is_device = false;  ///< __global__, __device__, __constant__, __shared__, __managed__
};

/// The annotations, and macros that stand for them: `#define DEVICE __device__`.
class Annotations {
 public:
  Annotations();
  /// Learns the macros that the unit defines.
  void add(const Unit& unit);
  /// Null where the word is none.
  const Annotation* find(llvm::StringRef word) const;

 private:
  std::map<std::string, Annotation, std::less<>> words_;
};

/// True if device code can have no use of it: a function without annotation that is no constexpr,
/// or a variable that is neither annotated nor constant. Members of types are never sure.
bool is_host_alone(const Declaration& declaration, const Annotations& annotations);

/// A kernel, also one that a macro marks as such.
bool is_kernel(const Declaration& declaration, const Annotations& annotations);

/// The text says that device code uses it.
bool is_device_code(const Declaration& declaration, const Annotations& annotations);

/// Device code may use it: all but functions without an annotation.
bool is_for_device(const Declaration& declaration, const Annotations& annotations);

/// Leaves out all declarations of the unit that are for the host alone, and calls `report` with
/// each.
void leave_out_host_text(Unit& unit, const Annotations& annotations,
                         llvm::function_ref<void(const Declaration&)> report);

}  // namespace hone::ptx
