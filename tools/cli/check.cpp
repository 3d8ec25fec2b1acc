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
#include "tools/cli/json_text.h"
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
  std::string findings;       ///< lines
  llvm::json::Array records;  ///< the same as data
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

void add_wrong_result(const std::string& mismatch, Outcome& outcome) {
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

/// The results of a command line, as text when they come, or as rows of JSON in the end.
class Report {
 public:
  Report(const Arguments& arguments, Output& out) : is_json_(arguments.has("--json")), out_(out) {}

  /// Findings are shown where they are asked for; a line says how many there are.
  void add(const std::string& name, Outcome outcome, bool shows_findings) {
    failures_ += outcome.clean() ? 0 : 1;
    if (!is_json_)
      return out_.print(fmt::format("{}{}: {}\n", shows_findings ? outcome.findings : "", name,
                                    outcome.verdict()));
    rows_.push_back(llvm::json::Object{{"rung", name},
                                       {"verdict", outcome.verdict()},
                                       {"is_clean", outcome.clean()},
                                       {"launches", to_json(outcome.launches)},
                                       {"findings", std::move(outcome.records)}});
  }
  void add_host(const std::string& name) { add_line(name, "runs on the host, not checked"); }
  void add_error(const std::string& name, const std::string& error) {
    ++failures_;
    if (!is_json_) return out_.complain(fmt::format("error: {}: {}\n", name, error));
    rows_.push_back(llvm::json::Object{{"rung", name}, {"error", error}});
  }

  /// The status of the command.
  int finish() {
    if (is_json_) print_json(std::move(rows_), out_);
    return failures_ == 0 ? exit_success : exit_failure;
  }

 private:
  void add_line(const std::string& name, const std::string& verdict) {
    if (!is_json_) return out_.print(fmt::format("{}: {}\n", name, verdict));
    rows_.push_back(llvm::json::Object{{"rung", name}, {"verdict", verdict}});
  }

  bool is_json_;
  Output& out_;
  llvm::json::Array rows_;
  int failures_ = 0;
};

/// Checks the rungs of a ladder, a line each.
void check_rungs(const Ladder& ladder, const Arguments& arguments, const Sizes& given,
                 Report& report, Output& out) {
  for (const Rung& rung : ladder.rungs) {
    const RungRef reference = {&ladder, &rung};
    if (rung.target == RungTarget::host) {
      report.add_host(reference.name());
      continue;
    }
    try {
      report.add(reference.name(), check_one(reference, arguments, given, out),
                 /*shows_findings=*/false);
    } catch (const std::exception& error) {
      report.add_error(reference.name(), error.what());
    }
  }
}

int check_all(const Arguments& arguments, const Session& session) {
  if (arguments.has("-D"))
    throw UsageError("-D gives a size of one ladder; name it, and leave --all out");
  Report report(arguments, session.out);
  for (const Ladder& ladder : session.ladders)
    check_rungs(ladder, arguments, {}, report, session.out);
  return report.finish();
}

int check_ladder(const Ladder& ladder, const Arguments& arguments, Output& out) {
  Report report(arguments, out);
  check_rungs(ladder, arguments, given_sizes(arguments, ladder), report, out);
  return report.finish();
}

int report_one(const std::string& name, Outcome outcome, const Arguments& arguments, Output& out) {
  Report report(arguments, out);
  report.add(name, std::move(outcome), /*shows_findings=*/true);
  return report.finish();
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
  return report_one(path, check_module(module, nullptr, problem, options_of(arguments), nullptr),
                    arguments, out);
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
  if (name.find('/') == std::string::npos)
    return check_ladder(find_ladder(session.ladders, name), arguments, session.out);
  const RungRef rung = find_rung(session.ladders, name);
  check_runs_on_gpu(rung);
  const Sizes given = given_sizes(arguments, *rung.ladder);
  return report_one(rung.name(), check_one(rung, arguments, given, session.out), arguments,
                    session.out);
}

}  // namespace hone
