#include "runtime/sim/check.h"

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "fmt/ranges.h"
#include "ir/interpreter.h"
#include "ir/parser.h"
#include "ir/schedule/site.h"
#include "ir/trips.h"
#include "runtime/files.h"
#include "tools/cli/commands.h"
#include "tools/cli/finding_text.h"
#include "tools/cli/simulated_run.h"
#include "tools/cli/trial.h"

namespace hone {
namespace {

constexpr size_t most_kernel_bytes = 16 << 20;

/// "1 block", "64 blocks"
std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The result of check mode for a program.
struct Outcome {
  std::string findings;  ///< lines
  int64_t kinds = 0, all = 0, hints = 0;
  std::vector<std::string> launches;  ///< "64 blocks of 1024 threads"
  bool ran_to_the_end = true;         ///< no block ended early; else the results mean nothing

  bool clean() const { return kinds == 0; }
  std::string verdict() const;
};

std::string Outcome::verdict() const {
  const std::string where =
      launches.empty() ? "no block runs" : fmt::format("in {}", fmt::join(launches, ", "));
  std::string text = launches.empty() ? where : fmt::format("no findings {}", where);
  if (!clean())
    text = fmt::format("{} of findings, {} in all, {}", counted(kinds, "kind"), all, where);
  return hints == 0 ? text : fmt::format("{}, {}", text, counted(hints, "hint"));
}

int64_t threads_of(const KernelFunction& kernel, const Sizes& sizes) {
  int64_t threads = 1;
  for (const Expr& extent : kernel.block) threads *= evaluate(extent, sizes);
  return threads;
}

/// Whether a block goes on behind such a finding.
bool goes_on_behind(FindingKind kind) {
  return is_hint(kind) || kind == FindingKind::race || kind == FindingKind::same_value_race ||
         kind == FindingKind::uninitialised_read || kind == FindingKind::divergent_shuffle ||
         kind == FindingKind::missing_arrival;
}

void add(const CheckReport& report, size_t kernel, const StatementPlaces& places,
         Outcome& outcome) {
  for (const Finding& finding : report.findings) {
    outcome.findings += to_string(finding, kernel, places);
    outcome.ran_to_the_end &= goes_on_behind(finding.kind);
    if (is_hint(finding.kind)) {
      ++outcome.hints;
      continue;
    }
    ++outcome.kinds;
    outcome.all += finding.count;
  }
}

void add_wrong_result(const std::string& mismatch, Outcome& outcome) {
  outcome.findings += fmt::format("wrong result: {}\n", mismatch);
  ++outcome.kinds;
  ++outcome.all;
}

using Reference = llvm::function_ref<Results()>;

/// Runs the module in check mode. `reference` computes what the outputs should be, null where
/// nobody knows; they are compared where every block comes to its end.
Outcome check_module(const Module& module, const Schedule* schedule, const Problem& problem,
                     const CheckOptions& options, Reference reference) {
  const StatementPlaces places(module, schedule);
  Outcome outcome;
  const std::vector<AnyArray> arrays = run_kernels(
      module, problem,
      [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
        const KernelFunction& kernel = module.kernels[number];
        const CheckReport report = check(kernel, sizes, arguments, options);
        outcome.launches.push_back(fmt::format("{} of {}", counted(report.blocks, "block"),
                                               counted(threads_of(kernel, sizes), "thread")));
        add(report, number, places, outcome);
      });
  if (!reference || !outcome.ran_to_the_end) return outcome;
  const Verdict verdict =
      compare(outputs_among(arrays, module.arguments, problem), reference(), problem);
  if (!verdict.mismatch.empty()) add_wrong_result(verdict.mismatch, outcome);
  return outcome;
}

CheckOptions options_of(const Arguments& arguments) {
  CheckOptions options;
  options.find_unneeded_barriers = arguments.has("--unneeded-barriers");
  return options;
}

Outcome check_one(const RungRef& rung, const Arguments& arguments, const Sizes& given,
                  Output& out) {
  const Function program = program_for(rung, simulated_sizes(*rung.ladder, given));
  const Sizes sizes = with_pitches(program, simulated_sizes(*rung.ladder, given));
  announce_long_run(rung.name(), count_trips(program.body, sizes), checking_speed, out);
  const Problem problem = make_problem(program, sizes, {}, chosen_seed(arguments));
  const Schedule schedule = rung.rung->build({}, problem.sizes);
  const Module module = lower(schedule);
  if (!rung.ladder->program)
    return check_module(module, &schedule, problem, options_of(arguments), nullptr);
  return check_module(module, &schedule, problem, options_of(arguments),
                      [&] { return reference_results(*rung.ladder, problem, out); });
}

int report(const std::string& name, const Outcome& outcome, Output& out) {
  out.print(outcome.findings);
  out.print(fmt::format("{}: {}\n", name, outcome.verdict()));
  return outcome.clean() ? exit_success : exit_failure;
}

/// Checks the rungs of a ladder, a line each; returns how many failed.
int check_rungs(const Ladder& ladder, const Arguments& arguments, const Sizes& given, Output& out) {
  int failures = 0;
  for (const Rung& rung : ladder.rungs) {
    const RungRef reference = {&ladder, &rung};
    if (rung.target == RungTarget::host) {
      out.print(fmt::format("{}: runs on the host, not checked\n", reference.name()));
      continue;
    }
    try {
      const Outcome outcome = check_one(reference, arguments, given, out);
      out.print(fmt::format("{}: {}\n", reference.name(), outcome.verdict()));
      failures += outcome.clean() ? 0 : 1;
    } catch (const std::exception& error) {
      out.complain(fmt::format("error: {}: {}\n", reference.name(), error.what()));
      ++failures;
    }
  }
  return failures;
}

int check_all(const Arguments& arguments, const Session& session) {
  if (arguments.has("-D"))
    throw UsageError("-D gives a size of one ladder; name it, and leave --all out");
  int failures = 0;
  for (const Ladder& ladder : session.ladders)
    failures += check_rungs(ladder, arguments, {}, session.out);
  return failures == 0 ? exit_success : exit_failure;
}

Sizes sizes_of_kernel(const Arguments& arguments, const KernelFunction& kernel) {
  std::vector<std::string> known;
  for (const ParamPtr& param : kernel.params) known.push_back(param->name);
  Sizes sizes = given_sizes(arguments, known, kernel.name);
  sizes = with_pitches(as_function(kernel), std::move(sizes));
  for (const std::string& name : known)
    if (!sizes.count(name))
      throw UsageError("{} has a size {}; give it with -D {}=SIZE", kernel.name, name, name);
  return sizes;
}

KernelFunction read_kernel(const std::string& path) {
  const auto text = read_small_file(path, most_kernel_bytes);
  if (!text) throw RuntimeError("cannot read {}", path);
  try {
    KernelFunction kernel = parse_kernel(*text);
    if (const auto problem = verify(kernel)) throw RuntimeError("{}: {}", path, *problem);
    return kernel;
  } catch (const ParseError& error) {
    throw RuntimeError("{}:{}", path, error.what());
  }
}

bool counts_blocks(const KernelFunction& kernel, const TensorPtr& tensor) {
  return find_stmt(kernel.body, [&](const Stmt& stmt) {
    const auto* arrive = llvm::dyn_cast<Arrive>(stmt);
    return arrive && arrive->counter->name == tensor->name;
  });
}

/// A kernel as a program of its own. Counters are not its caller's.
Module module_of(KernelFunction kernel) {
  Module module;
  module.name = kernel.name;
  module.params = kernel.params;
  for (const TensorPtr& tensor : kernel.arguments)
    counts_blocks(kernel, tensor) ? module.counters.push_back(tensor)
                                  : module.arguments.push_back(tensor);
  module.kernels.push_back(std::move(kernel));
  return module;
}

/// Of all threads together, which make one at least.
int64_t trips_of(const KernelFunction& kernel, const Sizes& sizes) {
  int64_t trips = std::max<int64_t>(count_trips(kernel.body, sizes), 1);
  for (const auto* extents : {&kernel.grid, &kernel.block})
    for (const Expr& extent : *extents)
      if (__builtin_mul_overflow(trips, evaluate(extent, sizes), &trips)) return INT64_MAX;
  return trips;
}

int check_kernel_file(const std::string& path, const Arguments& arguments, Output& out) {
  const Module module = module_of(read_kernel(path));
  const KernelFunction& kernel = module.kernels.front();
  Function function = as_function(kernel);
  function.arguments = module.arguments;
  const Problem problem =
      make_problem(function, sizes_of_kernel(arguments, kernel), {}, chosen_seed(arguments));
  announce_long_run(path, trips_of(kernel, problem.sizes), checking_speed, out);
  return report(path, check_module(module, nullptr, problem, options_of(arguments), nullptr), out);
}

/// Checks that there is one subject: one of a name, --all and --kernel.
void check_subject(const Arguments& arguments) {
  const size_t subjects = arguments.positional().size() + (arguments.has("--all") ? 1 : 0) +
                          (arguments.has("--kernel") ? 1 : 0);
  if (subjects != 1)
    throw UsageError("check takes one of LADDER/RUNG, LADDER, --all and --kernel=FILE, got {}",
                     subjects);
}

}  // namespace

int check_rung(const Arguments& arguments, const Session& session) {
  check_subject(arguments);
  if (const auto file = arguments.value("--kernel"))
    return check_kernel_file(*file, arguments, session.out);
  if (arguments.has("--all")) return check_all(arguments, session);
  const std::string& name = arguments.positional()[0];
  if (name.find('/') == std::string::npos) {
    const Ladder& ladder = find_ladder(session.ladders, name);
    const Sizes given = given_sizes(arguments, ladder);
    return check_rungs(ladder, arguments, given, session.out) == 0 ? exit_success : exit_failure;
  }
  const RungRef rung = find_rung(session.ladders, name);
  check_runs_on_gpu(rung);
  const Sizes given = given_sizes(arguments, *rung.ladder);
  return report(rung.name(), check_one(rung, arguments, given, session.out), session.out);
}

}  // namespace hone
