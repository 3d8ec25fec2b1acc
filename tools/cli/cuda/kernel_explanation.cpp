#include "tools/cli/cuda/kernel_explanation.h"

#include "tools/cli/cuda/kernel_result.h"
#include "tools/cli/cuda/launch_facts.h"
#include "tools/cli/cuda/line_costs.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

/// The facts that are worth reading.
constexpr size_t most_facts = 5;

std::string list_text(llvm::StringRef title, llvm::ArrayRef<LaunchFact> facts) {
  if (facts.empty()) return "";
  std::string text = fmt::format("\n{}:\n", title.str());
  int number = 0;
  for (const LaunchFact& fact : facts.take_front(most_facts))
    text += fmt::format("{}. {}\n", ++number, fact.text);
  return text;
}

/// "2.4x as fast", "1.3x as slow", "as fast"
std::string speed_text(double before, double after) {
  constexpr double least_factor = 1.02;
  if (before >= least_factor * after) return fmt::format("{:.3g}x as fast", before / after);
  if (after >= least_factor * before) return fmt::format("{:.3g}x as slow", after / before);
  return "as fast";
}

/// Updates of one address wait for each other, which takes no time here.
bool has_updates(const KernelRun& run) {
  constexpr double least_part = 0.01;
  int64_t requests = 0;
  for (const AccessClass updates : {AccessClass::global_atomic, AccessClass::shared_atomic})
    requests += run.report.counts.totals[static_cast<size_t>(updates)].requests;
  return static_cast<double>(requests) > least_part * run.estimate->time.warp_instructions;
}

std::string text_of_time(const KernelRun& run, const std::string& indent) {
  std::string text = to_string(run.estimate->time, indent);
  if (has_updates(run))
    text += fmt::format("\n{}not in it: atomic updates of one address wait for each other", indent);
  return text + "\n";
}

std::string time_text(const KernelRun* before, const KernelRun& after, const Gpu& gpu) {
  std::string text = fmt::format("\ntime on {}", gpu.name);
  const EstimatedTime& time = after.estimate->time;
  if (!before) return fmt::format("{}: {}", text, text_of_time(after, "  "));
  const EstimatedTime& old_time = before->estimate->time;
  return fmt::format("{}, {}:\n  before: {}  after: {}", text,
                     speed_text(old_time.time.seconds, time.time.seconds),
                     text_of_time(*before, "    "), text_of_time(after, "    "));
}

/// Empty of a run with an estimate.
std::string missing_time(const KernelRun& run, const Gpu* gpu) {
  if (run.estimate) return "";
  if (!gpu) return "no GPU of this architecture is known; name one with --gpu";
  if (!run.block()) return "registers of a block are not known, as of a file of PTX";
  return "a block does not come to its end by itself";
}

std::string missing_time(const KernelRun* before, const KernelRun& after, const Gpu* gpu) {
  const std::string missing = before ? missing_time(*before, gpu) : "";
  return missing.empty() ? missing_time(after, gpu) : missing;
}

std::vector<std::string> texts_of(llvm::ArrayRef<LaunchFact> facts) {
  std::vector<std::string> texts;
  for (const LaunchFact& fact : facts) texts.push_back(fact.text);
  return texts;
}

llvm::json::Object run_json(const KernelRun& run, const Gpu* gpu) {
  llvm::json::Object object = launch_json(run);
  object["time"] = run.estimate ? to_json(*gpu, run.estimate->time) : llvm::json::Value(nullptr);
  object["wastes"] =
      to_json(run.estimate ? texts_of(wastes(run, *gpu)) : std::vector<std::string>());
  object["lines"] = costs_json(line_costs(run));
  return object;
}

}  // namespace

std::string explanation_text(const KernelRun* before, const KernelRun& after, const Gpu* gpu) {
  const auto heading = [](const KernelRun& run) {
    return fmt::format("{}, {}\n", run.title(), launch_text(run));
  };
  std::string text = heading(after);
  if (before) text += "against " + heading(*before);
  if (const std::string missing = missing_time(before, after, gpu); !missing.empty()) {
    text += fmt::format("\nno time: {}\n", missing);
  } else {
    text += time_text(before, after, *gpu);
    if (before) text += list_text("what changed", changes(*before, after, *gpu));
    text += list_text(before ? "what is left" : "in vain", wastes(after, *gpu));
  }
  return text + fmt::format("\nparts of the launch, by line:\n{}", costs_text(line_costs(after)));
}

llvm::json::Object explanation_json(const KernelRun* before, const KernelRun& after,
                                    const Gpu* gpu) {
  llvm::json::Object object = run_json(after, gpu);
  object["against"] = before ? llvm::json::Value(run_json(*before, gpu)) : nullptr;
  const bool are_timed = missing_time(before, after, gpu).empty();
  object["changes"] = to_json(before && are_timed ? texts_of(changes(*before, after, *gpu))
                                                  : std::vector<std::string>());
  return object;
}

}  // namespace hone
