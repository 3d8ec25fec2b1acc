// The dependences of a function as a run shows them: an interpreter of its own, which writes down
// what each iteration reads and writes.
#pragma once

#include <set>

#include "ir/interpret/buffer.h"
#include "ir/schedule/legality/dependences.h"

namespace hone {

/// Two iterations of a loop, so many apart, in the same iterations of the loops around it.
struct ObservedDependence {
  std::string axis, tensor;
  DependenceKind kind = DependenceKind::flow;
  int64_t distance = 0;

  auto operator<=>(const ObservedDependence&) const = default;
  std::string text() const;
};

/// Runs the function at these sizes on its arguments.
std::set<ObservedDependence> observed_dependences(const Function& function, const Sizes& sizes,
                                                  const Buffers& arguments);

/// The mistakes in reported dependences, line by line: one that a run shows and that is missing, or
/// one that is reported as certain and does not show although loops are long enough.
std::string disagreements(const Function& function, const Sizes& sizes, const Buffers& arguments);

}  // namespace hone
