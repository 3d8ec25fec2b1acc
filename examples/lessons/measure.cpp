#include "examples/lessons/measure.h"

#include <cstdlib>

#include "codegen/lower.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace {

int64_t elements_of_outputs(const Problem& problem) {
  int64_t elements = 0;
  for (const Argument& argument : problem.arguments)
    if (argument.is_output) elements += argument.array.size();
  return elements;
}

/// Check mode over all kernels: findings, and the first wrong element where every block ends.
void check_kernels(const Module& module, const Problem& problem, const Program& program,
                   Measured& measured) {
  const std::vector<AnyArray> arrays = run_kernels(
      module, problem,
      [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
        for (Finding& finding : check(module.kernels[number], sizes, arguments).findings)
          if (!is_hint(finding.kind)) measured.findings.push_back(std::move(finding));
      });
  if (!measured.findings.empty()) return;
  const Results outputs = outputs_among(arrays, module.arguments, problem);
  measured.mismatch = compare(outputs, expected_results(program.function(), problem)).mismatch;
}

TensorCounts& entry_of(const AccessReport& access, std::vector<TensorCounts>& accesses) {
  for (TensorCounts& entry : accesses)
    if (entry.tensor == access.tensor->name && entry.access_class == access.access_class)
      return entry;
  accesses.push_back({access.tensor->name, access.access_class, 1, {}});
  return accesses.back();
}

/// "4 sectors", "4.25 sectors", "1 sector"
std::string per_request(int64_t units, int64_t requests, const char* unit) {
  const double each = requests == 0 ? 0.0 : static_cast<double>(units) / requests;
  return fmt::format("{:.4g} {}{}", each, unit, each == 1 ? "" : "s");
}

std::string cost_text(const TensorCounts& access) {
  const MemoryCounts& counts = access.counts;
  if (counts.wavefronts == 0)
    return per_request(counts.sectors, counts.requests, "sector") + " each";
  const std::string wavefronts =
      per_request(counts.wavefronts, counts.requests, "wavefront") + " each";
  if (counts.bank_conflicts() == 0) return wavefronts;
  return fmt::format("{}, {} without bank conflicts", wavefronts,
                     per_request(counts.ideal_wavefronts, counts.requests, "wavefront"));
}

/// "M=3 N=4: "; empty where there are none.
std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size);
  return text.empty() ? text : text + ": ";
}

}  // namespace

std::vector<TensorCounts> Measured::accesses() const {
  std::vector<TensorCounts> accesses;
  for (const CountReport& kernel : kernels) {
    for (const AccessReport& access : kernel.accesses) {
      TensorCounts& entry = entry_of(access, accesses);
      entry.width = std::max(entry.width, access.width);
      entry.counts += access.counts;
    }
  }
  return accesses;
}

MemoryCounts Measured::counts(llvm::StringRef tensor, AccessClass access_class) const {
  for (const TensorCounts& entry : accesses())
    if (entry.tensor == tensor && entry.access_class == access_class) return entry.counts;
  return {};
}

int64_t Measured::sum(llvm::function_ref<int64_t(const CountReport&)> amount) const {
  int64_t total = 0;
  for (const CountReport& kernel : kernels) total += amount(kernel);
  return total;
}

Measured measure(const Program& program, Module module, const Sizes& sizes) {
  const Problem problem = make_problem(program.function(), sizes, {}, /*seed=*/1);
  Measured measured;
  measured.results = elements_of_outputs(problem);
  check_kernels(module, problem, program, measured);
  measured.module = std::move(module);
  if (!measured.findings.empty()) return measured;
  run_kernels(measured.module, problem,
              [&](size_t number, const Sizes& all, llvm::ArrayRef<SimArgument> arguments) {
                measured.kernels.push_back(count(measured.module.kernels[number], all, arguments));
              });
  return measured;
}

Measured measure(const Program& program, const Function& schedule, const Sizes& sizes) {
  return measure(program, lower(schedule), sizes);
}

std::string to_string(const Measured& measured, const Sizes& sizes) {
  std::string text = sizes_text(sizes);
  if (!measured.findings.empty())
    return text + fmt::format("check finds a {}\n", to_string(measured.findings.front()));
  if (!measured.mismatch.empty()) return text + "wrong results: " + measured.mismatch + "\n";
  text += "right results, no findings\n";
  for (const TensorCounts& access : measured.accesses())
    text += fmt::format("  {:<13} {:<9} {:>7} requests, {}\n", to_string(access.access_class),
                        access.tensor, access.counts.requests, cost_text(access));
  return text;
}

Measured try_out(const Program& program, const Schedule& s, const Sizes& sizes) {
  Measured measured = measure(program, s.function(), sizes);
  fmt::print("{}", to_string(measured, sizes));
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
  return measured;
}

}  // namespace hone
