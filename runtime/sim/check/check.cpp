#include "runtime/sim/check/check.h"

#include "codegen/contract/index_ranges.h"
#include "runtime/host_memory.h"
#include "runtime/sim/check/checker.h"
#include "runtime/sim/report.h"

namespace hone {
namespace {

/// One host thread runs programs with arrivals: the last block to arrive is the same on every host.
SimOptions sim_options(const CheckOptions& options, const SimProgram& program) {
  SimOptions result;
  result.threads = has_arrivals(program) ? 1 : options.threads;
  result.step_budget = options.step_budget;
  result.order = options.order;
  return result;
}

/// Runs in check mode; a barrier of that number, in the order of the text, orders nothing.
std::vector<Finding> run_checked(SimLaunch& launch, int64_t skipped_barrier = -1) {
  CheckState state(launch);
  state.skipped_barrier = skipped_barrier;
  launch.observe = [&](Worker& worker) { return std::make_unique<Checker>(worker, state); };
  launch.run();
  state.shadow.report(state.findings);
  if (skipped_barrier < 0) state.shadow.hand_on_unset();
  if (!state.has_fault && launch.chosen_blocks.empty())
    for (Finding& finding : missing_arrivals(launch)) state.findings.add(std::move(finding));
  return state.findings.sorted();
}

/// The first, the last, and some in between.
std::vector<int64_t> sample(int64_t blocks) {
  constexpr int64_t most = 8;
  std::vector<int64_t> chosen;
  for (int64_t n = 0; n < std::min(blocks, most); ++n)
    chosen.push_back(blocks <= most ? n : n * (blocks - 1) / (most - 1));
  return chosen;
}

/// Arguments of their own, for a run whose results nobody wants.
class Copies {
 public:
  Copies(const KernelFunction& kernel, llvm::ArrayRef<SimArgument> arguments) {
    for (const auto& [tensor, argument] : llvm::zip(kernel.arguments, arguments)) {
      const auto* bytes = static_cast<const std::byte*>(argument.data);
      claim_.grow(argument.elements * size_of(tensor->type), "a copy of " + tensor->name);
      data_.emplace_back(bytes, bytes + argument.elements * size_of(tensor->type));
      arguments_.push_back(argument);
      arguments_.back().data = data_.back().data();
    }
  }

  llvm::ArrayRef<SimArgument> arguments() const { return arguments_; }

 private:
  HostMemoryClaim claim_;
  llvm::SmallVector<std::vector<std::byte>, 4> data_;
  llvm::SmallVector<SimArgument, 4> arguments_;
};

Finding unneeded(const SimProgram& program, size_t number) {
  Finding finding;
  finding.kind = FindingKind::unneeded_barrier;
  finding.detail = fmt::format("barrier {} of {}: nothing is found without it", number + 1,
                               program.barriers.size());
  finding.sites = {{program.statements[program.barriers[number].statement], "", "", {}, {}}};
  finding.order = static_cast<int64_t>(number);
  return finding;
}

std::vector<Finding> unneeded_barriers(const SimProgram& program, const Sizes& sizes,
                                       llvm::ArrayRef<SimArgument> arguments,
                                       const SimOptions& options) {
  std::vector<Finding> hints;
  for (size_t number = 0; number < program.barriers.size(); ++number) {
    const Copies copies(program.kernel, arguments);
    SimLaunch launch(program, sizes, copies.arguments(), options);
    if (!has_arrivals(program)) launch.chosen_blocks = sample(launch.blocks());
    if (launch.runs() > 0 && run_checked(launch, static_cast<int64_t>(number)).empty())
      hints.push_back(unneeded(program, number));
  }
  return hints;
}

}  // namespace

bool CheckReport::clean() const {
  return llvm::all_of(findings, [](const Finding& finding) { return is_hint(finding.kind); });
}

CheckReport check(const KernelFunction& kernel, const Sizes& sizes,
                  llvm::ArrayRef<SimArgument> arguments, const CheckOptions& options) {
  const UnprovenSteps unproven = unproven_steps(kernel, sizes);
  Instrumentation watch = Checker::instrumentation;
  if (options.order != 0) watch.statement = Checker::on_statement;
  if (!options.every_index) watch.unproven_steps = &unproven;
  const SimProgram program = compile_for_sim(kernel, watch);
  const SimOptions sim = sim_options(options, program);
  std::vector<Finding> hints;
  if (options.find_unneeded_barriers) hints = unneeded_barriers(program, sizes, arguments, sim);
  SimLaunch launch(program, sizes, arguments, sim);
  CheckReport report = {run_checked(launch), launch.blocks() * launch.cluster()};
  if (report.clean()) llvm::append_range(report.findings, hints);
  return report;
}

}  // namespace hone
