#include "tools/cli/profile/counted_rung.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

double value_of(const ShownCounter& shown, const CountReport& counts) {
  const auto* counter = llvm::find_if(
      counters(), [&](const Counter& one) { return std::string_view(one.name) == shown.name; });
  return counter->value(counts);
}

}  // namespace

std::vector<double> counters_of(const RungRef& rung, const Problem& problem, const Sizes& fixed) {
  constexpr CountOptions options = {.most_blocks = 2048};
  const Module module = kernels_of(rung, fixed, problem.sizes).module;
  std::vector<double> values(std::size(shown_counters), 0);
  run_kernels(module, problem,
              [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
                const CountReport counts = count(module.kernels[number], sizes, arguments, options);
                for (const auto& [shown, value] : llvm::zip(shown_counters, values))
                  value += value_of(shown, counts);
              });
  return values;
}

}  // namespace hone
