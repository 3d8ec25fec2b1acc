#include <algorithm>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "runtime/compile.h"
#include "runtime/model/gpus.h"
#include "runtime/parallel.h"
#include "tools/cli/command/commands.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/arithmetic.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/trial.h"
#include "tools/cli/machine.h"
#include "tools/cli/profile/counted_rung.h"
#include "tools/cli/profile/ladder_rows.h"
#include "tools/cli/profile/profile.h"

namespace hone {
namespace {

/// A ladder to run: the same data for all rungs, and what they should compute.
struct Climb {
  const Ladder& ladder;
  std::vector<const Rung*> rungs;
  Device device;
  const Gpu* gpu;  ///< whose peaks shares are of; null where none is known
  Arithmetic arithmetic;
  Problem problem;
  Problem counted;  ///< the same in floats, where those are elements of a ring
  ExpectedResults expected;
  Sizes fixed;                ///< sizes that are constants of the programs
  uint64_t seed;              ///< of the data
  double patience;            ///< seconds for a rung
  bool has_counters = false;  ///< of rungs on the simulated device
};

Device device_of(const Rung& rung, const Device& device) {
  return rung.target == RungTarget::host ? Device::host() : device;
}

Widths widths_of(const Climb& climb) {
  Widths widths;
  for (const Rung* rung : climb.rungs) {
    widths.rung = std::max(widths.rung, rung->name.size());
    widths.device = std::max(widths.device, to_string(device_of(*rung, climb.device)).size());
  }
  widths.size = std::max(widths.size, to_text(climb.problem.sizes).size());
  return widths;
}

/// The times of the simulated device say nothing.
NumberColumns columns_of(const Climb& climb) {
  const auto has_time = [&](const Rung* rung) {
    return device_of(*rung, climb.device).kind() != DeviceKind::simulated;
  };
  const bool is_simulated = climb.device.kind() == DeviceKind::simulated;
  return {llvm::any_of(climb.rungs, has_time), !is_simulated, climb.has_counters};
}

/// Billions a second; 0 where nobody says how many there are.
double rate(const std::function<double(const Sizes&)>& amount, const Sizes& sizes,
            double milliseconds) {
  return amount && milliseconds > 0 ? amount(sizes) / milliseconds / 1e6 : 0;
}

/// Of the peak that comes closest: of operations, or of bytes of DRAM. 0 where one is not known.
double share_of_peak(const Outcome& outcome, Arithmetic arithmetic, const Gpu& gpu) {
  const double peak = gpu.tflops(arithmetic) * 1e3;  // in GFLOPS
  return peak > 0 ? std::max(outcome.gflops / peak, outcome.gb_per_s / gpu.dram_gb_per_s) : 0;
}

void fill_in_rates(const Climb& climb, const Device& device, double milliseconds,
                   Outcome& outcome) {
  outcome.time = time_text(milliseconds);
  outcome.milliseconds = milliseconds;
  outcome.gflops = rate(climb.ladder.flops, climb.problem.sizes, milliseconds);
  outcome.gb_per_s = rate(climb.ladder.bytes, climb.problem.sizes, milliseconds);
  if (climb.gpu && device.is_cuda())
    outcome.share_of_peak = share_of_peak(outcome, climb.arithmetic, *climb.gpu);
}

void judge(const RungRun& trial, const Problem& problem, const ExpectedResults& expected,
           Outcome& outcome) {
  const Verdict verdict = compare(trial.outputs, expected);
  outcome.sizes = problem.sizes;
  outcome.check = verdict.mismatch.empty() ? deviation_text(verdict) : "WRONG";
  outcome.problem = verdict.mismatch;
}

/// Checks a rung that would take longer than the climb has patience for, at sizes that it has.
void check_small(const Climb& climb, const Rung& rung, const Device& device, double expected,
                 Outcome& outcome, Output& out) {
  const Problem small = make_problem(program_of(climb.ladder, {}).function(),
                                     tried_sizes(climb.ladder, climb.problem.sizes, device), {},
                                     climb.seed, climb.problem.elements);
  judge(run_trial({&climb.ladder, &rung}, device, small), small,
        expected_results(climb.ladder, small, out), outcome);
  out.complain(
      fmt::format("{}/{} would take about {} on {}, and {} is the limit: it is checked with {}; "
                  "--limit=SECONDS sets another one\n",
                  climb.ladder.name, rung.name, duration_text(expected), device,
                  duration_text(climb.patience), to_text(small.sizes)));
}

/// Runs a rung and says how that went. The times of the simulated device say nothing.
Outcome climb_rung(const Climb& climb, const Rung& rung, Output& out) {
  const Device device = device_of(rung, climb.device);
  Outcome outcome;
  outcome.rung = rung.name;
  outcome.device = to_string(device);
  outcome.sizes = climb.problem.sizes;
  const std::string name = climb.ladder.name + "/" + rung.name;
  try {
    const Expectation expected =
        expected_trial({&climb.ladder, &rung}, device, climb.problem.sizes);
    if (expected.value_or(0) > climb.patience) {
      outcome.time = "~ " + duration_text(*expected);
      check_small(climb, rung, device, *expected, outcome, out);
      return outcome;
    }
    const Waiting waiting(out, name, expected);
    const RungRun trial = run_trial({&climb.ladder, &rung}, device, climb.problem, climb.fixed);
    judge(trial, climb.problem, climb.expected, outcome);
    if (device.kind() != DeviceKind::simulated)
      fill_in_rates(climb, device, trial.milliseconds, outcome);
    else if (climb.has_counters)
      outcome.counters = counters_of({&climb.ladder, &rung}, climb.counted, climb.fixed);
  } catch (const std::exception& error) {
    outcome.check = "ERROR";
    outcome.problem = error.what();
  }
  return outcome;
}

/// Sets how many times as fast a rung is as the first and as the last one that has a time.
void compare_with(llvm::ArrayRef<Outcome> others, Outcome& outcome) {
  if (outcome.milliseconds == 0) return;
  for (const Outcome& other : others) {
    if (other.milliseconds == 0) continue;
    outcome.over_before = other.milliseconds / outcome.milliseconds;
    if (outcome.over_first == 0) outcome.over_first = outcome.over_before;
  }
}

/// Compiles all rungs of a GPU, on all cores: climbing them finds the kernels in the cache.
/// Climbing meets and reports all errors again.
void compile_ahead(const Climb& climb) {
  if (!climb.device.is_cuda()) return;
  parallel_for(climb.rungs.size(), [&](size_t n) {
    const Rung& rung = *climb.rungs[n];
    try {
      kernels_of({&climb.ladder, &rung}, climb.fixed, climb.problem.sizes)
          .compile_for(device_of(rung, climb.device));
    } catch (const std::exception&) {
    }
  });
}

/// Behind the title of a table: the peak that its shares are of, if that is not the usual one.
std::string peak_text(const Climb& climb) {
  if (!climb.gpu || !climb.device.is_cuda() || climb.arithmetic == Arithmetic::fp32) return "";
  const double peak = climb.gpu->tflops(climb.arithmetic);
  if (peak <= 0) return "";
  return fmt::format("; peak of {}: {:.4g} TFLOP/s", name(climb.arithmetic).str(), peak);
}

/// Prints the table row by row, unless it is quiet.
std::vector<Outcome> climb_all(const Climb& climb, bool is_quiet, Output& out) {
  const LadderRows rows(widths_of(climb), columns_of(climb));
  const auto print = [&](const std::string& text) {
    if (!is_quiet) out.print(text);
  };
  print(fmt::format("{}: {}{}\n\n", climb.ladder.name, climb.ladder.title, peak_text(climb)));
  print(rows.titles());
  std::vector<Outcome> outcomes;
  compile_ahead(climb);
  for (const Rung* rung : climb.rungs) {
    Outcome outcome = climb_rung(climb, *rung, out);
    compare_with(outcomes, outcome);
    print(rows.line(outcome));
    if (!outcome.problem.empty())
      out.complain(
          fmt::format("error: {}/{}: {}\n", climb.ladder.name, rung->name, outcome.problem));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

llvm::json::Value or_null(double value) {
  if (value <= 0) return nullptr;
  return value;
}

llvm::json::Value or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

llvm::json::Value counters_json(const Outcome& outcome) {
  if (outcome.counters.empty()) return nullptr;
  llvm::json::Object object;
  for (const auto& [counter, value] : llvm::zip(shown_counters, outcome.counters))
    object[counter.name] = value;
  return object;
}

llvm::json::Value row_of(const Climb& climb, const Outcome& outcome) {
  const Machine machine = machine_of(parse_device(outcome.device));
  return llvm::json::Object{{"ladder", climb.ladder.name},
                            {"rung", outcome.rung},
                            {"device", outcome.device},
                            {"device_name", or_null(machine.name)},
                            {"driver", or_null(machine.driver)},
                            {"nvrtc", or_null(machine.nvrtc)},
                            {"date", machine.date},
                            {"sizes", to_json(outcome.sizes)},
                            {"check", outcome.check},
                            {"problem", outcome.problem},
                            {"milliseconds", or_null(outcome.milliseconds)},
                            {"gflops", or_null(outcome.gflops)},
                            {"gb_per_s", or_null(outcome.gb_per_s)},
                            {"speedup_over_first", or_null(outcome.over_first)},
                            {"speedup_over_before", or_null(outcome.over_before)},
                            {"share_of_peak", or_null(outcome.share_of_peak)},
                            {"arithmetic", name(climb.arithmetic)},
                            {"counters", counters_json(outcome)}};
}

/// The seconds of "--limit".
double chosen_limit(const Arguments& arguments, const char* otherwise) {
  const std::string text = arguments.value("--limit").value_or(otherwise);
  uint64_t seconds = 0;
  if (llvm::StringRef(text).getAsInteger(10, seconds))
    throw UsageError("--limit takes a number of seconds, got '{}'", text);
  return static_cast<double>(seconds);
}

/// The GPU of "--gpu", else the one that the device says it is.
const Gpu* chosen_gpu(const Arguments& arguments, const Device& device) {
  const auto name = arguments.value("--gpu");
  return name ? &named_gpu(*name) : gpu_of_device(device.properties().name);
}

llvm::SmallVector<llvm::StringRef, 4> parts_of(const std::string& list) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(list).split(parts, ',');
  return parts;
}

/// No host has elements of a ring.
bool may_run(const Rung& rung, const Arguments& arguments) {
  return rung.target == RungTarget::gpu || !arguments.has("--ring");
}

/// Those of "--rungs", in the order of the ladder; by default all.
std::vector<const Rung*> chosen_rungs(const Arguments& arguments, const Session& session,
                                      const Ladder& ladder) {
  std::vector<const Rung*> chosen, rungs;
  if (const auto list = arguments.value("--rungs"))
    for (const llvm::StringRef name : parts_of(*list))
      chosen.push_back(find_rung(session.ladders, ladder.name + "/" + name.str()).rung);
  for (const Rung& rung : ladder.rungs)
    if (chosen.empty() ? may_run(rung, arguments) : llvm::is_contained(chosen, &rung))
      rungs.push_back(&rung);
  return rungs;
}

/// One set of sizes for each number of "--sizes", which all sizes but those of -D have; by default
/// one set.
std::vector<Sizes> chosen_sizes(const Arguments& arguments, const Ladder& ladder,
                                const Device& device) {
  const Sizes given = given_sizes(arguments, ladder);
  const auto list = arguments.value("--sizes");
  if (!list) return {given.empty() ? default_sizes(ladder, device) : overlaid(ladder.sizes, given)};
  std::vector<Sizes> all;
  for (const llvm::StringRef digits : parts_of(*list)) {
    int64_t number = 0;
    if (digits.getAsInteger(10, number) || number < 1)
      throw UsageError("--sizes takes numbers from 1 on, as in 256,512,1024, got '{}'",
                       digits.str());
    Sizes sizes = ladder.sizes;
    for (auto& [name, size] : sizes) size = number;
    all.push_back(overlaid(sizes, given));
  }
  return all;
}

Climb make_climb(const Ladder& ladder, std::vector<const Rung*> rungs, const Sizes& sizes,
                 const Device& device, const Arguments& arguments, double limit, Output& out) {
  const Program program = program_of(ladder, {});
  const uint64_t seed = chosen_seed(arguments);
  Problem counted = make_problem(program.function(), sizes, {}, seed);
  const Elements elements = chosen_elements(arguments, device);
  Problem problem = elements == Elements::few_digits
                        ? counted
                        : make_problem(program.function(), sizes, {}, seed, elements);
  ExpectedResults expected = expected_results(ladder, problem, out);
  return {ladder,
          std::move(rungs),
          device,
          chosen_gpu(arguments, device),
          arithmetic_of(program.function()),
          std::move(problem),
          std::move(counted),
          std::move(expected),
          arguments.has("--constant") ? sizes : Sizes(),
          seed,
          limit};
}

int failures_among(llvm::ArrayRef<Outcome> outcomes) {
  return static_cast<int>(
      llvm::count_if(outcomes, [](const Outcome& one) { return !one.problem.empty(); }));
}

std::vector<const Rung*> all_of(const Ladder& ladder) {
  std::vector<const Rung*> rungs;
  for (const Rung& rung : ladder.rungs) rungs.push_back(&rung);
  return rungs;
}

}  // namespace

llvm::json::Array measured_rows(const Ladder& ladder, const Device& device,
                                const Arguments& arguments, Output& out) {
  const Climb climb =
      make_climb(ladder, all_of(ladder), chosen_sizes(arguments, ladder, device).front(), device,
                 arguments, chosen_limit(arguments, "20"), out);
  llvm::json::Array rows;
  for (const Outcome& outcome : climb_all(climb, /*is_quiet=*/true, out))
    rows.push_back(row_of(climb, outcome));
  return rows;
}

int run_ladder(const Arguments& arguments, const Session& session) {
  const bool is_page = arguments.has("--html") || arguments.has("--markdown");
  if (is_page && arguments.has("--ring"))
    throw UsageError("--ring is for tables, and --html and --markdown write a page");
  if (is_page) return write_ladder_page(arguments, session);
  if (arguments.has("--figures"))
    throw UsageError("--figures is about a page; name it with --html or --markdown");
  const Ladder& ladder = find_ladder(session.ladders, arguments.positional()[0]);
  const Device device = chosen_device(arguments);
  const auto rungs = chosen_rungs(arguments, session, ladder);
  const bool is_json = arguments.has("--json");
  const double limit = chosen_limit(arguments, "20");
  llvm::json::Array rows;
  int failures = 0;
  bool is_first = true;
  for (const Sizes& sizes : chosen_sizes(arguments, ladder, device)) {
    if (!is_first && !is_json) session.out.print("\n");
    is_first = false;
    Climb climb = make_climb(ladder, rungs, sizes, device, arguments, limit, session.out);
    climb.has_counters = device.kind() == DeviceKind::simulated;
    const auto outcomes = climb_all(climb, is_json, session.out);
    failures += failures_among(outcomes);
    for (const Outcome& outcome : outcomes) rows.push_back(row_of(climb, outcome));
  }
  if (is_json) print_json(std::move(rows), session.out);
  return failures == 0 ? exit_success : exit_failure;
}

int run_demo(const Arguments& arguments, const Session& session) {
  const Device device = chosen_device(arguments);
  const double limit = chosen_limit(arguments, "1");
  const bool is_json = arguments.has("--json");
  llvm::json::Array rows;
  int failures = 0;
  for (const Ladder& ladder : session.ladders) {
    if (ladder.is_broken) continue;
    const Climb climb = make_climb(ladder, all_of(ladder), default_sizes(ladder, device), device,
                                   arguments, limit, session.out);
    const auto outcomes = climb_all(climb, is_json, session.out);
    failures += failures_among(outcomes);
    for (const Outcome& outcome : outcomes) rows.push_back(row_of(climb, outcome));
    if (!is_json) session.out.print("\n");
  }
  const size_t rungs = rows.size();
  if (is_json)
    print_json(std::move(rows), session.out);
  else
    session.out.print(failures == 0
                          ? fmt::format("all {} rungs compute what their programs say\n", rungs)
                          : fmt::format("{} of {} rungs failed\n", failures, rungs));
  return failures == 0 ? exit_success : exit_failure;
}

}  // namespace hone
