// One call of a primitive as data: what a trace records, replays, and prints as C++.
#pragma once

#include "ir/schedule/primitives.h"

namespace hone {

struct Step {
  std::string primitive;                  ///< "split"
  llvm::SmallVector<AxisPtr, 4> axes;     ///< as the call names them
  llvm::SmallVector<Expr, 4> factors;     ///< split, tile; the condition of assume
  TensorPtr tensor;                       ///< of the primitives that take one
  Binding binding;                        ///< bind
  Tail tail = Tail::guard;                ///< split, tile
  int64_t count = 0;                      ///< unroll; elements of a vector, bytes of an alignment
  Layout layout;                          ///< layout
  Direction direction = Direction::fill;  ///< copy_loops
  std::string name;                       ///< rename
  std::optional<Scope> scope = {};        ///< compute_at
  llvm::SmallVector<Expr, 4> element;     ///< of the accesses that a cache step picks; empty: all
  llvm::SmallVector<AxisPtr, 4> made;     ///< what the call returned
};

/// Calls the primitive.
Rewrite apply(const Function& function, const Step& step);

/// The step with its axes and its tensor looked up by name in another function. Throws
/// ScheduleError where one does not exist.
Step rebased(const Step& step, const Function& function);

/// The argument or the allocated tensor of that name; null where there is none.
TensorPtr find_tensor(const Function& function, llvm::StringRef name);

/// Prints steps as the C++ that makes them: `auto [i_0, i_1] = s.split(i, 32);`. An axis that no
/// step before has returned prints as `s.axis("i.init")`, a tensor that has no variable as
/// `s.tensor("C.reg")`; so do those whose names no variable can have. No two share a variable.
class StepPrinter {
 public:
  /// `function` is the program before any step: its axes and its tensors have variables.
  explicit StepPrinter(const Function& function);

  std::string print(const Step& step, const Rewrite& result);

 private:
  std::string variable(const AxisPtr& axis) const;
  std::string variable(const TensorPtr& tensor) const;
  std::string variables(llvm::ArrayRef<AxisPtr> axes) const;
  std::string declare(llvm::ArrayRef<AxisPtr> axes);
  void declare(const AxisPtr& axis);
  void declare(const TensorPtr& tensor);
  bool is_taken(const std::string& name) const;
  std::string fresh_variable(llvm::StringRef name) const;
  std::string call(const Step& step) const;
  std::string tensor_call(const Step& step) const;

  struct Variable {
    AxisPtr axis;
    std::string tensor;  ///< the name of a tile; empty for an axis
    std::string name;
  };
  llvm::SmallVector<Variable, 16> declared_;
  llvm::SmallVector<std::string, 4> tensors_;  ///< of the program: arguments and temporaries
  llvm::SmallVector<std::string, 4> params_;
};

}  // namespace hone
