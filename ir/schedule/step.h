// One call of a primitive as data: what a trace records, replays, and prints as C++.
#pragma once

#include "ir/schedule/primitives.h"

namespace hone {

struct Step {
  std::string primitive;               ///< "split"
  llvm::SmallVector<AxisPtr, 4> axes;  ///< as the call names them
  llvm::SmallVector<Expr, 4> factors;  ///< split, tile
  TensorPtr tensor;                    ///< cache_registers
  Binding binding;                     ///< bind
  Tail tail = Tail::guard;             ///< split, tile
  int64_t count = 0;                   ///< unroll
  std::string name;                    ///< rename
  llvm::SmallVector<AxisPtr, 4> made;  ///< what the call returned
};

/// Calls the primitive.
Rewrite apply(const Function& function, const Step& step);

/// The step with its axes and its tensor looked up by name in another function. Throws
/// ScheduleError where one does not exist.
Step rebased(const Step& step, const Function& function);

/// Prints steps as the C++ that makes them: `auto [i_0, i_1] = s.split(i, 32);`. An axis that no
/// step before has returned prints as `s.axis("i.init")`. No two axes share a variable.
class StepPrinter {
 public:
  /// `function` is the program before any step: its axes have variables.
  explicit StepPrinter(const Function& function);

  std::string print(const Step& step, const Rewrite& result);

 private:
  std::string variable(const AxisPtr& axis) const;
  std::string variables(llvm::ArrayRef<AxisPtr> axes) const;
  std::string declare(llvm::ArrayRef<AxisPtr> axes);
  void declare(const AxisPtr& axis);
  std::string call(const Step& step) const;

  struct Variable {
    AxisPtr axis;
    std::string name;
  };
  llvm::SmallVector<Variable, 16> declared_;
};

}  // namespace hone
