#include "examples/exercises/numbers_goals.h"

#include "ir/analysis/sum_order.h"
#include "tools/cli/judge/expected.h"
#include "tools/cli/judge/trial.h"
#include "tools/cli/numbers/numbers.h"

namespace hone {

Goal same_bits_as_program(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    const Function& program = attempt.program.function();
    const Problem problem =
        make_problem(program, attempt.sizes, {}, /*seed=*/1, Elements::all_digits);
    const BitsAtSizes bits = compare_bits(run_simulated(attempt.measured.module, problem),
                                          interpreted(program, problem), attempt.sizes);
    if (bits.different == 0) return "";
    return fmt::format("{} of {} results have other bits than those of the program", bits.different,
                       bits.elements);
  };
  return {"the bits of the program's results", shortfall, hint};
}

Goal same_bits_in_each_run(const char* hint) {
  const auto shortfall = [](const Attempt& attempt) -> std::string {
    for (const SumOrder& order : sum_orders(*attempt.loops))
      if (const For* loop = order.by_arrival())
        return fmt::format("the parts of {} over {} are added as they come",
                           order.store().tensor->name, loop->axis->name);
    return "";
  };
  return {"the same bits in each run", shortfall, hint};
}

}  // namespace hone
