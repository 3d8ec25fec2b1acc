#include "tools/cli/command/host_counters.h"

#include "codegen/cost/static_facts.h"
#include "codegen/lower.h"
#include "ir/traverse/visit.h"
#include "runtime/sim/count/flops.h"
#include "tools/cli/json_text.h"
#include "tools/cli/profile/source_loops.h"

namespace hone {
namespace {

/// "2*K per result, 17179869184 in all"
std::string line(const char* name, const SizeFormula& amount, const SizeFormula& results,
                 const Sizes& sizes) {
  const std::string each = results.is_zero() ? "0" : to_string(amount / results);
  return fmt::format("{:<7} {} per result, {:.0f} in all\n", name, each, value_of(amount, sizes));
}

}  // namespace

HostCounts count_host(const RungRef& rung, const Sizes& sizes) {
  const Schedule schedule = rung.rung->build({}, sizes);
  const Module module = lower_host(schedule.function());
  HostCounts counts;
  for (const KernelFunction& kernel : module.kernels) {
    const StaticFacts facts = static_facts(kernel);
    const SourceLoops loops(kernel.body);
    counts.results += facts.results_per_thread;
    counts.loads += facts.per_thread.global_loads;
    counts.stores += facts.per_thread.global_stores;
    walk(kernel.body, [&](const Stmt& stmt) {
      const int64_t operations = float_operations(stmt);
      if (operations > 0)
        counts.flops += loops.product(loops.around.lookup(stmt.get())) * SizeFormula(operations);
    });
  }
  counts.accesses = host_accesses(module, sizes);
  counts.loops = host_loops(module, sizes);
  return counts;
}

std::string to_string(const HostCounts& counts, const Sizes& sizes) {
  const auto one = [&](const char* name, const SizeFormula& amount) {
    return line(name, amount, counts.results, sizes);
  };
  return "as written; compilers keep elements in registers, and merge accesses\n\n" +
         one("flops", counts.flops) + one("loads", counts.loads) + one("stores", counts.stores);
}

llvm::json::Value to_json(const HostCounts& counts, const Sizes& sizes) {
  llvm::json::Object values, per_result;
  for (const auto& [name, amount] :
       {std::pair("flops", &counts.flops), std::pair("loads", &counts.loads),
        std::pair("stores", &counts.stores)}) {
    values[name] = value_of(*amount, sizes);
    per_result[name] = counts.results.is_zero() ? "0" : to_string(*amount / counts.results);
  }
  return llvm::json::Object{{"sizes", to_json(sizes)},
                            {"results", value_of(counts.results, sizes)},
                            {"host", std::move(values)},
                            {"per_result", std::move(per_result)}};
}

}  // namespace hone
