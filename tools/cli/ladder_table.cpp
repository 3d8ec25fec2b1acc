#include <algorithm>

#include "runtime/compile.h"
#include "runtime/parallel.h"
#include "tools/cli/commands.h"
#include "tools/cli/trial.h"

namespace hone {
namespace {

/// A ladder to run: the same data for all rungs, and what they should compute.
struct Climb {
  const Ladder& ladder;
  Device device;
  Problem problem;
  Results reference;
  double patience;  ///< seconds for a rung
};

struct Row {
  std::string rung, device, size, check, time = "-", flops = "-", bytes = "-";
};

/// Widths of the columns that hold text; numbers have room for what they are.
struct Widths {
  size_t rung = 4, device = 6, size = 4;
};

Device device_of(const Rung& rung, const Device& device) {
  return rung.target == RungTarget::host ? Device::host() : device;
}

Widths widths_of(const Climb& climb) {
  Widths widths;
  for (const Rung& rung : climb.ladder.rungs) {
    widths.rung = std::max(widths.rung, rung.name.size());
    widths.device = std::max(widths.device, to_string(device_of(rung, climb.device)).size());
  }
  widths.size = std::max(widths.size, to_text(climb.problem.sizes).size());
  return widths;
}

std::string line_of(const Row& row, const Widths& widths) {
  return fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<7}  {:>12}  {:>9}  {:>8}\n", row.rung, widths.rung,
                     row.device, widths.device, row.size, widths.size, row.check, row.time,
                     row.flops, row.bytes);
}

/// Billions a second. The time of the simulated device says nothing about a rate.
std::string rate(const std::function<double(const Sizes&)>& amount, const Sizes& sizes,
                 const Device& device, double milliseconds) {
  const double units = amount ? amount(sizes) : 0;
  if (device.kind() == DeviceKind::simulated || units <= 0 || milliseconds <= 0) return "-";
  return fmt::format("{:.1f}", units / milliseconds / 1e6);
}

/// Runs a rung and says what was wrong with it, or nothing. One that would take longer than the
/// climb has patience for is skipped.
std::string climb_rung(const Climb& climb, const Rung& rung, Row& row, Output& out) {
  const Device device = device_of(rung, climb.device);
  const Sizes& sizes = climb.problem.sizes;
  const std::string name = climb.ladder.name + "/" + rung.name;
  try {
    const Expectation expected = expected_trial({&climb.ladder, &rung}, device, sizes);
    if (expected.value_or(0) > climb.patience) {
      row.check = "skipped";
      row.time = "~ " + duration_text(*expected);
      out.complain(
          fmt::format("{} is skipped: it would take about {} on {}, and {} is the limit; "
                      "--limit=SECONDS sets another one\n",
                      name, duration_text(*expected), device, duration_text(climb.patience)));
      return "";
    }
    const Waiting waiting(out, name, expected);
    const RungRun trial = run_trial(rung, device, climb.problem);
    const Verdict verdict = compare(trial.outputs, climb.reference, climb.problem);
    row.check = verdict.mismatch.empty() ? deviation_text(verdict) : "WRONG";
    row.time = time_text(trial.milliseconds);
    row.flops = rate(climb.ladder.flops, sizes, device, trial.milliseconds);
    row.bytes = rate(climb.ladder.bytes, sizes, device, trial.milliseconds);
    return verdict.mismatch;
  } catch (const std::exception& error) {
    row.check = "ERROR";
    return error.what();
  }
}

/// Compiles all rungs of a GPU, on all cores: climbing them finds the kernels in the cache. What
/// goes wrong here goes wrong there too, and is reported there.
void compile_ahead(const Climb& climb) {
  if (!climb.device.is_cuda()) return;
  parallel_for(climb.ladder.rungs.size(), [&](size_t n) {
    const Rung& rung = climb.ladder.rungs[n];
    try {
      compile(rung.build({}, climb.problem.sizes), {.device = device_of(rung, climb.device)});
    } catch (const std::exception&) {
    }
  });
}

/// Prints the table row by row; returns how many rungs failed.
int print_table(const Climb& climb, Output& out) {
  const Widths widths = widths_of(climb);
  out.print(fmt::format("{}: {}\n\n", climb.ladder.name, climb.ladder.title));
  out.print(line_of({"rung", "device", "size", "check", "time", "GFLOP/s", "GB/s"}, widths));
  int failures = 0;
  compile_ahead(climb);
  for (const Rung& rung : climb.ladder.rungs) {
    Row row;
    row.rung = rung.name;
    row.device = to_string(device_of(rung, climb.device));
    row.size = to_text(climb.problem.sizes);
    const std::string problem = climb_rung(climb, rung, row, out);
    out.print(line_of(row, widths));
    if (problem.empty()) continue;
    out.complain(fmt::format("error: {}/{}: {}\n", climb.ladder.name, rung.name, problem));
    ++failures;
  }
  return failures;
}

/// The seconds of "--limit", by default 20.
double chosen_limit(const Arguments& arguments) {
  const std::string text = arguments.value("--limit").value_or("20");
  uint64_t seconds = 0;
  if (llvm::StringRef(text).getAsInteger(10, seconds))
    throw UsageError("--limit takes a number of seconds, got '{}'", text);
  return static_cast<double>(seconds);
}

int climb(const Ladder& ladder, const Sizes& sizes, const Device& device,
          const Arguments& arguments, Output& out) {
  const double patience = chosen_limit(arguments);
  const Program program = program_of(ladder, {});
  Problem problem = make_problem(program.function(), sizes, {}, chosen_seed(arguments));
  Results reference = reference_results(ladder, problem, out);
  return print_table({ladder, device, std::move(problem), std::move(reference), patience}, out);
}

}  // namespace

int run_ladder(const Arguments& arguments, const Session& session) {
  const Ladder& ladder = find_ladder(session.ladders, arguments.positional()[0]);
  const Sizes given = given_sizes(arguments, ladder);
  const Device device = chosen_device(arguments);
  const Sizes sizes = given.empty() ? default_sizes(ladder, device) : overlaid(ladder.sizes, given);
  return climb(ladder, sizes, device, arguments, session.out) == 0 ? exit_success : exit_failure;
}

int run_demo(const Arguments& arguments, const Session& session) {
  const Device device = chosen_device(arguments);
  size_t rungs = 0;
  int failures = 0;
  for (const Ladder& ladder : session.ladders) {
    failures += climb(ladder, default_sizes(ladder, device), device, arguments, session.out);
    rungs += ladder.rungs.size();
    session.out.print("\n");
  }
  session.out.print(failures == 0
                        ? fmt::format("all {} rungs compute what their programs say\n", rungs)
                        : fmt::format("{} of {} rungs failed\n", failures, rungs));
  return failures == 0 ? exit_success : exit_failure;
}

}  // namespace hone
