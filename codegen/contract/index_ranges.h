// Ranges of the index arithmetic of a kernel's text, step by step.
#pragma once

#include "codegen/contract/index_scope.h"
#include "codegen/kernel.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {

/// A value that C computes on the way to an index, or a variable that holds one.
struct IndexStep {
  Expr expr;       ///< an operator and its operands, a variable
  Interval range;  ///< of all values that it may have
  int bits = 32;   ///< of the variable, or that C computes the operator in; 0 of a divisor
  Stmt statement;
  /// Made of a tensor's elements. The index that an access makes of them lies within the tensor.
  bool has_elements = false;
  /// The index of an access, which lies within its tensor where the program is right.
  bool is_access = false;
  SizeRange ends = {};  ///< the range as formulas
  Expr room = {};       ///< a formula that is negative where the step is not computed

  bool is_variable() const { return llvm::isa<AxisRef, ParamRef>(expr); }
  bool fits() const;
};

/// The form of a kernel's loops: as they stand in the IR, or as C counts them.
enum class LoopForm : uint8_t { plain, stepped };

/// The steps of a kernel whose params have these ranges, and the divisors of its index arithmetic:
/// quotients and remainders of 0 bits, with the ranges of what they divide by.
std::vector<IndexStep> index_steps(const KernelFunction& kernel, const ParamRanges& params,
                                   SizeRanges& ranges, LoopForm form);

/// Calls `use` on every step, where `sizes` are the values of the params; without them, params have
/// any value that the kernel's assumptions allow. A step that guards keep from being computed has
/// the range that they leave.
void for_each_index_step(const KernelFunction& kernel, const Sizes* sizes, LoopForm form,
                         llvm::function_ref<void(const IndexStep&)> use);

/// The steps of a kernel that are not proved to fit, by their nodes in its body.
struct UnprovenSteps {
  llvm::DenseSet<const ExprNode*> operators;
  llvm::DenseSet<const AxisNode*> variables;
};
UnprovenSteps unproven_steps(const KernelFunction& kernel, const Sizes& sizes);

}  // namespace hone
