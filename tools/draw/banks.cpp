// Requests to shared memory: lanes, banks, passes.
#include <algorithm>

#include "fmt/format.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t banks = 32, word_bytes = 4;
constexpr int64_t most_rows = 32, most_columns = 64, most_cells = most_rows * 33;
constexpr int first_pass = 2, later_pass = 3;  ///< colours

/// A word that a bank gives to some lanes of a phase.
struct Word {
  int64_t number = 0;
  std::vector<int> lanes;
};

/// Lanes that are served together, and the words of each bank for them, in the order of the lanes.
struct Phase {
  std::vector<int> lanes;
  std::array<std::vector<Word>, banks> given;

  size_t passes() const {
    size_t passes = 0;
    for (const auto& words : given) passes = std::max(passes, words.size());
    return passes;
  }
};

void add_lane(std::vector<Word>& words, int64_t number, int lane) {
  for (Word& word : words)
    if (word.number == number) return word.lanes.push_back(lane);
  words.push_back({number, {lane}});
}

std::vector<Phase> phases(const WarpAccess& request) {
  std::vector<Phase> all;
  for (const uint32_t lanes : phases_of(request).lanes) {
    Phase& phase = all.emplace_back();
    phase.lanes = lanes_of(lanes);
    for (const int lane : phase.lanes) {
      const int64_t first = request.addresses[lane] / word_bytes;
      const int64_t last = (request.addresses[lane] + request.width - 1) / word_bytes;
      for (int64_t word = first; word <= last; ++word)
        add_lane(phase.given[word % banks], word, lane);
    }
  }
  return all;
}

/// One row per pass: who gets a word of which bank.
FigurePanel passes_panel(const std::vector<Phase>& all) {
  size_t passes = 0;
  for (const Phase& phase : all) passes += phase.passes();
  FigurePanel panel("pass by pass, which lane gets a word of which bank",
                    static_cast<int64_t>(passes), banks);
  for (int64_t bank = 0; bank < banks; ++bank) panel.column_labels.push_back(std::to_string(bank));
  int64_t row = 0;
  for (const Phase& phase : all)
    for (size_t pass = 0; pass < phase.passes(); ++pass, ++row) {
      panel.row_labels.push_back(std::to_string(row + 1));
      for (int64_t bank = 0; bank < banks; ++bank) {
        FigureCell& cell = panel.at(row, bank);
        cell.is_there = true;
        if (phase.given[bank].size() <= pass) continue;
        const Word& word = phase.given[bank][pass];
        cell.text = brief(word.lanes);
        cell.value = word.number * word_bytes;
        cell.group = pass == 0 ? first_pass : later_pass;
        cell.tip =
            fmt::format("bank {} gives the word at byte {} to {} {}", bank, grouped(cell.value),
                        word.lanes.size() == 1 ? "lane" : "lanes", list_text(word.lanes));
      }
    }
  return panel;
}

/// The colour of each element that a lane asks for, by its address.
std::map<int64_t, int> asked_for(const AlikeAccesses& accesses, const std::vector<Phase>& all) {
  std::map<int64_t, int> groups;
  const int64_t bytes = std::max<int64_t>(accesses.first().element_bytes, 1);
  for (const Phase& phase : all)
    for (const auto& words : phase.given)
      for (size_t pass = 0; pass < words.size(); ++pass)
        for (int64_t byte = 0; byte < word_bytes; ++byte) {
          const int64_t address = words[pass].number * word_bytes + byte;
          int& group = groups.emplace(address / bytes, first_pass).first->second;
          if (pass > 0) group = later_pass;
        }
  return groups;
}

/// The tile as it lies in memory, with the bank of each element: the part that the lanes ask for.
FigurePanel tile_panel(const AlikeAccesses& accesses, const std::vector<Phase>& all) {
  const TensorIndex& tensor = accesses.tensor();
  const RecordedAccess& access = accesses.first();
  const int64_t start = std::max<int64_t>(access.report.tensor->address, 0);
  const std::map<int64_t, int> groups = asked_for(accesses, all);
  const int64_t base = start / access.element_bytes;
  const int64_t columns = std::min(tensor.columns(), most_columns);
  const int64_t fitting = std::min(most_rows, most_cells / columns);
  const int64_t first_row =
      std::min(tensor.row_of(std::max<int64_t>(groups.begin()->first - base, 0)),
               std::max<int64_t>(tensor.rows() - fitting, 0));
  const int64_t rows = std::min(tensor.rows() - first_row, fitting);
  FigurePanel panel(
      fmt::format("{} row by row as it lies in memory: the bank of each element", tensor.name()),
      rows, columns);
  for (int64_t row = 0; row < rows; ++row)
    panel.row_labels.push_back(tensor.row_text(first_row + row));
  for (int64_t element = 0; element < tensor.elements(); ++element) {
    const int64_t row = tensor.row_of(element) - first_row, column = tensor.column_of(element);
    if (row < 0 || row >= rows || column >= columns) continue;
    FigureCell& cell = panel.at(row, column);
    const int64_t address = start + element * access.element_bytes;
    const auto group = groups.find(base + element);
    cell.is_there = true;
    cell.value = address;
    cell.text = std::to_string(address / word_bytes % banks);
    cell.group = group == groups.end() ? -1 : group->second;
    cell.tip = fmt::format("{}, byte {}", tensor.text(element), grouped(address));
  }
  if (rows < tensor.rows())
    panel.note = fmt::format("rows {} to {} of {}", first_row, first_row + rows - 1, tensor.rows());
  if (columns < tensor.columns())
    panel.note += fmt::format("{}the first {} of {} columns", panel.note.empty() ? "" : ", ",
                              columns, tensor.columns());
  return panel;
}

/// The lanes, with the colour of the pass that serves them last.
FigurePanel asking_lanes(const AlikeAccesses& accesses, const RequestPattern& pattern,
                         const std::vector<Phase>& all) {
  FigurePanel panel = lanes_panel(accesses, pattern);
  for (const Phase& phase : all)
    for (const auto& words : phase.given)
      for (size_t pass = 0; pass < words.size(); ++pass)
        for (const int lane : words[pass].lanes) {
          int& group = panel.at(0, lane).group;
          group = std::max(group, pass == 0 ? first_pass : later_pass);
        }
  return panel;
}

std::string verdict(const Wavefronts& wavefronts) {
  if (wavefronts.actual == wavefronts.ideal) return "No bank is asked for two words at once.";
  return fmt::format(
      "{} would do if no bank were asked for several words at once.",
      wavefronts.ideal == 1 ? std::string("One pass") : fmt::format("{} passes", wavefronts.ideal));
}

Figure banks_figure(const RecordedRun& run, const AlikeAccesses& accesses,
                    const RequestPattern& pattern) {
  const std::vector<Phase> all = phases(pattern.request);
  const Wavefronts wavefronts = {static_cast<int>(pattern.each.wavefronts),
                                 static_cast<int>(pattern.each.ideal_wavefronts)};
  const MemoryCounts& counts = accesses.first().report.counts;
  const auto alike = static_cast<int64_t>(accesses.numbers.size());
  size_t degree = 0;
  for (const Phase& phase : all) degree = std::max(degree, phase.passes());

  Figure figure = begin_request_figure(run, accesses, pattern, name(FigureKind::banks));
  figure.title += fmt::format(": {} a request", amount(wavefronts.actual, "wavefront"));
  figure.caption = fmt::format(
      "The access is {}. Shared memory has 32 banks, each of which gives one word of 4 bytes a "
      "pass. One request "
      "of a warp takes {}. {} {}",
      accesses.source(), amount(wavefronts.actual, "wavefront"), verdict(wavefronts),
      share_text(accesses, pattern));
  figure.panels = {asking_lanes(accesses, pattern, all), passes_panel(all),
                   tile_panel(accesses, all)};
  figure.legend = {{first_pass, "served at once"}, {-1, "not asked for, or idle"}};
  if (degree > 1) figure.legend.insert(figure.legend.begin() + 1, {later_pass, "has to wait"});
  figure.facts["wavefronts"] = static_cast<double>(figure.panels[1].rows);
  figure.facts["ideal_wavefronts"] = wavefronts.ideal;
  figure.facts["conflict_degree"] = static_cast<double>(degree);
  figure.facts["total_wavefronts"] = static_cast<double>(counts.wavefronts * alike);
  figure.facts["total_ideal_wavefronts"] = static_cast<double>(counts.ideal_wavefronts * alike);
  return figure;
}

bool is_load_or_store_of_shared(AccessClass access_class) {
  return access_class == AccessClass::shared_load || access_class == AccessClass::shared_store;
}

}  // namespace

std::vector<Figure> banks_figures(const Recording& recording) {
  const RecordedRun& run = recording.run();
  return figures_of_requests(run, is_load_or_store_of_shared,
                             [&](const auto& accesses, const auto& pattern) {
                               return banks_figure(run, accesses, pattern);
                             });
}

}  // namespace hone
