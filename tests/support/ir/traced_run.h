// The dependences of a function as a run shows them: an interpreter of its own, which writes down
// what each iteration reads and writes.
#pragma once

#include <set>

#include "ir/buffer.h"
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

/// What is wrong with what was said of a function, line by line: a dependence that a run shows and
/// nobody mentioned, or one that is certain and did not show where the loops were long enough.
std::string disagreements(const Function& function, const Sizes& sizes, const Buffers& arguments);

}  // namespace hone
