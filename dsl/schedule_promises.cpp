// The half of dsl/schedule.h that changes no loop: promises of callers, and demands of a schedule.
#include "dsl/schedule.h"
#include "ir/traverse/named_values.h"

namespace hone {

void Schedule::assume(const Expr& condition, Location location) {
  Step step(assume_primitive);
  step.factors.push_back(condition.defined() ? without_names(condition) : condition);
  apply(step, location);
}

void Schedule::assume_aligned(const Tensor& tensor, int64_t bytes, Location location) {
  apply(tensor_step(assume_aligned_primitive, tensor, {}, location, bytes), location);
}

void Schedule::may_alias(Location location) { apply(Step(may_alias_primitive), location); }

void Schedule::require(Numbers numbers, Location location) {
  Step step(require_primitive);
  step.numbers = numbers;
  apply(step, location);
}

}  // namespace hone
