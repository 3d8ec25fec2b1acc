#include "bench/gpu/settings.h"

#include "bench/gpu/shapes.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

constexpr Option options[] = {
    {"--rung", "NAME", "a ladder or a rung: matmul, matmul/bind; default: all", true},
    {"--sizes", "N,...", "squares of this size, or MxNxK; of combine: elements"},
    {"--shapes", "SEED:COUNT", "random M, N and K from 256 to 8192; ends with ratios over all"},
    {"--edges", "", "small problems with edges, for results rather than times"},
    {"--quick", "", "fewer sizes and less time"},
    {"--seconds", "S", "of time for a comparison, with pauses; default 2, quick 0.3"},
    {"--burst", "MS",
     "time bursts of MS milliseconds with pauses; default 2 for 16-bit floats, else 0: no pauses"},
    {"--device", "cuda:N", "which GPU; default cuda:0"},
    {"--json", "FILE", "write all figures"},
    {"--handwritten", "", "the hand-written kernels alone; without a GPU, their machine code"},
    {"--cub", "FILE", "compare sums with CUB's: the library of bench/library/cub_sum.cu"},
    {"--cublas", "FILE", "compare products of matrices with cuBLAS's: libcublas.so.13"},
    {"--cublaslt", "FILE",
     "the same with the fastest algorithm that cuBLASLt proposes: libcublasLt.so.13"},
    {"--against", "RUNG", "compare rungs with that rung of their ladder: shared-32"},
    {"--tiles", "FILE",
     "make the table that matmul/tuned chooses by, or add what it lacks; with "
     "--sizes, try all tiles beside it"},
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

/// "1:100": a seed and a count.
std::vector<std::vector<int64_t>> parse_shapes(const std::string& text) {
  const auto [seed_word, count_word] = llvm::StringRef(text).split(':');
  uint64_t seed = 0;
  int count = 0;
  if (seed_word.getAsInteger(10, seed) || count_word.getAsInteger(10, count) || count < 1)
    throw UsageError("--shapes: '{}' is not SEED:COUNT, as 1:100 is", text);
  return random_shapes(seed, count);
}

/// A positive number, or 0 where that has a meaning.
double parse_number(std::string_view option, const std::string& text, bool may_be_zero) {
  double number = 0;
  if (llvm::StringRef(text).getAsDouble(number) || !(number > 0 || (may_be_zero && number == 0)))
    throw UsageError("{}: '{}' is not a {} number", option, text,
                     may_be_zero ? "non-negative" : "positive");
  return number;
}

/// Reads the option that names sizes of problems, of which there is one at most.
void read_sizes(const Arguments& arguments, Settings& settings) {
  if (arguments.has("--sizes") + arguments.has("--shapes") + arguments.has("--edges") > 1)
    throw UsageError("--sizes, --shapes and --edges name different problems; give one of them");
  settings.edges = arguments.has("--edges");
  settings.random_shapes = arguments.has("--shapes");
  if (const auto text = arguments.value("--sizes")) settings.lengths = parse_lengths(*text);
  if (const auto text = arguments.value("--shapes")) settings.lengths = parse_shapes(*text);
}

std::optional<Library> read_library(const Arguments& arguments) {
  std::optional<Library> library;
  for (const auto kind : {Library::Kind::cub, Library::Kind::cublas, Library::Kind::cublaslt}) {
    const Library one = {kind, ""};
    const auto path = arguments.value(one.option());
    if (path && library)
      throw UsageError("{} and {} are different libraries; give one of them", library->option(),
                       one.option());
    if (path) library = {kind, *path};
  }
  return library;
}

/// True if M, N and K are all the sizes of a problem.
bool is_of_products(const Contest& contest) {
  const Sizes sizes = contest.sizes(1);
  return sizes.size() == 3 && sizes.count("M") && sizes.count("N") && sizes.count("K");
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
  if (random_shapes && !is_of_products(contest)) return false;
  return !library || library->is_comparable(contest);
}

bool Settings::selects(const Contest& contest, const std::string& rung) const {
  if (rungs.empty()) return true;
  return llvm::is_contained(rungs, contest.name) ||
         llvm::is_contained(rungs, contest.name + "/" + rung);
}

std::vector<Sizes> Settings::problems_of(const Contest& contest) const {
  if (edges) return contest.edge_problems;
  if (lengths.empty()) return quick ? contest.quick_problems : contest.problems;
  std::vector<Sizes> problems;
  for (const std::vector<int64_t>& length : lengths)
    problems.push_back(length.size() == 1
                           ? contest.sizes(length.front())
                           : Sizes{{"M", length[0]}, {"N", length[1]}, {"K", length[2]}});
  return problems;
}

DuelOptions Settings::duel_of(const Contest& contest) const {
  DuelOptions options = duel;
  options.burst_milliseconds = burst.value_or(contest.burst_milliseconds);
  return options;
}

Settings read_settings(const Arguments& arguments) {
  if (!arguments.positional().empty())
    throw UsageError("'{}' is not an option", arguments.positional().front());
  Settings settings;
  settings.handwritten = arguments.has("--handwritten");
  settings.quick = arguments.has("--quick");
  if (settings.quick) settings.duel.seconds = 0.3;
  if (const auto text = arguments.value("--seconds"))
    settings.duel.seconds = parse_number("--seconds", *text, /*may_be_zero=*/false);
  if (const auto text = arguments.value("--burst"))
    settings.burst = parse_number("--burst", *text, /*may_be_zero=*/true);
  read_sizes(arguments, settings);
  settings.rungs = arguments.values("--rung");
  settings.library = read_library(arguments);
  settings.against = arguments.value("--against");
  if (settings.against && settings.library)
    throw UsageError("--against and {} are different sides; give one of them",
                     settings.library->option());
  settings.emit = arguments.value("--emit");
  settings.tiles = arguments.value("--tiles");
  // A sample of products holds many launches, as programs have them one after the other.
  const bool is_of_sums = settings.library && settings.library->kind == Library::Kind::cub;
  if ((settings.library && !is_of_sums) || settings.tiles) settings.duel.short_milliseconds = 0.5;
  check_rungs(settings);
  settings.target = target_of(arguments);
  if (!settings.compile_only()) return settings;
  if (settings.library) throw UsageError("{} needs a GPU", settings.library->option());
  if (settings.tiles && settings.lengths.empty())
    throw UsageError(
        "--tiles makes the table on a GPU; without one it takes --sizes, to compile all tiles");
  return settings;
}

}  // namespace hone
