// Identifiers for the names of a program: all of them, in every generated language.
#pragma once

#include "codegen/kernel.h"
#include "codegen/tensor_maps.h"
#include "ir/core/update.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace hone {

/// The name of the kernel's function in CUDA, by which a GPU's driver finds it.
std::string cuda_symbol(const KernelFunction& kernel);
/// The name of the kernel's function in C. No library has functions that start so.
std::string host_symbol(const KernelFunction& kernel);

/// Valid identifiers for the names of a kernel, no two of them alike and none of them owned by
/// somebody: i.0 becomes i_0, and log becomes log_.
class Identifiers {
 public:
  /// The functions that the kernel calls start with `function_prefix`, which sets them off from
  /// those of other kernels where the language has no namespaces.
  Identifiers(const KernelFunction& kernel, const std::string& symbol,
              const std::string& function_prefix);
  /// Those of a function that the kernel calls: `scope` declares its arguments and values.
  Identifiers(const Identifiers& kernel, const KernelFunction& scope);

  /// Of the kernel itself.
  const std::string& symbol() const { return symbol_; }
  const std::string& of(const TensorNode& tensor) const;
  const std::string& of(const ParamNode& param) const;
  const std::string& of(const AxisNode& axis) const;
  /// The counters of a ring's slots and of the parity of its rounds, beside the axis of a loop.
  const std::string& slot_of(const AxisNode& axis) const;
  const std::string& parity_of(const AxisNode& axis) const;
  /// "A_map", of a tensor of the kernel.
  const std::string& map(const TensorMap& map, const KernelFunction& kernel) const;
  /// `wanted`, or a name like it that nothing has; taken from now on.
  std::string fresh(const std::string& wanted);
  /// "combine_argmax", which makes one value of two.
  const std::string& function(const OperatorNode& op) const;
  /// "atomic_argmax", which updates an element at once.
  const std::string& atomic_function(const OperatorNode& op) const;

 private:
  /// A tensor, a param and an axis of one name are three things.
  enum class Kind : char {
    tensor = 't',
    param = 'p',
    axis = 'a',
    slot = 's',
    parity = 'r',
    function = 'f',
    atomic = 'u',
    map = 'm',
  };

  static std::string key(Kind kind, llvm::StringRef name);
  void add(Kind kind, llvm::StringRef name, const std::string& wanted);
  void add_values(const KernelFunction& scope);
  void add_counters(const Stmt& body);
  const std::string& find(Kind kind, llvm::StringRef name) const;

  std::string symbol_;
  llvm::StringMap<std::string> identifiers_;  ///< by kind and name
  llvm::StringSet<> used_;
};

}  // namespace hone
