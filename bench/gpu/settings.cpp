#include "bench/gpu/settings.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

constexpr Option options[] = {
    {"--rung", "NAME", "a ladder or a rung: matmul, matmul/bind; default: all", true},
    {"--sizes", "N,...", "squares of this size, or MxNxK; of combine: elements"},
    {"--quick", "", "fewer sizes and less time"},
    {"--seconds", "S", "of GPU time for a comparison; default 2, quick 0.3"},
    {"--device", "cuda:N", "which GPU; default cuda:0"},
    {"--json", "FILE", "write all figures"},
    {"--handwritten", "", "the hand-written kernels alone; without a GPU, their machine code"},
    {"--cub", "FILE", "compare sums with CUB's: the library of bench/library/cub_sum.cu"},
    {"--cublas", "FILE", "compare products of matrices with cuBLAS's: libcublas.so.13"},
    {"--tiles", "FILE",
     "make the table that matmul/tuned chooses by; with --sizes, try all tiles beside it"},
    {"--compile-only", "", "compile, and compare the machine code"},
    {"--emit", "FOLDER",
     "write the machine code and how it is launched, as torch_rows.py reads it"},
    {"--arch", "sm_XY", "what --compile-only compiles for; default sm_90"},
    {"--help", "", "show this text"},
};

int64_t parse_length(llvm::StringRef word) {
  int64_t length = 0;
  if (word.getAsInteger(10, length) || length < 1)
    throw UsageError("--sizes: '{}' is not a positive integer", word.str());
  return length;
}

/// "1024,8192x2048x4096"
std::vector<std::vector<int64_t>> parse_lengths(const std::string& text) {
  llvm::SmallVector<llvm::StringRef, 8> problems;
  llvm::StringRef(text).split(problems, ',');
  std::vector<std::vector<int64_t>> lengths;
  for (const llvm::StringRef problem : problems) {
    llvm::SmallVector<llvm::StringRef, 3> words;
    problem.split(words, 'x');
    if (words.size() != 1 && words.size() != 3)
      throw UsageError("--sizes: '{}' is neither N nor MxNxK", problem.str());
    lengths.emplace_back();
    for (const llvm::StringRef word : words) lengths.back().push_back(parse_length(word));
  }
  return lengths;
}

double parse_seconds(const std::string& text) {
  double seconds = 0;
  if (llvm::StringRef(text).getAsDouble(seconds) || !(seconds > 0))
    throw UsageError("--seconds: '{}' is not a positive number", text);
  return seconds;
}

/// The names that --rung takes: rungs on a GPU or hand-written kernels, and their ladders.
std::vector<std::string> known_rungs(const Settings& settings) {
  std::vector<std::string> known;
  for (const Contest& contest : all_contests()) {
    if (!settings.handwritten && !contest.ladder) continue;
    if (!settings.is_comparable(contest)) continue;
    known.push_back(contest.name);
    if (settings.handwritten) {
      for (const HandwrittenKernel& kernel : contest.handwritten(contest.problems.front()))
        known.push_back(contest.name + "/" + kernel.rung);
      continue;
    }
    for (const Rung& rung : contest.ladder->rungs)
      if (rung.target == RungTarget::gpu) known.push_back(contest.name + "/" + rung.name);
  }
  return known;
}

void check_rungs(const Settings& settings) {
  const std::vector<std::string> known = known_rungs(settings);
  for (const std::string& rung : settings.rungs)
    if (!llvm::is_contained(known, rung)) throw unknown("rung", rung, known);
}

Target target_of(const Arguments& arguments) {
  const bool without_gpu = arguments.has("--handwritten") && !why_no_cuda().empty();
  if (arguments.has("--compile-only") || (without_gpu && !arguments.has("--device")))
    return {Device::simulated(), arguments.value("--arch").value_or("sm_90")};
  if (arguments.has("--arch")) throw UsageError("--arch is for --compile-only");
  const Device device = parse_device(arguments.value("--device").value_or("cuda:0"));
  if (!device.is_cuda()) throw UsageError("times are those of a GPU, not of {}", device);
  if (!nvrtc_info()) throw RuntimeError("{}", nvrtc_missing());
  return {device, nvrtc_target(*nvrtc_info(), device.properties().arch)};
}

}  // namespace

const llvm::ArrayRef<Option> gpu_bench_options = options;

bool Settings::is_comparable(const Contest& contest) const {
  return (!cub || contest.is_sum) && (!cublas || contest.name == "matmul");
}

bool Settings::selects(const Contest& contest, const std::string& rung) const {
  if (rungs.empty()) return true;
  return llvm::is_contained(rungs, contest.name) ||
         llvm::is_contained(rungs, contest.name + "/" + rung);
}

std::vector<Sizes> Settings::problems_of(const Contest& contest) const {
  if (lengths.empty()) return quick ? contest.quick_problems : contest.problems;
  std::vector<Sizes> problems;
  for (const std::vector<int64_t>& length : lengths)
    problems.push_back(length.size() == 1
                           ? contest.sizes(length.front())
                           : Sizes{{"M", length[0]}, {"N", length[1]}, {"K", length[2]}});
  return problems;
}

Settings read_settings(const Arguments& arguments) {
  if (!arguments.positional().empty())
    throw UsageError("'{}' is not an option", arguments.positional().front());
  Settings settings;
  settings.handwritten = arguments.has("--handwritten");
  settings.quick = arguments.has("--quick");
  if (settings.quick) settings.duel.seconds = 0.3;
  if (const auto text = arguments.value("--seconds")) settings.duel.seconds = parse_seconds(*text);
  if (const auto text = arguments.value("--sizes")) settings.lengths = parse_lengths(*text);
  settings.rungs = arguments.values("--rung");
  settings.cub = arguments.value("--cub");
  settings.cublas = arguments.value("--cublas");
  if (settings.cub && settings.cublas)
    throw UsageError("--cub and --cublas are for different rungs");
  settings.emit = arguments.value("--emit");
  settings.tiles = arguments.value("--tiles");
  // A sample of products holds many launches, as programs have them one after the other.
  if (settings.cublas || settings.tiles) settings.duel.short_milliseconds = 0.5;
  check_rungs(settings);
  settings.target = target_of(arguments);
  if (!settings.compile_only()) return settings;
  if (settings.has_library())
    throw UsageError("{} needs a GPU", settings.cub ? "--cub" : "--cublas");
  if (settings.tiles && settings.lengths.empty())
    throw UsageError(
        "--tiles makes the table on a GPU; without one it takes --sizes, to compile all tiles");
  return settings;
}

}  // namespace hone
