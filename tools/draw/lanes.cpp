// Requests to global memory: lanes, addresses, sectors.
#include <set>

#include "fmt/ranges.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t line_bytes = 128;
constexpr int64_t most_lane_lines = 32;

/// The bytes of a cell: an element, but no less than a word and no more than an instruction moves.
int64_t cell_bytes(const RecordedAccess& access) {
  return std::clamp<int64_t>(access.element_bytes, 4, widest_access);
}

/// The memory that a request touches.
class Touched {
 public:
  Touched(const WarpAccess& request, int64_t cell) : cell_(cell) {
    for (const int lane : lanes_of(request.active)) {
      const int64_t first = request.addresses[lane], last = first + request.width - 1;
      for (int64_t place = first / cell; place <= last / cell; ++place) {
        std::vector<int>& lanes = lanes_[place];
        if (lanes.empty() || lanes.back() != lane) lanes.push_back(lane);
      }
      for (int64_t sector = first / sector_bytes; sector <= last / sector_bytes; ++sector)
        sectors_.insert(sector);
      for (int64_t byte = first; byte <= last; ++byte) bytes_.insert(byte);
    }
    for (const int64_t sector : sectors_) lines_.insert(sector * sector_bytes / line_bytes);
  }

  const std::set<int64_t>& sectors() const { return sectors_; }
  const std::set<int64_t>& lines() const { return lines_; }
  int64_t used_bytes() const { return static_cast<int64_t>(bytes_.size()); }
  bool has_sector(int64_t sector) const { return sectors_.count(sector) != 0; }
  /// The number of a sector among those that are touched.
  int ordinal(int64_t sector) const {
    return static_cast<int>(std::distance(sectors_.begin(), sectors_.find(sector)));
  }
  /// Of the lanes that touch a cell.
  std::vector<int> lanes_at(int64_t address) const {
    const auto found = lanes_.find(address / cell_);
    return found == lanes_.end() ? std::vector<int>() : found->second;
  }

 private:
  int64_t cell_;
  std::map<int64_t, std::vector<int>> lanes_;
  std::set<int64_t> sectors_, lines_, bytes_;
};

FigureCell memory_cell(const AlikeAccesses& accesses, const Touched& touched, int64_t address) {
  FigureCell cell;
  const int64_t sector = address / sector_bytes;
  if (!touched.has_sector(sector)) {
    cell.is_there = false;
    return cell;
  }
  const std::vector<int> lanes = touched.lanes_at(address);
  const std::string element = accesses.tensor().text(address / accesses.first().element_bytes);
  cell.value = address;
  cell.tip = fmt::format("{}, byte {}: ", element, grouped(address));
  if (lanes.empty()) {
    cell.tip += "moved with its sector, and asked for by no lane";
    return cell;
  }
  cell.group = touched.ordinal(sector);
  cell.text = brief(lanes);
  cell.tip +=
      fmt::format("asked for by {} {}", lanes.size() == 1 ? "lane" : "lanes", list_text(lanes));
  return cell;
}

FigurePanel memory_panel(const AlikeAccesses& accesses, const Touched& touched) {
  const RecordedAccess& access = accesses.first();
  const int64_t cell = cell_bytes(access), columns = line_bytes / cell;
  const auto all = static_cast<int64_t>(touched.lines().size());
  FigurePanel panel("", std::min(all, most_lane_lines), columns);
  panel.column_gap = sector_bytes / cell;
  panel.merges = true;
  if (all > most_lane_lines)
    panel.note = fmt::format("the first {} of {} rows", most_lane_lines, all);
  int64_t row = 0;
  for (const int64_t line : touched.lines()) {
    if (row == panel.rows) break;
    panel.row_labels.push_back(fmt::format(
        "{}",
        fmt::join(accesses.tensor().index_of(line * line_bytes / access.element_bytes), ",")));
    for (int64_t column = 0; column < columns; ++column)
      panel.at(row, column) = memory_cell(accesses, touched, line * line_bytes + column * cell);
    ++row;
  }
  return panel;
}

/// From lanes to their bytes, where few lines make that easy to follow.
void add_arrows(Figure& figure) {
  const FigurePanel &lanes = figure.panels[0], &memory = figure.panels[1];
  if (memory.rows > 2) return;
  for (int64_t lane = 0; lane < lanes.columns; ++lane)
    for (int64_t row = 0; row < memory.rows; ++row)
      for (int64_t column = 0; column < memory.columns; ++column)
        if (lanes.at(0, lane).value >= 0 && lanes.at(0, lane).value == memory.at(row, column).value)
          figure.arrows.push_back({{0, 0, lane}, {1, row, column}});
}

std::string caption_of(const AlikeAccesses& accesses, const RequestPattern& pattern,
                       const Touched& touched) {
  const auto sectors = static_cast<int64_t>(touched.sectors().size());
  const MemoryCounts& counts = accesses.first().report.counts;
  return fmt::format(
      "The access is {}. One request of a warp asks for {} in {}, which move {}: {:.3g}% of them "
      "are used. {} "
      "On average a request takes {:.3g} sectors.",
      accesses.source(), amount(touched.used_bytes(), "byte"), amount(sectors, "sector"),
      amount(sectors * sector_bytes, "byte"),
      100.0 * static_cast<double>(touched.used_bytes()) /
          static_cast<double>(sectors * sector_bytes),
      share_text(accesses, pattern), counts.sectors_per_request());
}

Figure lanes_figure(const RecordedRun& run, const AlikeAccesses& accesses,
                    const RequestPattern& pattern) {
  const Touched touched(pattern.request, cell_bytes(accesses.first()));
  Figure figure = begin_request_figure(run, accesses, pattern, name(FigureKind::lanes));
  const auto sectors = static_cast<int64_t>(touched.sectors().size());
  figure.title += fmt::format(": {} a request", amount(sectors, "sector"));
  figure.caption = caption_of(accesses, pattern, touched);
  figure.panels = {lanes_panel(accesses, pattern), memory_panel(accesses, touched)};
  figure.panels[0].title += fmt::format(
      ", and the sectors of {} that they ask for, 128 bytes a row", accesses.tensor().name());
  for (FigureCell& cell : figure.panels[0].cells)
    if (cell.value >= 0) cell.group = touched.ordinal(cell.value / sector_bytes);
  figure.panels[0].column_gap = figure.panels[1].column_gap;
  add_arrows(figure);
  figure.legend = {{0, "a colour: a sector of 32 bytes, and the lanes that ask for it"}};
  if (touched.used_bytes() < sectors * sector_bytes)
    figure.legend.push_back({-1, "moved with its sector, and used by no lane"});
  figure.facts["used_bytes"] = static_cast<double>(touched.used_bytes());
  figure.facts["sectors"] = static_cast<double>(sectors);
  figure.facts["total_sectors"] = static_cast<double>(
      accesses.first().report.counts.sectors * static_cast<int64_t>(accesses.numbers.size()));
  return figure;
}

bool is_global(AccessClass access_class) {
  return access_class == AccessClass::global_load || access_class == AccessClass::global_store ||
         access_class == AccessClass::global_atomic;
}

}  // namespace

std::vector<Figure> lanes_figures(const Recording& recording) {
  const RecordedRun& run = recording.run();
  return figures_of_requests(run, is_global, [&](const auto& accesses, const auto& pattern) {
    return lanes_figure(run, accesses, pattern);
  });
}

}  // namespace hone
