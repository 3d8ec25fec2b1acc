// Drawings of every rung: what each one shows is what count mode says of the same accesses.
#include "tools/cli/command/drawings.h"

#include <bit>
#include <set>

#include "codegen/lower.h"
#include "ir/core/instr.h"
#include "runtime/environment.h"
#include "runtime/process.h"
#include "runtime/sim/count/count.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace drawings_test {

/// Multiples of the tiles, and sizes that stick out of them.
std::vector<Sizes> drawn_sizes(const Ladder& ladder) {
  static const Sizes even = {{"C", 8},     {"H", 32},       {"K", 64},    {"M", 64},
                             {"N", 128},   {"O", 8},        {"W", 64},    {"n", 4096},
                             {"batch", 2}, {"threads", 64}, {"tiles", 2}, {"groups", 3}};
  static const Sizes odd = {{"C", 3},     {"H", 11},       {"K", 35},    {"M", 21},
                            {"N", 137},   {"O", 5},        {"W", 35},    {"n", 3001},
                            {"batch", 2}, {"threads", 64}, {"tiles", 2}, {"groups", 3}};
  std::vector<Sizes> all;
  for (const Sizes& values : {even, odd}) {
    Sizes& sizes = all.emplace_back();
    for (const auto& [name, size] : ladder.sizes) sizes[name] = values.at(name);
  }
  return all;
}

// ---- What a picture says, computed again --------------------------------------------------------

/// The lanes of a request as the first panel of its figure shows them.
struct DrawnRequest {
  explicit DrawnRequest(const Figure& figure)
      : width(static_cast<int64_t>(figure.facts.at("bytes") / figure.facts.at("lanes"))) {
    for (int lane = 0; lane < 32; ++lane)
      if (figure.panels[0].at(0, lane).value >= 0)
        addresses[lane] = figure.panels[0].at(0, lane).value;
  }

  int64_t width;
  std::map<int, int64_t> addresses;
};

int64_t sectors_of(const DrawnRequest& request) {
  std::set<int64_t> sectors;
  for (const auto& [lane, address] : request.addresses)
    for (int64_t byte = 0; byte < request.width; ++byte) sectors.insert((address + byte) / 32);
  return static_cast<int64_t>(sectors.size());
}

/// True if each lane from `first` to `end` has the address of lane ^ bit, if there is that lane.
bool pairs_up(const DrawnRequest& request, int first, int end, int bit) {
  for (const auto& [lane, address] : request.addresses) {
    const auto other = request.addresses.find(lane ^ bit);
    if (lane >= first && lane < end && other != request.addresses.end() && other->second != address)
      return false;
  }
  return true;
}

/// Passes for the lanes from `first` to `end`, served together.
int64_t passes_of(const DrawnRequest& request, int first, int end) {
  std::map<int64_t, std::set<int64_t>> words;  // by bank
  for (const auto& [lane, address] : request.addresses)
    for (int64_t byte = 0; lane >= first && lane < end && byte < request.width; ++byte)
      words[(address + byte) / 4 % 32].insert((address + byte) / 4);
  size_t most = 0;
  for (const auto& [bank, of_bank] : words) most = std::max(most, of_bank.size());
  return static_cast<int64_t>(most);
}

int64_t wavefronts_of(const DrawnRequest& request) {
  if (request.width <= 4) return passes_of(request, 0, 32);
  const int phase = static_cast<int>(128 / request.width);
  int64_t passes = 0;
  for (int first = 0; first < 32; first += 2 * phase) {
    const int middle = first + phase, end = first + 2 * phase;
    const bool is_one = pairs_up(request, first, end, 1) || pairs_up(request, first, end, 2);
    passes += is_one ? passes_of(request, first, end)
                     : passes_of(request, first, middle) + passes_of(request, middle, end);
  }
  return passes;
}

/// The sectors that the second panel shows; nothing where it leaves rows out.
std::optional<int64_t> shown_sectors(const FigurePanel& panel) {
  if (!panel.note.empty()) return std::nullopt;
  std::set<int64_t> sectors;
  for (const FigureCell& cell : panel.cells)
    if (cell.is_there) sectors.insert(cell.value / 32);
  return static_cast<int64_t>(sectors.size());
}

/// Expects that each row of a panel of passes has its words in their banks, each word once.
void expect_passes(const FigurePanel& panel) {
  std::set<int64_t> words;
  for (int64_t row = 0; row < panel.rows; ++row)
    for (int64_t bank = 0; bank < panel.columns; ++bank)
      if (const FigureCell& cell = panel.at(row, bank); cell.value >= 0) {
        EXPECT_EQ(cell.value / 4 % 32, bank);
        words.insert(cell.value);
      }
  EXPECT_FALSE(words.empty());
}

// ---- Against the counters -----------------------------------------------------------------------

using AccessCounts = std::map<std::pair<std::string, int>, MemoryCounts>;  ///< by kernel, number

/// No lane makes such an access.
bool is_by_copy_engine(const AccessReport& access) {
  const auto* instr = llvm::dyn_cast<Instr>(access.statement);
  return instr && llvm::any_of(instr->operands(), [&](const Operand& operand) {
           return operand.tensor->id == access.tensor->id &&
                  (operand.timeline == Timeline::engine_in ||
                   operand.timeline == Timeline::engine_out);
         });
}

class Drawn : public testing::TestWithParam<RungCase> {
 protected:
  static RungRef rung() { return {&GetParam().ladder, &GetParam().rung}; }

  static Recording recording(const Sizes& sizes, bool all_patterns) {
    return record_rung(rung(), {sizes, 17, 0, all_patterns});
  }

  static AccessCounts counted(const Sizes& without_pitches) {
    const Problem problem =
        make_problem(program_for(rung(), without_pitches), without_pitches, {}, 17);
    const Module module = lower(GetParam().rung.build({}, problem.sizes));
    AccessCounts all;
    run_kernels(module, problem,
                [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
                  const KernelFunction& kernel = module.kernels[number];
                  int access = 0;
                  for (const AccessReport& report : count(kernel, sizes, arguments).accesses)
                    if (!is_by_copy_engine(report)) all[{kernel.name, access++}] = report.counts;
                });
    return all;
  }

  /// The counts of the accesses that a figure shows.
  static MemoryCounts sum(const AccessCounts& counts, const Figure& figure) {
    MemoryCounts sum;
    for (const int access : figure.accesses) sum += counts.at({figure.kernel, access});
    return sum;
  }
};

INSTANTIATE_TEST_SUITE_P(Ladders, Drawn, testing::ValuesIn(gpu_rungs()), test_name);

/// Amounts of a figure's accesses, added up over the shapes of their requests.
struct Total {
  const Figure* figure = nullptr;
  double requests = 0, amount = 0;
};
using Totals = std::map<std::pair<std::string, int>, Total>;  ///< by kernel and first access

void add(Totals& totals, const Figure& figure, int64_t amount) {
  Total& total = totals[{figure.kernel, figure.accesses.front()}];
  total.figure = &figure;
  total.requests += figure.facts.at("requests_alike");
  total.amount += figure.facts.at("requests_alike") * static_cast<double>(amount);
}

TEST_P(Drawn, SectorsAreThoseOfTheCounters) {
  for (const Sizes& sizes : drawn_sizes(GetParam().ladder)) {
    const AccessCounts counts = counted(sizes);
    const std::vector<Figure> figures = lanes_figures(recording(sizes, true));
    Totals totals;
    for (const Figure& figure : figures) {
      const int64_t sectors = sectors_of(DrawnRequest(figure));
      EXPECT_EQ(sectors, figure.facts.at("sectors"));
      EXPECT_EQ(sectors, shown_sectors(figure.panels[1]).value_or(sectors));
      add(totals, figure, sectors);
    }
    size_t shown = 0;
    for (const auto& [key, total] : totals) {
      const MemoryCounts counted = sum(counts, *total.figure);
      EXPECT_EQ(total.amount, counted.sectors) << total.figure->title;
      EXPECT_EQ(total.requests, counted.requests) << total.figure->title;
      EXPECT_EQ(total.figure->facts.at("total_sectors"), counted.sectors);
      shown += total.figure->accesses.size();
    }
    for (const auto& [key, access] : counts) shown -= access.sectors > 0;
    EXPECT_EQ(shown, 0u) << "accesses without a figure";
  }
}

TEST_P(Drawn, WavefrontsAreThoseOfTheCounters) {
  for (const Sizes& sizes : drawn_sizes(GetParam().ladder)) {
    const AccessCounts counts = counted(sizes);
    const std::vector<Figure> figures = banks_figures(recording(sizes, true));
    Totals totals;
    for (const Figure& figure : figures) {
      const int64_t wavefronts = wavefronts_of(DrawnRequest(figure));
      EXPECT_EQ(wavefronts, figure.facts.at("wavefronts"));
      EXPECT_EQ(wavefronts, figure.panels[1].rows);
      expect_passes(figure.panels[1]);
      add(totals, figure, wavefronts);
    }
    size_t shown = 0;
    for (const auto& [key, total] : totals) {
      const MemoryCounts counted = sum(counts, *total.figure);
      EXPECT_EQ(total.amount, counted.wavefronts) << total.figure->title;
      EXPECT_EQ(total.requests, counted.requests) << total.figure->title;
      EXPECT_EQ(total.figure->facts.at("total_ideal_wavefronts"), counted.ideal_wavefronts);
      shown += total.figure->accesses.size();
    }
    for (const auto& [key, access] : counts) shown -= access.wavefronts > 0;
    EXPECT_EQ(shown, 0u) << "accesses without a figure";
  }
}

// ---- Files --------------------------------------------------------------------------------------

/// The complaint of an XML parser about some files; empty where they are well-formed.
std::string xml_problem(const std::vector<std::string>& files) {
  const TemporaryFolder folder;
  std::vector<std::string> command = {environment("HONE_PYTHON").value_or("/usr/bin/python3"), "-c",
                                      "import sys, xml.dom.minidom\n"
                                      "for name in sys.argv[1:]: xml.dom.minidom.parse(name)\n"};
  command.insert(command.end(), files.begin(), files.end());
  return run_program(command, folder.file("log")).output;
}

/// An empty tooltip, a line that is too long, a picture that is too large: none is to be had.
TEST_P(Drawn, FiguresAreWellFormedAndSmall) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (const Sizes& sizes : drawn_sizes(GetParam().ladder)) {
    Drawings drawings(rung(), {sizes, 17, 0, false});
    for (const FigureKind kind : figure_kinds)
      for (const Figure& figure : drawings.of(kind)) {
        const std::string svg = to_svg(figure);
        EXPECT_LT(svg.size(), 100'000u) << figure.title;
        files.push_back(folder.file(fmt::format("{}.svg", files.size())));
        replace_file(files.back(), {svg});
        llvm::SmallVector<llvm::StringRef, 0> lines;
        const std::string text = to_text(figure);
        llvm::StringRef(text).split(lines, '\n');
        for (const llvm::StringRef line : lines) EXPECT_LE(line.size(), 100u) << line.str();
      }
  }
  EXPECT_FALSE(files.empty());
  EXPECT_EQ(xml_problem(files), "");
}

}  // namespace drawings_test
}  // namespace hone
