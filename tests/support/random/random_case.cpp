#include "tests/support/random/random_case.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "ir/analysis/nests.h"
#include "ir/analysis/site.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"
#include "tests/support/random/check.h"
#include "tests/support/random/guided_schedule.h"
#include "tests/support/random/journal.h"
#include "tests/support/random/random_step.h"

namespace hone {
namespace {

/// Seconds after which a case counts as hung: of the processor, with those that it waits for a GPU,
/// and of the clock.
constexpr time_t processor_limit = 40, gpu_limit = 60;
constexpr unsigned time_limit = 900;

/// Elements that a run moves: a step that makes it more has no part in a schedule.
double most_work(const Random& random) { return random.has(Extra::warpgroups) ? 6e6 : 2e6; }

/// The elements that a run moves, about, where params have these values.
double work_of(const Stmt& stmt, const Sizes& sizes) {
  const auto extent_of = [&](const Expr& extent) {
    return static_cast<double>(evaluate(extent, sizes));
  };
  double work = 1;
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
    for (const Expr& extent : copy->destination.extents()) work *= extent_of(extent);
  double inside = 0;
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { inside += work_of(nested, sizes); });
  const auto* loop = llvm::dyn_cast<For>(stmt);
  return loop ? extent_of(loop->extent) * inside : work + inside;
}

double work_of(const Function& function) {
  Sizes sizes;
  for (const ParamPtr& param : function.params) sizes[param->name] = 20;
  return work_of(function.body, sizes);
}

std::string program_name(uint64_t number) { return fmt::format("random{}", number); }

/// The step on the axes, the tensor and the params of this function. Throws ScheduleError.
Step resolved(const Step& step, const Function& function) {
  Step result = rebased(step, function);
  for (Expr& factor : result.factors)
    for (const ParamPtr& param : function.params)
      if (to_string(factor) == param->name) factor = ParamRef::make(param);
  return result;
}

/// True where threads of a loop combine the results of those of a loop inside.
bool combines_along_two_axes(const Function& function) {
  const auto combines = [](const For* loop) { return loop->binding.combine.is_exchange(); };
  return llvm::any_of(loops_of(function.body), [&](const For* loop) {
    return combines(loop) && llvm::any_of(loops_of(loop->body), combines);
  });
}

/// The numbers of blocks that the kernel's loops over those of a cluster go over.
std::set<std::string> cluster_sizes(const Stmt& kernel) {
  std::set<std::string> sizes;
  for (const For* loop : loops_of(kernel))
    if (loop->binding.is_cluster()) sizes.insert(to_string(loop->extent));
  return sizes;
}

bool has_unlike_clusters(const Function& function) {
  return llvm::any_of(nests_of(function.body),
                      [](const Stmt& nest) { return cluster_sizes(nest).size() > 1; });
}

/// Tells the choices first: running the program may end the process.
RandomProgram draw_program(Random& random, const RandomCase& random_case, const Journal& journal) {
  RandomProgram program = random_program(random, program_name(random_case.number));
  journal.choices(random.record());
  for (const std::string& feature : program.features)
    journal.counts("program: " + feature + " tried");
  return program;
}

class CaseRun {
 public:
  CaseRun(const RandomCase& random_case, const Journal& journal)
      : case_(random_case),
        journal_(journal),
        random_(random_case.choices
                    ? Random(*random_case.choices, random_case.extras)
                    : Random(random_case.seed, random_case.number, random_case.extras)),
        program_(draw_program(random_, random_case, journal)),
        schedule_(*program_.program),
        checker_(program_, random_case.seed) {}

  void run() {
    if (case_.choices)
      for (const Step& step : case_.steps) try_step(step);
    else
      draw_steps();
    if (!case_.on_gpu) checker_.check_end(schedule_);
    check_devices();
  }

 private:
  /// Half of the schedules are like those that people write. They place temporaries before the
  /// nest is tiled, or under way.
  void draw_steps() {
    if (program_.is_long) return draw_steps_of_long_rows();
    if (random_.chance(is_focused() ? 90 : 50)) {
      draw_guided_steps();
      if (random_.chance(Extra::write_outs, 12)) {
        draw_step(Phase::nests);
        for (int64_t n = random_.between(1, 5); n > 0; --n) draw_step(Phase::mapping);
      }
      for (int64_t n = random_.between(0, 3); n > 0; --n) draw_step(Phase::memory);
      return;
    }
    for (const Phase phase : random_phases(random_)) draw_step(phase);
  }

  /// Others come in between: few where most of them leave nothing that an instruction computes.
  void draw_guided_steps() {
    const uint32_t share = random_.is_for_products() ? 1 : 4;
    for (int64_t n = random_.between(0, share / 2); n > 0; --n) draw_step(Phase::placement);
    for (const Step& step : guided_schedule(random_, schedule_.function())) {
      if (random_.chance(share)) draw_step(Phase::any);
      if (random_.chance(share * 3)) draw_step(Phase::placement);
      if (has_names(step, schedule_.function()) && !random_.chance(share * 3 / 4)) try_step(step);
    }
  }

  bool is_focused() const { return random_.has(Extra::engines) || random_.is_for_products(); }

  /// A tile that each of many iterations fills takes too long.
  void draw_steps_of_long_rows() {
    for (int64_t n = random_.between(0, 3); n > 0; --n) draw_step(Phase::loops);
    for (int64_t n = random_.between(0, 4); n > 0; --n) {
      const auto step = random_step(random_, schedule_.function(), Phase::mapping);
      if (step && !step->primitive->name.starts_with("cache")) try_step(*step);
    }
  }

  void draw_step(Phase phase) {
    if (const auto step = random_step(random_, schedule_.function(), phase)) try_step(*step);
  }

  void try_step(const Step& step) {
    const Function before = schedule_.function();
    journal_.tries(step);
    Schedule tried = schedule_;
    try {
      tried.apply(resolved(step, before));
    } catch (const ScheduleError& error) {
      journal_.refuses();
      check_refusal(error, before, tried.function());
      return;
    }
    const double work = work_of(tried.function());
    if (work > most_work(random_)) return journal_.refuses();
    schedule_ = std::move(tried);
    journal_.accepts();
    const size_t steps = schedule_.trace().size();
    const bool takes_long =
        random_.is_for_products() && work > (random_.has(Extra::warps) ? 2e4 : 2e5);
    if (!case_.on_gpu && (!takes_long || steps % 8 == 0)) checker_.check_step(function(), steps);
  }

  Function function() const {
    return case_.plant ? case_.plant(schedule_.function()) : schedule_.function();
  }

  static void check_refusal(const ScheduleError& error, const Function& before,
                            const Function& after) {
    if (!equal(before, after))
      throw CheckFailure("refusal", fmt::format("changed the function: {}", error.what()));
    if (error.message().empty()) throw CheckFailure("refusal", "has no message");
  }

  void check_devices() const {
    const int bits = case_.number % 4 == 3 ? 64 : 0;
    const GpuResult gpu = case_.on_gpu
                              ? checker_.check_on_gpu(function(), bits)
                              : checker_.check_gpu(function(), {bits, case_.in_check_mode});
    if (!gpu.refusal.empty() && !case_.takes_refusals)
      throw CheckFailure("refused: " + gpu.refusal, gpu.refusal_message);
    if (gpu.refusal.empty()) {
      if (case_.keeps_source) journal_.makes(gpu.source);
      for (const std::string& feature : program_.features)
        journal_.counts("program: " + feature + " accepted");
    }
    const char* ran = case_.on_gpu ? "ran on the GPU" : "ran simulated";
    journal_.counts(gpu.refusal.empty() ? ran : "not for a GPU: " + gpu.refusal);
    if (gpu.refusal.empty()) count_engines(gpu);
    if (gpu.refusal.empty() && case_.in_check_mode) journal_.counts("ran in check mode");
    if (gpu.has_grid) journal_.counts("with a grid");
    if (gpu.has_grid && gpu.has_block) journal_.counts("with a grid of blocks of threads");
    if (gpu.has_barrier) journal_.counts("with barriers");
    if (gpu.has_registers) journal_.counts("with registers");
    if (gpu.has_shared) journal_.counts("with shared memory");
    if (gpu.has_vectors) journal_.counts("with vectors");
    if (gpu.has_atomics) journal_.counts("with atomic updates");
    if (gpu.has_shuffles) journal_.counts("with shuffles");
    if (gpu.has_arrivals) journal_.counts("with a last block");
    if (gpu.has_tests) journal_.counts("with tests of mbarriers");
    if (gpu.refusal.empty() && combines_along_two_axes(function()))
      journal_.counts("with threads that combine along two axes");
    if (gpu.refusal.empty() && has_unlike_clusters(function()))
      journal_.counts("with loops over unlike parts of a cluster");
    if (gpu.has_shared && gpu.has_barrier) journal_.counts("with shared memory and barriers");
    if (gpu.has_shared && gpu.has_barrier && gpu.has_vectors)
      journal_.counts("with shared memory, barriers and vectors");
    if (gpu.has_grid && gpu.has_block && gpu.has_registers)
      journal_.counts("with a grid, threads and registers");
    if (case_.on_host)
      journal_.counts(checker_.check_host(function()) ? "ran on the host" : "not for C: f16");
  }

  void count_engines(const GpuResult& gpu) const {
    if (gpu.has_async_copies) journal_.counts("with asynchronous copies");
    if (gpu.has_bulk_copies) journal_.counts("with bulk copies");
    if (gpu.has_bulk_stores) journal_.counts("with bulk stores");
    if (gpu.has_clusters) journal_.counts("with clusters");
    if (gpu.has_mbarriers) journal_.counts("with mbarriers");
    if (!gpu.warp_instructions.empty()) journal_.counts("with instructions of warps");
    for (const std::string& word : gpu.warp_instructions) journal_.counts("with " + word);
  }

  const RandomCase& case_;
  const Journal& journal_;
  Random random_;
  RandomProgram program_;
  Schedule schedule_;
  ProgramChecker checker_;
};

void start_clocks(bool on_gpu) {
  const itimerval limit = {{0, 0}, {on_gpu ? gpu_limit : processor_limit, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(time_limit);
}

/// True if all is well.
bool run_and_tell(const RandomCase& random_case, const Journal& journal) {
  journal.begins();
  start_clocks(random_case.on_gpu);
  bool is_well = false;
  try {
    CaseRun(random_case, journal).run();
    is_well = true;
  } catch (const CheckFailure& failure) {
    journal.fails(failure.check(), failure.what());
  } catch (const std::exception& error) {
    journal.fails("exception", error.what());
  }
  journal.ends();
  return is_well;
}

/// The child process; does not return. A mistake on a GPU may be felt by all that follows there.
[[noreturn]] void run_child(llvm::ArrayRef<RandomCase> cases, int file) {
  signal(SIGABRT, SIG_DFL);
  dup2(file, STDERR_FILENO);
  setenv("HONE_VERIFY", "1", 1);
  const Journal journal(file);
  for (const RandomCase& random_case : cases)
    if (!run_and_tell(random_case, journal) && random_case.on_gpu) break;
  _exit(0);
}

/// The axes and the tensor that a step may have made, for a step that did not come back.
Rewrite as_if_made(const Step& step) {
  Rewrite result;
  const size_t most = step.axes.empty() ? 2 : 2 * step.axes.size();
  const size_t count = std::min(step.primitive->made.axes, most);
  for (size_t n = 0; n < count; ++n)
    result.axes.push_back(make_axis(fmt::format("new{}", n), AxisKind::spatial));
  result.tensor = make_tensor("tile", f32, {});
  return result;
}

bool uses_size(const std::vector<Step>& steps) {
  return llvm::any_of(steps, [](const Step& step) {
    return llvm::any_of(step.factors, [](const Expr& factor) { return to_string(factor) == "S"; });
  });
}

}  // namespace

CaseProcess::CaseProcess(std::vector<RandomCase> cases) : cases_(std::move(cases)) {
  journal_ = memfd_create("journal", 0);
  if (journal_ < 0) throw std::runtime_error("no file");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) run_child(cases_, journal_);
}

std::vector<CaseReport> CaseProcess::reports() {
  int status = 0;
  waitpid(process_, &status, 0);
  lseek(journal_, 0, SEEK_SET);
  std::vector<CaseReport> reports = read_journal(journal_);
  close(journal_);
  if (!WIFSIGNALED(status) || reports.empty() || reports.back().check != "crash") return reports;
  const int signal = WTERMSIG(status);
  if (signal == SIGPROF || signal == SIGALRM) reports.back().check = "hang";
  reports.back().message += fmt::format("ended by signal {}", signal);
  return reports;
}

CaseReport run_case(const RandomCase& random_case) {
  return CaseProcess({random_case}).reports().front();
}

ScheduledProgram replay(const RandomCase& random_case, const CaseReport& report) {
  Random random(report.choices, random_case.extras);
  RandomProgram program = random_program(random, program_name(random_case.number));
  Schedule schedule(*program.program);
  for (const Step& step : report.steps) schedule.apply(resolved(step, schedule.function()));
  return {std::move(program), std::move(schedule)};
}

std::string reproducer(const RandomCase& random_case, const CaseReport& report) {
  const auto [program, schedule] = replay(random_case, report);
  std::string text = program.text + "Schedule s(program);\n" + schedule.trace_text();
  if (report.failed) {
    StepPrinter printer(schedule.function());
    text += printer.print(*report.failed, as_if_made(*report.failed)) + "\n";
  }
  if (uses_size(report.steps)) text = "Param S(\"S\");\n" + text;
  for (const Sizes& sizes : program.sizes) {
    text += "//";
    for (const auto& [name, size] : sizes) text += fmt::format(" {} = {}", name, size);
    text += "\n";
  }
  return text;
}

}  // namespace hone
