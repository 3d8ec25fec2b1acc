// Steps as the C++ that makes them.
#pragma once

#include "ir/schedule/step.h"

namespace hone {

/// Prints steps as calls: `auto [i_0, i_1] = s.split(i, 32);`. An axis that no step before has
/// returned prints as `s.axis("i.init")`, a tensor that has no variable as `s.tensor("C.reg")`; so
/// do those whose names no variable can have. No two share a variable. Results that a step has
/// variables for have these.
class StepPrinter {
 public:
  /// `function` is the program before any step: its axes and its tensors have variables.
  explicit StepPrinter(const Function& function);

  std::string print(const Step& step, const Rewrite& result);

  // The code for an axis, several, or a tensor in a call: a variable or a look-up.
  std::string variable(const AxisPtr& axis) const;
  std::string variables(llvm::ArrayRef<AxisPtr> axes) const;
  std::string variable(const TensorPtr& tensor) const;
  /// True if a variable has that name already.
  bool is_taken(const std::string& name) const;

  /// The axis that a variable stands for; null where there is no such variable.
  AxisPtr find_axis(llvm::StringRef variable) const;
  /// The name of the tile that a variable stands for; empty where there is no such variable.
  std::string find_tensor(llvm::StringRef variable) const;

 private:
  std::string declare(const Step& step, const Rewrite& result);
  std::string fresh_variable(llvm::StringRef name) const;

  struct Variable {
    AxisPtr axis;
    std::string tensor;  ///< the name of a tile; empty for an axis
    std::string name;
  };
  /// Returns the name that it gets: its own, or one like it.
  std::string declare(Variable variable);

  llvm::SmallVector<Variable, 16> declared_;
  llvm::SmallVector<std::string, 4> tensors_;  ///< of the program: arguments and temporaries
  llvm::SmallVector<std::string, 4> params_;
};

/// True if code may have a variable of that name beside the schedule's.
bool may_be_variable(llvm::StringRef name);

/// "i_0" for i.0.
std::string as_variable(llvm::StringRef name);

}  // namespace hone
