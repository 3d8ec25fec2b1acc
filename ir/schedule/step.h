// One call of a primitive as data, for traces to record and to replay.
#pragma once

#include <string_view>

#include "ir/schedule/primitives.h"

namespace hone {

struct Step {
  explicit Step(const Primitive& primitive) : primitive(&primitive) {}

  const Primitive* primitive;               ///< what is called
  llvm::SmallVector<AxisPtr, 4> axes;       ///< as the call names them
  llvm::SmallVector<Expr, 4> factors;       ///< split, tile; the condition of assume
  TensorPtr tensor;                         ///< of the primitives that take one
  Binding binding;                          ///< bind
  Tail tail = Tail::guard;                  ///< split, tile
  int64_t count = 0;                        ///< unroll; elements of a vector, bytes, blocks
  Layout layout;                            ///< layout
  Direction direction = Direction::fill;    ///< copy_loops
  CopyEngine engine = CopyEngine::async;    ///< specialize
  Numbers numbers = Numbers::same_order;    ///< require
  std::string name;                         ///< rename; the instruction of tensorize, spread
  std::optional<Scope> scope = {};          ///< compute_at
  llvm::SmallVector<Expr, 4> element;       ///< of the accesses that a cache step picks; empty: all
  llvm::SmallVector<std::string, 4> names;  ///< for the axes that it makes; "": default
  llvm::SmallVector<AxisPtr, 4> made;       ///< the results of the call
  /// For the tensor and the axes that it makes, in the text; "", or none: after what they name.
  llvm::SmallVector<std::string, 4> variables;
};

class StepPrinter;
class StepReader;

/// One argument of a call: a part of a step. Those that there are stand in arguments.h.
struct StepArgument {
  /// As C++; empty where the call leaves it out.
  std::string (*text)(const Step& step, const StepPrinter& printer) = nullptr;
  /// From such a text; false where the call leaves it out. Throws ParseError.
  bool (*read)(StepReader& reader, Step& step) = nullptr;
  size_t axes = 0, factors = 0;  ///< of the step, that the call cannot do without
};

/// The variables that hold the results of a call.
struct Made {
  static constexpr size_t all = std::numeric_limits<size_t>::max();

  size_t axes = 0;      ///< the first of those that it returns
  bool tensor = false;  ///< before the axes
};

/// The descriptor of a primitive: all that a step needs to know of it. It stands in the .cpp of the
/// primitive, as split_primitive, and in the list of primitives.h.
struct Primitive {
  std::string_view name;
  StepArgument arguments[4] = {};  ///< in the order of the call
  Made made = {};
  Rewrite (*apply)(const Function& function, const Step& step) = nullptr;
};

/// All there are, in the order of primitives.h.
llvm::ArrayRef<const Primitive*> all_primitives();

/// Throws ScheduleError where there is none of that name.
const Primitive& find_primitive(std::string_view name);

/// Calls the primitive, and gives the axes that it makes the names that the step has for them.
Rewrite apply(const Function& function, const Step& step);

/// The step with its axes and its tensor looked up by name in another function. Throws
/// ScheduleError where one does not exist.
Step rebased(const Step& step, const Function& function);

/// The argument or the allocated tensor of that name; null where there is none.
TensorPtr find_tensor(const Function& function, llvm::StringRef name);

}  // namespace hone
