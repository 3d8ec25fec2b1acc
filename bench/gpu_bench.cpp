// Hone's kernels against hand-written ones of the same idea, on one GPU, side by side.
//
//   gpu_bench                                     all rungs at all sizes, a few minutes
//   gpu_bench --rung=matmul/bind --sizes=1024     one of them
//   gpu_bench --compile-only --arch=sm_90         registers and instructions, without a GPU
//
// The exit status says whether all results are right. Speed is reported, not judged.

#include <algorithm>

#include "bench/gpu/report.h"
#include "ir/error.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/files.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace {

constexpr Option options[] = {
    {"--rung", "NAME", "a ladder or a rung: matmul, matmul/bind; default: all", true},
    {"--sizes", "N,...", "of matmul: M = N = K; of combine: elements"},
    {"--quick", "", "fewer sizes and less time"},
    {"--seconds", "S", "of GPU time for a comparison; default 2, quick 0.3"},
    {"--device", "cuda:N", "which GPU; default cuda:0"},
    {"--json", "FILE", "write all figures"},
    {"--compile-only", "", "compile, and compare the machine code"},
    {"--arch", "sm_XY", "what --compile-only compiles for; default sm_90"},
    {"--help", "", "show this text"},
};

struct Settings {
  Target target = {Device::simulated(), "sm_90"};
  DuelOptions duel;
  bool compile_only = false;
  bool quick = false;
  std::vector<std::string> rungs;
  std::vector<int64_t> lengths;  ///< empty: those of each ladder
};

std::vector<int64_t> parse_lengths(const std::string& text) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  llvm::StringRef(text).split(words, ',');
  std::vector<int64_t> lengths;
  for (llvm::StringRef word : words) {
    int64_t length = 0;
    if (word.getAsInteger(10, length) || length < 1)
      throw UsageError("--sizes: '{}' is not a positive integer", word.str());
    lengths.push_back(length);
  }
  return lengths;
}

double parse_seconds(const std::string& text) {
  double seconds = 0;
  if (llvm::StringRef(text).getAsDouble(seconds) || !(seconds > 0))
    throw UsageError("--seconds: '{}' is not a positive number", text);
  return seconds;
}

/// Throws UsageError for a name that is neither a ladder nor a rung on a GPU.
std::vector<std::string> checked_rungs(std::vector<std::string> rungs) {
  std::vector<std::string> known;
  for (const Contest& contest : all_contests()) {
    known.push_back(contest.ladder.name);
    for (const Rung& rung : contest.ladder.rungs)
      if (rung.target == RungTarget::gpu) known.push_back(contest.ladder.name + "/" + rung.name);
  }
  for (const std::string& rung : rungs)
    if (std::find(known.begin(), known.end(), rung) == known.end())
      throw unknown("rung", rung, known);
  return rungs;
}

Target target_of(const Arguments& arguments) {
  if (arguments.has("--compile-only"))
    return {Device::simulated(), arguments.value("--arch").value_or("sm_90")};
  if (arguments.has("--arch")) throw UsageError("--arch is for --compile-only");
  const Device device = parse_device(arguments.value("--device").value_or("cuda:0"));
  if (!device.is_cuda()) throw UsageError("times are those of a GPU, not of {}", device);
  if (!nvrtc_info()) throw RuntimeError("{}", nvrtc_missing());
  return {device, nvrtc_target(*nvrtc_info(), device.properties().arch)};
}

Settings read_settings(const Arguments& arguments) {
  if (!arguments.positional().empty())
    throw UsageError("'{}' is not an option", arguments.positional().front());
  Settings settings;
  settings.compile_only = arguments.has("--compile-only");
  settings.quick = arguments.has("--quick");
  if (settings.quick) settings.duel.seconds = 0.3;
  if (const auto text = arguments.value("--seconds")) settings.duel.seconds = parse_seconds(*text);
  if (const auto text = arguments.value("--sizes")) settings.lengths = parse_lengths(*text);
  settings.rungs = checked_rungs(arguments.values("--rung"));
  settings.target = target_of(arguments);
  return settings;
}

bool is_selected(const Settings& settings, const Ladder& ladder, const Rung& rung) {
  if (rung.target != RungTarget::gpu) return false;
  if (settings.rungs.empty()) return true;
  return llvm::any_of(settings.rungs, [&](const std::string& name) {
    return name == ladder.name || name == ladder.name + "/" + rung.name;
  });
}

/// The hand-written kernel of a rung. Throws RuntimeError where nobody has written it.
HandwrittenKernel find_handwritten(const Contest& contest, const Rung& rung, const Sizes& sizes) {
  for (const HandwrittenKernel& kernel : contest.handwritten(sizes))
    if (kernel.rung == rung.name) return kernel;
  throw RuntimeError("it has no hand-written kernel");
}

/// One size of one ladder: its data are made once, when the first rung needs them.
class Match {
 public:
  Match(const Settings& settings, const Contest& contest, int64_t length)
      : settings_(settings), contest_(contest), length_(length), sizes_(contest.sizes(length)) {}

  Comparison compare(const Rung& rung) {
    Comparison comparison;
    comparison.rung = contest_.ladder.name + "/" + rung.name;
    comparison.length = length_;
    comparison.work =
        contest_.memory_bound ? contest_.ladder.bytes(sizes_) : contest_.ladder.flops(sizes_);
    comparison.work_per = contest_.memory_bound ? "GB/s" : "GFLOPS";
    fmt::print(stderr, "{} {}\n", comparison.rung, length_);
    try {
      fill(comparison, rung);
    } catch (const std::exception& error) {
      comparison.failure = error.what();
    }
    return comparison;
  }

 private:
  void fill(Comparison& comparison, const Rung& rung) {
    const Target& target = settings_.target;
    comparison.hone = hone_contender(rung, sizes_, target);
    comparison.hand = handwritten_contender(find_handwritten(contest_, rung, sizes_), target);
    if (settings_.compile_only) {
      comparison.hone_code = disassemble(comparison.hone.compiled->cubin);
      comparison.hand_code = disassemble(comparison.hand.compiled->cubin);
      return;
    }
    if (!workload_) workload_.emplace(contest_, sizes_, target.device);
    comparison.check = workload_->check(comparison.hone, comparison.hand);
    comparison.times = time_duel(target.device, workload_->launches(comparison.hone),
                                 workload_->launches(comparison.hand), settings_.duel);
  }

  const Settings& settings_;
  const Contest& contest_;
  int64_t length_;
  Sizes sizes_;
  std::optional<Workload> workload_;
};

std::vector<int64_t> lengths_of(const Settings& settings, const Contest& contest) {
  if (!settings.lengths.empty()) return settings.lengths;
  return settings.quick ? contest.quick_lengths : contest.lengths;
}

std::vector<Comparison> run_all(const Settings& settings) {
  std::vector<Comparison> comparisons;
  for (const Contest& contest : all_contests())
    for (int64_t length : lengths_of(settings, contest)) {
      Match match(settings, contest, length);
      for (const Rung& rung : contest.ladder.rungs)
        if (is_selected(settings, contest.ladder, rung)) comparisons.push_back(match.compare(rung));
    }
  return comparisons;
}

std::map<std::string, std::string> describe_machine(const Target& target) {
  std::map<std::string, std::string> facts = {{"arch", target.arch}};
  if (const NvrtcInfo* nvrtc = nvrtc_info())
    facts["nvrtc"] = fmt::format("{}.{}", nvrtc->major, nvrtc->minor);
  if (!target.device.is_cuda()) return facts;
  const DeviceProperties& properties = target.device.properties();
  facts["device"] = properties.name;
  facts["driver"] = fmt::format("CUDA {}.{}", properties.driver_version / 1000,
                                properties.driver_version % 1000 / 10);
  return facts;
}

bool all_right(const std::vector<Comparison>& comparisons) {
  return llvm::all_of(comparisons, [](const Comparison& comparison) {
    return comparison.failure.empty() && (!comparison.check || comparison.check->right());
  });
}

int run(const Arguments& arguments) {
  const Settings settings = read_settings(arguments);
  const auto comparisons = run_all(settings);
  const auto machine = describe_machine(settings.target);
  for (const auto& [name, value] : machine) fmt::print("{}: {}\n", name, value);
  fmt::print("\n{}", settings.compile_only ? code_table(comparisons) : timing_table(comparisons));
  if (const auto path = arguments.value("--json"))
    replace_file(*path, {to_json(machine, comparisons)});
  return all_right(comparisons) ? 0 : 1;
}

void print_help() {
  fmt::print("usage: gpu_bench [OPTION]...\n\n");
  for (const Option& option : options) fmt::print("  {:<16} {}\n", spelling(option), option.help);
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const hone::Arguments arguments(words, hone::options);
    if (!arguments.has("--help")) return hone::run(arguments);
    hone::print_help();
    return 0;
  } catch (const hone::UsageError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
