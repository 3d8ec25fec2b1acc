// require(Numbers::run_to_run): the schedule demands of its further steps that they keep the order
// of sums, or what decides about it.
//
//   func f(A: ...) {       =>     func f(A: ...) @run_to_run {
//
// Each further step is refused that breaks the demand: see legality/numbers.h.
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/analysis/sum_order.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/numbers.h"

namespace hone {

Rewrite require(const Function& function, Numbers numbers) {
  // Preconditions
  const Preconditions check("require", function);
  if (llvm::is_contained(function.required, numbers))
    check.refuse(nullptr, fmt::format("{} is required already", name(numbers).str()));

  // Rewrite
  Function result = function;
  result.required.push_back(numbers);
  llvm::sort(result.required);

  // Postcondition: the function is no breach itself.
  check_numbers(check, result, result, nullptr);
  return {std::move(result), {}, nullptr};
}

const Primitive require_primitive = {
    .name = "require",
    .arguments = {argument::numbers},
    .apply = [](const Function& f, const Step& s) { return require(f, s.numbers); },
};

}  // namespace hone
