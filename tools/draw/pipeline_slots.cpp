// The slots of rings over time.
#include "fmt/format.h"
#include "tools/draw/pipeline_panels.h"

namespace hone {
namespace {

constexpr int64_t arrow_room = 12;

/// The state of a slot from the start of a fill on. "+3" starts, "~3" is on its way, "=3" is there.
FigureCell cell_of(const RingFill& fill, int64_t step) {
  if (step == fill.start)
    return {fmt::format("+{}", fill.turn), starts,
            fmt::format("step {}: filled for turn {}", step, fill.turn), fill.turn};
  if (step < fill.there)
    return {fmt::format("~{}", fill.turn), on_its_way,
            fmt::format("step {}: the copies for turn {} are on their way", step, fill.turn),
            fill.turn};
  return {fmt::format("={}", fill.turn), is_full,
          fmt::format("step {}: full, for turn {}", step, fill.turn), fill.turn};
}

/// The last step in which what a fill brings is read; -1: none.
int64_t last_read(const RingTimeline& timeline, const RingFill& fill) {
  int64_t last = -1;
  for (const RingRead& read : timeline.reads)
    if (read.slot == fill.slot && timeline.filled_before(read.slot, read.step + 1) == &fill)
      last = std::max(last, read.step);
  return last;
}

void draw_fill(FigurePanel& panel, const RingTimeline& timeline, int64_t row,
               const RingFill& fill) {
  const int64_t last = last_read(timeline, fill);
  for (int64_t step = fill.start; step < panel.columns; ++step)
    if (step == fill.start || step < fill.there || step <= last)
      panel.at(row, step) = cell_of(fill, step);
}

void draw_read(FigurePanel& panel, const RingTimeline& timeline, int64_t row,
               const RingRead& read) {
  const RingFill* fill = timeline.filled_before(read.slot, read.step + 1);
  const int64_t turn = fill ? fill->turn : -1;
  const bool is_early = !fill || fill->there > read.step;
  const char *sign = read.is_product ? "*" : "r",
             *reader = read.is_product ? "the tensor cores of " : "";
  for (int64_t step = read.step; step < std::min(read.end, panel.columns); ++step)
    panel.at(row, step) = {fmt::format("{}{}", is_early ? "!" : sign, turn),
                           read.is_product ? is_multiplied : is_read,
                           fmt::format("step {}: {}{}turn {} read{}", step,
                                       is_early ? "before the copies are there, " : "", reader,
                                       turn, read.is_product ? "" : "s"),
                           turn};
}

FigurePanel ring_panel(const DrawnPipeline& drawn, const std::string& ring, int64_t slots) {
  FigurePanel panel = steps_panel(drawn, "the slots of " + ring);
  panel.row_gap = arrow_room;
  panel.has_columns_above = true;
  for (int64_t slot = 0; slot < slots; ++slot) add_row(panel, fmt::format("slot {}", slot));
  for (const RingFill& fill : drawn.timeline.fills)
    if (fill.slot.tensor->name == ring && drawn.is_shown(fill.start))
      draw_fill(panel, drawn.timeline, fill.slot.slot, fill);
  for (const RingRead& read : drawn.timeline.reads)
    if (read.slot.tensor->name == ring && drawn.is_shown(read.step))
      draw_read(panel, drawn.timeline, read.slot.slot, read);
  if (drawn.timeline.steps > drawn.steps())
    panel.note = fmt::format("the first {} steps", drawn.steps());
  return panel;
}

bool is_alike(const FigurePanel& lhs, const FigurePanel& rhs) {
  return std::equal(
      lhs.cells.begin(), lhs.cells.end(), rhs.cells.begin(), rhs.cells.end(),
      [](const FigureCell& one, const FigureCell& other) { return one.text == other.text; });
}

/// Arrows from the start of a fill to the read of what it brings, and on to the next fill.
void add_arrows(Figure& figure, const DrawnPipeline& drawn, size_t panel, const std::string& ring) {
  for (const RingRead& read : drawn.timeline.reads) {
    const RingFill* fill = drawn.timeline.filled_before(read.slot, read.step + 1);
    if (read.slot.tensor->name != ring || !drawn.is_shown(read.step) || !fill) continue;
    const FigurePlace at = {panel, read.slot.slot, read.step};
    figure.arrows.push_back({{panel, read.slot.slot, fill->start}, at, "full"});
    for (const RingFill& next : drawn.timeline.fills)
      if (next.slot == read.slot && next.turn > fill->turn && drawn.is_shown(next.start)) {
        figure.arrows.push_back({at, {panel, read.slot.slot, next.start}, "empty"});
        break;
      }
  }
}

}  // namespace

void add_rings(Figure& figure, const DrawnPipeline& drawn) {
  for (const auto& [ring, slots] : drawn.rings) {
    FigurePanel panel = ring_panel(drawn, ring, slots);
    const auto first = figure.panels.begin() + 1;
    const auto alike = std::find_if(first, figure.panels.end(), [&](const FigurePanel& other) {
      return is_alike(other, panel);
    });
    if (alike != figure.panels.end()) {
      alike->title += ", and of " + ring;
      continue;
    }
    figure.panels.push_back(std::move(panel));
    add_arrows(figure, drawn, figure.panels.size() - 1, ring);
  }
}

}  // namespace hone
