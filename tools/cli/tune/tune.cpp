#include "runtime/files.h"
#include "tools/cli/json_text.h"
#include "tools/cli/profile/profile.h"
#include "tools/cli/tune/tune_report.h"
#include "tools/cli/tune/winners.h"

namespace hone {
namespace {

int64_t number_of(const Arguments& arguments, std::string_view option, int64_t least,
                  int64_t otherwise) {
  const auto text = arguments.value(option);
  int64_t number = otherwise;
  if (text && (llvm::StringRef(*text).getAsInteger(10, number) || number < least))
    throw UsageError("{} takes a number from {} on, got '{}'", option, least, *text);
  return number;
}

/// The GPU that the model is of: that of --gpu, else the one that measures, where it is known.
std::string gpu_of_model(const Arguments& arguments, const MeasureMachine& machine) {
  const Gpu& usual = *chosen_target(arguments).gpu;
  if (const auto given = arguments.value("--gpu")) return *given;
  const Gpu* const own = gpu_of_device(value_or(machine.getString("device_name"), ""));
  return own ? own->name : usual.name;
}

TuneOptions tune_options(const Arguments& arguments, const Ladder& ladder,
                         const MeasureMachine& machine) {
  TuneOptions options;
  options.sizes = overlaid(ladder.sizes, given_sizes(arguments, ladder));
  options.are_constants = arguments.has("--constant");
  options.seed = chosen_seed(arguments);
  options.gpu = gpu_of_model(arguments, machine);
  options.blocks = number_of(arguments, "--blocks", 0, options.blocks);
  options.top = number_of(arguments, "--top", 1, static_cast<int64_t>(options.top));
  options.others = number_of(arguments, "--others", 0, 0);
  options.rounds = static_cast<int>(number_of(arguments, "--rounds", 1, options.rounds));
  options.budget = seconds_of(arguments, "--budget", options.budget);
  options.workers = worker_count(arguments);
  return options;
}

/// On a terminal, a line that is written over.
class ProgressLine {
 public:
  ProgressLine(Output& out, std::string rung) : out_(out), rung_(std::move(rung)) {}
  ~ProgressLine() {
    if (is_shown_) out_.complain(wiped);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& done, const Tuning& tuning, const TuneCandidate* best) {
    if (!out_.shows_progress()) return;
    is_shown_ = true;
    std::string text = fmt::format("{}{}: {}", wiped, rung_, done);
    if (best)
      text += fmt::format(", best so far {:.4g} ms: {}", *milliseconds_of(tuning.result_of(*best)),
                          name_of(*best));
    out_.complain(text);
  }

 private:
  static constexpr const char* wiped = "\r\x1b[K";
  Output& out_;
  std::string rung_;
  bool is_shown_ = false;
};

/// `note`: what became of the table.
void print_outcome(const Tuning& tuning, const std::string& rung, const std::string& note,
                   const Arguments& arguments, Output& out) {
  const std::string text = summary(tuning, rung) + (note.empty() ? "" : "// " + note + "\n");
  const std::string steps = text + *tuning.winner().job.steps;
  const auto file = arguments.value("-o");
  if (file) replace_file(*file, {steps});
  if (arguments.has("--json"))
    print_json(to_json(tuning, rung), out);
  else
    out.print(file ? text : steps);
}

}  // namespace

int tune_rung(const Arguments& arguments, const Session& session) {
  const RungRef rung = find_rung(session.ladders, arguments.positional()[0]);
  MeasureDesk desk(arguments, session);
  const MeasureMachine& machine = desk.machine(arguments.value("--device").value_or("auto"));
  const std::string device = machine.getString("device")->str();
  TuneOptions options = tune_options(arguments, *rung.ladder, machine);
  if (device == "host")
    throw UsageError(
        "{} runs on a GPU; measure it there, or have the model rank it with --device=sim",
        rung.name());
  std::optional<Winners> winners;
  if (const auto path = arguments.value("--table")) winners.emplace(*path, rung, options, machine);
  if (winners) options.incumbent = winners->incumbent();
  Tuning tuning(rung, device, options, session.ladders);
  {
    ProgressLine line(session.out, rung.name());
    const TuneProgress progress = [&](const std::string& done, const TuneCandidate* best) {
      line.show(done, tuning, best);
    };
    tuning.rank(desk, progress);
    if (device != "sim") tuning.measure(desk, progress);
  }
  print_outcome(tuning, rung.name(), winners ? winners->add(tuning) : "", arguments, session.out);
  return exit_success;
}

}  // namespace hone
