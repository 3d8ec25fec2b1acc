#include "tools/cli/judge/kernel_check.h"

#include "codegen/ring_kernels.h"
#include "fmt/ranges.h"
#include "ir/interpret/interpreter.h"
#include "ir/traverse/visit.h"
#include "tools/cli/judge/finding_text.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

int64_t threads_of(const KernelFunction& kernel, const Sizes& sizes) {
  int64_t threads = 1;
  for (const Expr& extent : kernel.block) threads *= evaluate(extent, sizes);
  return threads;
}

/// True if a block goes on behind such a finding.
bool goes_on_behind(FindingKind kind) {
  return is_hint(kind) || kind == FindingKind::race || kind == FindingKind::same_value_race ||
         kind == FindingKind::uninitialised_read || kind == FindingKind::unfinished_copy ||
         kind == FindingKind::unfinished_store || kind == FindingKind::unfinished_product ||
         kind == FindingKind::missing_fence || kind == FindingKind::ended_block ||
         kind == FindingKind::divergent_shuffle || kind == FindingKind::missing_arrival;
}

void add(const CheckReport& report, size_t kernel, const StatementPlaces& places,
         CheckOutcome& outcome) {
  for (const Finding& finding : report.findings) {
    outcome.findings += to_string(finding, kernel, places);
    outcome.records.push_back(to_json(finding, kernel, places));
    outcome.ran_to_the_end &= goes_on_behind(finding.kind);
    if (is_hint(finding.kind)) {
      ++outcome.hints;
      continue;
    }
    ++outcome.kinds;
    outcome.all += finding.count;
  }
}

void add_wrong_result(const std::string& mismatch, CheckOutcome& outcome) {
  outcome.findings += fmt::format("wrong result: {}\n", mismatch);
  outcome.records.push_back(llvm::json::Object{{"kind", "wrong result"},
                                               {"is_hint", false},
                                               {"tensor", ""},
                                               {"element", ""},
                                               {"detail", mismatch},
                                               {"count", 1},
                                               {"sites", llvm::json::Array()}});
  ++outcome.kinds;
  ++outcome.all;
}

/// Findings about a kernel over the ring, as those of the kernel over floats.
void name_statements(CheckReport& report, const Stmt& over_ring, const Stmt& over_floats) {
  std::vector<Stmt> floats;
  walk(over_floats, [&](const Stmt& stmt) { floats.push_back(stmt); });
  llvm::DenseMap<const StmtNode*, Stmt> names;
  size_t number = 0;
  walk(over_ring, [&](const Stmt& stmt) { names[stmt.get()] = floats[number++]; });
  for (Finding& finding : report.findings)
    for (FindingSite& site : finding.sites)
      if (site.statement.defined()) site.statement = names.find(site.statement.get())->second;
}

}  // namespace

std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string CheckOutcome::verdict() const {
  const std::string where =
      launches.empty() ? "no block runs" : fmt::format("in {}", fmt::join(launches, ", "));
  std::string text = launches.empty() ? where : fmt::format("no findings {}", where);
  if (!clean())
    text = fmt::format("{} of findings, {} in all, {}", counted(kinds, "kind"), all, where);
  return hints == 0 ? text : fmt::format("{}, {}", text, counted(hints, "hint"));
}

void judge_results(llvm::ArrayRef<AnyArray> arrays, llvm::ArrayRef<TensorPtr> arguments,
                   const Problem& problem, Expected expected, CheckOutcome& outcome) {
  outcome.outputs = outputs_among(arrays, arguments, problem);
  if (!expected) return;
  const Verdict verdict = compare(outcome.outputs, expected());
  outcome.deviation = verdict.deviation;
  if (!verdict.mismatch.empty()) add_wrong_result(verdict.mismatch, outcome);
}

CheckOutcome check_module(const Module& module, const Schedule* schedule, const Problem& problem,
                          const CheckOptions& options, Expected expected) {
  const StatementPlaces places(module, schedule);
  const bool is_over_ring = problem.elements == Elements::ring;
  const Module checked = is_over_ring ? ring_form(module) : module;
  CheckOutcome outcome;
  const std::vector<AnyArray> arrays = run_kernels(
      checked, problem,
      [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
        const KernelFunction& kernel = checked.kernels[number];
        CheckReport report = check(kernel, sizes, arguments, options);
        if (is_over_ring) name_statements(report, kernel.body, module.kernels[number].body);
        outcome.launches.push_back(fmt::format("{} of {}", counted(report.blocks, "block"),
                                               counted(threads_of(kernel, sizes), "thread")));
        add(report, number, places, outcome);
      });
  if (outcome.ran_to_the_end) judge_results(arrays, module.arguments, problem, expected, outcome);
  return outcome;
}

}  // namespace hone
