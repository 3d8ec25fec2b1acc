// launch_early(): the kernels of a program overlap (programmatic dependent launch).
//
//   func f(A: ...) {       =>     func f(A: ...) @launch_early {
//
// Each kernel may start before the one before it has ended, be it of an earlier launch, and waits
// for that end before it does anything else: what a launch costs by itself goes on meanwhile.
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

Rewrite launch_early(const Function& function) {
  // Preconditions
  const Preconditions check("launch_early", function);
  if (function.launches_early)
    check.refuse(nullptr, fmt::format("the kernels of {} overlap already", function.name));

  // Rewrite
  Function result = function;
  result.launches_early = true;
  return {std::move(result), {}, nullptr};
}

const Primitive launch_early_primitive = {
    .name = "launch_early",
    .apply = [](const Function& f, const Step&) { return launch_early(f); },
};

}  // namespace hone
