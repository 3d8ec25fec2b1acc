#include "bench/gpu/tile_times.h"

#include <filesystem>

#include "bench/gpu/workload.h"
#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/files.h"

namespace hone {
namespace {

/// Products whose times give a line.
constexpr int64_t short_length = 512, long_length = 2560;

const Contest& matmul_contest() {
  static const std::vector<Contest> contests = all_contests();
  return *llvm::find_if(contests, [](const Contest& contest) { return contest.name == "matmul"; });
}

Contender contender_of(const TileChoice& choice, const Sizes& sizes, const Settings& settings) {
  return hone_contender(matmul_rung_of(choice), sizes, settings.target);
}

/// Microseconds of a launch whose result is right.
double time_of(const Contender& contender, const Sizes& sizes, const Settings& settings) {
  Workload workload(matmul_contest(), sizes, settings.target.device, /*rotated=*/false);
  const double error = workload.error_of(contender);
  if (!(error <= matmul_contest().tolerance(sizes)))
    throw RuntimeError("the result is wrong: its error is {}", error);
  const Launches launches = workload.launches(contender);
  return time_alone(settings.target.device, launches, settings.duel).median * 1000;
}

/// Sizes at which each of so many multiprocessors has as many blocks. Rows that are not to be
/// copied in bulk are an element shorter.
Sizes sizes_of_round(const BlockTiles& tiles, const Operands& bulk, int64_t multiprocessors,
                     int64_t blocks, int64_t K) {
  int64_t rows = 1;  // of blocks: the grid is as square as it can be
  for (int64_t divisor = 1; divisor * divisor <= multiprocessors; ++divisor)
    if (multiprocessors % divisor == 0) rows = divisor;
  const int64_t columns = multiprocessors / rows;
  return {{"M", rows * blocks * tiles.shape.block_rows},
          {"N", columns * tiles.shape.block_columns - (bulk.B ? 0 : 1)},
          {"K", K - (bulk.A ? 0 : 1)}};
}

/// Blocks of a launch that a multiprocessor holds at a time.
int64_t most_blocks(const Stage& stage) {
  int64_t threads = 1;
  for (const int64_t extent : stage.dims.block) threads *= extent;
  return stage.function->max_blocks_per_multiprocessor(threads, stage.dims.shared_bytes);
}

class Rounds {
 public:
  Rounds(const Settings& settings, TileTable& table) : settings_(settings), table_(table) {}

  /// Of each kind of copies, where the table has none.
  void measure_all(const BlockTiles& tiles) {
    for (const bool A : {true, false})
      for (const bool B : {true, false}) {
        const auto is_known = [&](const TileRound& round) {
          return round.tiles == tiles.name && round.bulk == Operands{A, B};
        };
        if (llvm::any_of(table_.rounds, is_known)) continue;
        const auto how = [](bool in_bulk) { return in_bulk ? "in bulk" : "by elements"; };
        fmt::print(stderr, "{}: A {}, B {}\n", tiles.name, how(A), how(B));
        measure(tiles, {A, B});
      }
  }

 private:
  void measure(const BlockTiles& tiles, const Operands& bulk) {
    const int64_t most = most_blocks(contender(tiles, bulk, 1, long_length).stages.front());
    double start = 0;  // no less than of fewer blocks
    for (int64_t blocks = 1; blocks <= most; ++blocks) {
      const double few = time(tiles, bulk, blocks, short_length);
      const double many = time(tiles, bulk, blocks, long_length);
      const double product = (many - few) / (long_length - short_length);
      start = std::max(start, few - product * short_length);
      table_.rounds.push_back(
          {tiles.name, bulk, blocks, start, (many - start) / long_length * 1000});
    }
  }

  Sizes sizes(const BlockTiles& tiles, const Operands& bulk, int64_t blocks, int64_t K) const {
    return sizes_of_round(tiles, bulk, table_.multiprocessors, blocks, K);
  }
  Contender contender(const BlockTiles& tiles, const Operands& bulk, int64_t blocks,
                      int64_t K) const {
    return contender_of({&tiles}, sizes(tiles, bulk, blocks, K), settings_);
  }
  double time(const BlockTiles& tiles, const Operands& bulk, int64_t blocks, int64_t K) const {
    return time_of(contender(tiles, bulk, blocks, K), sizes(tiles, bulk, blocks, K), settings_);
  }

  const Settings& settings_;
  TileTable& table_;
};

/// A kernel before or behind the product, alone: at few sizes and at many, which the caches do not
/// hold, where it moves so many floats.
TilePass measure_pass(const Settings& settings, const TileChoice& choice, size_t kernel,
                      const std::array<Sizes, 2>& few_and_many,
                      llvm::function_ref<int64_t(const Sizes&)> floats) {
  double bytes[2], microseconds[2];
  for (const int n : {0, 1}) {
    const Sizes& sizes = few_and_many[n];
    Contender contender = contender_of(choice, sizes, settings);
    contender.stages = {contender.stages[kernel]};
    Workload workload(matmul_contest(), sizes, settings.target.device, /*rotated=*/false);
    const Launches launches = workload.launches(contender);
    microseconds[n] = time_alone(settings.target.device, launches, settings.duel).median * 1000;
    bytes[n] = static_cast<double>(floats(sizes) * 4);
  }
  TilePass pass;
  pass.gb_per_s = (bytes[1] - bytes[0]) / (microseconds[1] - microseconds[0]) / 1000;
  pass.start_us = microseconds[0] - bytes[0] / pass.gb_per_s / 1000;
  return pass;
}

void measure_passes(const Settings& settings, TileTable& table) {
  const BlockTiles& tiles = block_tiles().back();
  const auto sizes = [](int64_t M, int64_t K) -> Sizes {
    return {{"M", M}, {"N", 1536}, {"K", K}};
  };
  table.sum = measure_pass(settings, {&tiles, 2}, 1, {sizes(64, 1024), sizes(22528, 1024)},
                           [](const Sizes& of) { return 3 * of.at("M") * of.at("N"); });
  table.copy =
      measure_pass(settings, {&tiles, 1, {.A = true}}, 0, {sizes(256, 1023), sizes(16384, 1023)},
                   [](const Sizes& of) { return 2 * of.at("M") * of.at("K"); });
}

/// For each of the tiles the plain choice, and the one that is the fastest by the table.
std::vector<TileChoice> choices_at(const Sizes& sizes, const TileTable& table) {
  std::vector<TileChoice> chosen;
  for (const BlockTiles& tiles : block_tiles()) {
    const std::vector<TileChoice> choices = tile_choices(tiles, sizes);
    chosen.push_back(choices.front());
    const TileChoice fastest = fastest_of(table, choices, sizes);
    if (fastest.name() != choices.front().name()) chosen.push_back(fastest);
  }
  return chosen;
}

}  // namespace

std::optional<TileTable> read_tile_table(const std::string& path) {
  constexpr size_t most_bytes = 1 << 20;
  if (const auto text = read_small_file(path, most_bytes)) return parse_tile_table(*text);
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::not_found) return std::nullopt;
  throw RuntimeError("cannot read {}: {}", path, why_unreadable(path, most_bytes));
}

std::string why_outdated(const TileTable& table, const Machine& machine) {
  const auto change = [](const char* what, const std::string& before, const std::string& now) {
    return before == now ? "" : fmt::format("the {} was {}, and is {}", what, before, now);
  };
  for (const std::string& why :
       {change("GPU", table.device, machine.name), change("driver", table.driver, machine.driver),
        change("version of NVRTC", table.nvrtc, machine.nvrtc)})
    if (!why.empty()) return why;
  return "";
}

TileTable measure_tiles(const Settings& settings, const std::optional<TileTable>& known) {
  const Machine machine = machine_of(settings.target.device);
  const std::string why = known ? why_outdated(*known, machine) : "";
  if (!why.empty()) fmt::print(stderr, "all tilings are measured anew: {}\n", why);
  const bool is_known = known && why.empty();
  TileTable table = is_known ? *known : TileTable{};
  table.device = machine.name, table.driver = machine.driver;
  table.nvrtc = machine.nvrtc, table.date = machine.date;
  table.multiprocessors = settings.target.device.properties().multiprocessors;
  Rounds rounds(settings, table);
  for (const BlockTiles& tiles : block_tiles()) rounds.measure_all(tiles);
  if (!is_known) measure_passes(settings, table);
  return table;
}

namespace {

/// A row of the table: the product in one way.
std::string try_way(const TileChoice& choice, const Sizes& sizes, const Settings& settings,
                    const TileTable& table) {
  const Contender contender = contender_of(choice, sizes, settings);
  std::optional<double> microseconds, gflops;
  if (!settings.compile_only()) microseconds = time_of(contender, sizes, settings);
  if (microseconds) gflops = matmul_contest().work(sizes) / *microseconds / 1000;
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.1f}", *value) : "-";
  };
  return fmt::format("{:16} {:28} {:9} {:7} {:>10} {:>10} {:>8}\n", describe(sizes), choice.name(),
                     contender.most_registers(), contender.spilled_bytes(), number(microseconds),
                     number(expected_microseconds(table, choice, sizes)), number(gflops));
}

}  // namespace

void try_tiles(const Settings& settings, const TileTable& table) {
  fmt::print("{:16} {:28} {:>9} {:>7} {:>10} {:>10} {:>8}\n", "size", "tiles", "registers",
             "spilled", "us", "expected", "GFLOPS");
  for (const Sizes& sizes : settings.problems_of(matmul_contest()))
    for (const TileChoice& choice : choices_at(sizes, table)) {
      fmt::print("{}", try_way(choice, sizes, settings, table));
      std::fflush(stdout);
    }
}

}  // namespace hone
