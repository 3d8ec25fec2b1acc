#include "ir/interpret/interpreter.h"
#include "ir/interpret/trips.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/command/edited_run.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/kernel_check.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

CheckOptions options_of(const Arguments& arguments) {
  CheckOptions options;
  options.order = chosen_order(arguments);
  options.find_unneeded_barriers = arguments.has("--unneeded-barriers");
  return options;
}

CheckOutcome check_one(const RungRef& rung, const Arguments& arguments, const Sizes& given,
                       Output& out, const Edit& edit = {}) {
  const Function program = program_for(rung, simulated_sizes(*rung.ladder, given));
  const Sizes sizes = with_pitches(program, simulated_sizes(*rung.ladder, given));
  announce_long_run(rung.name(), count_trips(program.body, sizes), checking_speed, out);
  const Problem problem = make_problem(program, sizes, {}, chosen_seed(arguments),
                                       chosen_elements(arguments, Device::simulated()));
  const RungKernels kernels =
      kernels_of(rung, {}, problem.sizes, edit.is_cuda ? nullptr : edit.text_or_null());
  const auto compute = [&] { return expected_results(*rung.ladder, problem, out); };
  const Expected expected = rung.ladder->program ? Expected(compute) : nullptr;
  if (edit.is_cuda) return check_source(kernels, *edit.text, problem, expected);
  return check_module(kernels.module, kernels.schedule_or_null(), problem, options_of(arguments),
                      expected);
}

/// The results of a command line, as text when they come, or as rows of JSON in the end.
class Report {
 public:
  Report(const Arguments& arguments, Output& out) : is_json_(arguments.has("--json")), out_(out) {}

  /// Findings are shown where they are asked for; a line says how many there are.
  void add(const std::string& name, CheckOutcome outcome, bool shows_findings) {
    failures_ += outcome.clean() ? 0 : 1;
    const bool hides_findings = !shows_findings && !outcome.clean();
    if (!is_json_)
      return out_.print(fmt::format("{}{}: {}{}\n", shows_findings ? outcome.findings : "", name,
                                    outcome.verdict(),
                                    hides_findings ? "; check " + name + " shows them" : ""));
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
    if (!ladder.is_broken) check_rungs(ladder, arguments, {}, report, session.out);
  return report.finish();
}

int check_ladder(const Ladder& ladder, const Arguments& arguments, Output& out) {
  Report report(arguments, out);
  check_rungs(ladder, arguments, given_sizes(arguments, ladder), report, out);
  return report.finish();
}

int report_one(const std::string& name, CheckOutcome outcome, const Arguments& arguments,
               Output& out) {
  Report report(arguments, out);
  report.add(name, std::move(outcome), /*shows_findings=*/true);
  return report.finish();
}

Sizes sizes_of_kernels(const Arguments& arguments, const Function& function) {
  std::vector<std::string> known;
  for (const ParamPtr& param : function.params) known.push_back(param->name);
  Sizes sizes = given_sizes(arguments, known, function.name);
  sizes = with_pitches(function, std::move(sizes));
  for (const std::string& name : known)
    if (!sizes.count(name))
      throw UsageError("{} has a size {}; give it with -D {}=SIZE", function.name, name, name);
  return sizes;
}

/// A function that does the work of all kernels, one after the other.
Function as_function(const Module& module) {
  Function function;
  function.name = module.name;
  function.params = module.params;
  function.arguments = module.arguments;
  llvm::SmallVector<Stmt, 2> bodies;
  for (const KernelFunction& kernel : module.kernels)
    bodies.push_back(hone::as_function(kernel).body);
  function.body = Seq::make(bodies);
  return function;
}

/// Of all threads together, which make one at least.
int64_t trips_of(const KernelFunction& kernel, const Sizes& sizes) {
  int64_t trips = std::max<int64_t>(count_trips(kernel.body, sizes), 1);
  for (const auto* extents : {&kernel.grid, &kernel.block})
    for (const Expr& extent : *extents)
      if (__builtin_mul_overflow(trips, evaluate(extent, sizes), &trips)) return INT64_MAX;
  return trips;
}

int check_kernel_file(const UserText& text, const Arguments& arguments, Output& out) {
  const Module module = module_of(text);
  const Function function = as_function(module);
  const Problem problem =
      make_problem(function, sizes_of_kernels(arguments, function), {}, chosen_seed(arguments));
  for (const KernelFunction& kernel : module.kernels)
    announce_long_run(text.path, trips_of(kernel, problem.sizes), checking_speed, out);
  return report_one(text.path,
                    check_module(module, nullptr, problem, options_of(arguments), nullptr),
                    arguments, out);
}

/// Checks that there is one subject: one of a name, --all and --kernel, which can stand beside the
/// name of a rung.
void check_subject(const Arguments& arguments) {
  const size_t names = arguments.positional().size(), all = arguments.has("--all") ? 1 : 0;
  const size_t files = arguments.has("--kernel") && (names == 0 || all > 0) ? 1 : 0;
  const size_t subjects = names + all + files;
  if (arguments.has("--replace-source")) {
    if (names != 1)
      throw UsageError("--replace-source takes the place of a rung's kernels; name it");
    for (const char* const option : {"--order", "--unneeded-barriers", "--ring"})
      if (arguments.has(option))
        throw UsageError("{} is for kernel IR, and --replace-source gives CUDA", option);
  }
  if (files > 0 && arguments.has("--ring"))
    throw UsageError("--ring compares kernels with the program of a rung; name it");
  if (subjects != 1)
    throw UsageError("check takes one of LADDER/RUNG, LADDER, --all and --kernel=FILE, got {}",
                     subjects);
}

}  // namespace

int check_rung(const Arguments& arguments, const Session& session) {
  check_subject(arguments);
  if (arguments.has("--all")) return check_all(arguments, session);
  if (arguments.positional().empty())
    return check_kernel_file(*edited_kernels(arguments), arguments, session.out);
  const std::string& name = arguments.positional()[0];
  const bool is_edited = arguments.has("--kernel") || arguments.has("--replace-source");
  if (!is_edited && name.find('/') == std::string::npos)
    return check_ladder(find_ladder(session.ladders, name), arguments, session.out);
  const RungRef rung = find_rung(session.ladders, name);
  check_runs_on_gpu(rung);
  const Edit edit = chosen_edit(arguments, rung);
  return report_one(
      name_with(rung, edit.text_or_null()),
      check_one(rung, arguments, given_sizes(arguments, *rung.ladder), session.out, edit),
      arguments, session.out);
}

}  // namespace hone
