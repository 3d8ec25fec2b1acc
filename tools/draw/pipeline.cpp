// Rings of tiles over time: slots that are filled ahead of their use, and the waits between.
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/timeline.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

constexpr int64_t most_steps = 24, arrow_room = 12;
constexpr int starts = 1, on_its_way = 5, is_there = 2, is_read = 0, waits = 7;  ///< colours

/// The rings of a kernel, and the time that is drawn.
struct Drawn {
  const RecordedKernel* kernel = nullptr;
  std::map<std::string, int64_t> rings;
  std::vector<Agent> agents;
  Timeline timeline;

  /// Enough for two turns of a ring.
  int64_t steps() const { return std::min({timeline.steps, 2 * slots() + 4, most_steps}); }
  bool is_shown(int64_t step) const { return step < steps(); }
  int64_t slots() const {
    int64_t most = 0;
    for (const auto& [tensor, count] : rings) most = std::max(most, count);
    return most;
  }
};

FigurePanel panel_of(const Drawn& drawn, std::string title) {
  FigurePanel panel(std::move(title), 0, drawn.steps());
  for (int64_t step = 0; step < panel.columns; ++step)
    panel.column_labels.push_back(std::to_string(step));
  return panel;
}

/// Returns the number of the new row.
int64_t add_row(FigurePanel& panel, std::string label) {
  FigureCell empty;
  panel.cells.resize(panel.cells.size() + panel.columns, empty);
  panel.row_labels.push_back(std::move(label));
  return panel.rows++;
}

// ---- Agents -------------------------------------------------------------------------------------

/// "producers", "consumers", or "threads", who are both.
std::string role_of(const Drawn& drawn, size_t agent) {
  const Agent& one = drawn.agents[agent];
  const std::string role = !one.fills() ? "consumers" : one.reads() ? "threads" : "producers";
  for (size_t other = 0; other < drawn.agents.size(); ++other)
    if (other != agent && drawn.agents[other].fills() == one.fills() &&
        drawn.agents[other].reads() == one.reads())
      return fmt::format("{} {}", role, agent);
  return role;
}

/// A row of the turns whose slots an agent does something with, by step.
void add_turns(FigurePanel& panel, const std::string& label, int group, const char* tip,
               const std::map<int64_t, std::set<int>>& turns) {
  if (turns.empty()) return;
  const int64_t row = add_row(panel, label);
  for (const auto& [step, of_step] : turns) {
    if (step >= panel.columns) continue;
    const std::vector<int> numbers(of_step.begin(), of_step.end());
    panel.at(row, step) = {brief(numbers), group,
                           fmt::format(fmt::runtime(tip), list_text(numbers)), numbers.front()};
  }
}

std::string text_of(const RingWait& wait) {
  if (wait.kind == RingWait::Kind::group) return "wait_group";
  if (wait.kind == RingWait::Kind::mbarrier) return "wait " + wait.mbarrier.tensor;
  return wait.barrier == 0 ? "barrier" : fmt::format("barrier {}", wait.barrier);
}

FigureCell cell_of(const WaitStep& step) {
  const RingWait& wait = step.wait;
  if (!step.is_over) return {"...", waits, fmt::format("step {}: it waits", step.step)};
  if (wait.kind == RingWait::Kind::group)
    return {std::to_string(wait.amount), -1,
            fmt::format("all groups of copies but the last {} are there", wait.amount),
            wait.amount};
  if (wait.kind == RingWait::Kind::barrier) return {"x", -1, "all have come"};
  return {fmt::format("{}/{}", wait.mbarrier.slot, wait.amount), -1,
          fmt::format("the phase of parity {} of {}[{}] has ended", wait.amount,
                      wait.mbarrier.tensor, wait.mbarrier.slot),
          wait.mbarrier.slot};
}

void add_waits(FigurePanel& panel, const Drawn& drawn, size_t agent) {
  std::vector<std::string> labels;
  const auto first_row = panel.rows;
  for (const WaitStep& wait : drawn.timeline.waits) {
    if (wait.agent != agent || !drawn.is_shown(wait.step)) continue;
    const std::string label = fmt::format("{}: {}", role_of(drawn, agent), text_of(wait.wait));
    if (!llvm::is_contained(labels, label)) {
      labels.push_back(label);
      add_row(panel, label);
    }
    const int64_t row = first_row + (llvm::find(labels, label) - labels.begin());
    panel.at(row, wait.step) = cell_of(wait);
  }
}

FigurePanel agents_panel(const Drawn& drawn) {
  FigurePanel panel = panel_of(drawn, "who does what, step by step");
  for (size_t agent = 0; agent < drawn.agents.size(); ++agent) {
    std::map<int64_t, std::set<int>> started, read;
    for (const RingFill& fill : drawn.timeline.fills)
      if (fill.agent == agent) started[fill.start].insert(static_cast<int>(fill.turn));
    for (const RingRead& one : drawn.timeline.reads)
      if (const RingFill* fill = drawn.timeline.filled_before(one.slot, one.step + 1);
          fill && one.agent == agent)
        read[one.step].insert(static_cast<int>(fill->turn));
    const std::string role = role_of(drawn, agent);
    add_waits(panel, drawn, agent);
    add_turns(panel, role + ": fill", starts, "fills the slots of turns {}", started);
    add_turns(panel, role + ": read", is_read, "reads the slots of turns {}", read);
  }
  return panel;
}

// ---- Slots --------------------------------------------------------------------------------------

/// The state of a slot from the start of a fill on. "+3" starts, "~3" is on its way, "=3" is there.
FigureCell cell_of(const RingFill& fill, int64_t step) {
  if (step == fill.start)
    return {fmt::format("+{}", fill.turn), starts,
            fmt::format("step {}: filled for turn {}", step, fill.turn), fill.turn};
  if (step < fill.there)
    return {fmt::format("~{}", fill.turn), on_its_way,
            fmt::format("step {}: the copies for turn {} are on their way", step, fill.turn),
            fill.turn};
  return {fmt::format("={}", fill.turn), is_there,
          fmt::format("step {}: full, for turn {}", step, fill.turn), fill.turn};
}

/// The last step in which what a fill brings is read; -1: none.
int64_t last_read(const Timeline& timeline, const RingFill& fill) {
  int64_t last = -1;
  for (const RingRead& read : timeline.reads)
    if (read.slot == fill.slot && timeline.filled_before(read.slot, read.step + 1) == &fill)
      last = std::max(last, read.step);
  return last;
}

void draw_fill(FigurePanel& panel, const Timeline& timeline, int64_t row, const RingFill& fill) {
  const int64_t last = last_read(timeline, fill);
  for (int64_t step = fill.start; step < panel.columns; ++step)
    if (step == fill.start || step < fill.there || step <= last)
      panel.at(row, step) = cell_of(fill, step);
}

void draw_read(FigurePanel& panel, const Timeline& timeline, int64_t row, const RingRead& read) {
  const RingFill* fill = timeline.filled_before(read.slot, read.step + 1);
  const int64_t turn = fill ? fill->turn : -1;
  const bool is_early = !fill || fill->there > read.step;
  panel.at(row, read.step) = {fmt::format("{}{}", is_early ? "!" : "r", turn), is_read,
                              fmt::format("step {}: {}turn {} reads", read.step,
                                          is_early ? "before the copies are there, " : "", turn),
                              turn};
}

FigurePanel ring_panel(const Drawn& drawn, const std::string& ring, int64_t slots) {
  FigurePanel panel = panel_of(drawn, "the slots of " + ring);
  panel.row_gap = arrow_room;
  panel.has_columns_above = true;
  for (int64_t slot = 0; slot < slots; ++slot) add_row(panel, fmt::format("slot {}", slot));
  for (const RingFill& fill : drawn.timeline.fills)
    if (fill.slot.tensor == ring && drawn.is_shown(fill.start))
      draw_fill(panel, drawn.timeline, fill.slot.slot, fill);
  for (const RingRead& read : drawn.timeline.reads)
    if (read.slot.tensor == ring && drawn.is_shown(read.step))
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
void add_arrows(Figure& figure, const Drawn& drawn, size_t panel, const std::string& ring) {
  for (const RingRead& read : drawn.timeline.reads) {
    const RingFill* fill = drawn.timeline.filled_before(read.slot, read.step + 1);
    if (read.slot.tensor != ring || !drawn.is_shown(read.step) || !fill) continue;
    const FigurePlace at = {panel, read.slot.slot, read.step};
    figure.arrows.push_back({{panel, read.slot.slot, fill->start}, at, "full"});
    for (const RingFill& next : drawn.timeline.fills)
      if (next.slot == read.slot && next.turn > fill->turn && drawn.is_shown(next.start)) {
        figure.arrows.push_back({at, {panel, read.slot.slot, next.start}, "empty"});
        break;
      }
  }
}

/// Rings whose slots go the same way share a panel.
void add_rings(Figure& figure, const Drawn& drawn) {
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

// ---- The figure ---------------------------------------------------------------------------------

std::string text_of(const Drawn& drawn, size_t agent) {
  const Agent& one = drawn.agents[agent];
  return fmt::format("{} are {}, {}", role_of(drawn, agent), amount(one.threads, "thread"),
                     one.warps.size() == 1 ? fmt::format("warp {}", one.warps[0])
                                           : fmt::format("warps {}", list_text(one.warps)));
}

bool has_waits(const Timeline& timeline, RingWait::Kind kind) {
  return llvm::any_of(timeline.waits, [&](const WaitStep& wait) { return wait.wait.kind == kind; });
}

std::string caption_of(const Drawn& drawn) {
  const Timeline& timeline = drawn.timeline;
  std::vector<std::string> agents;
  for (size_t agent = 0; agent < drawn.agents.size(); ++agent)
    agents.push_back(text_of(drawn, agent));
  std::string text = fmt::format(
      "A step is what is done from one wait to the next. Of block {}, the {}. A number is the turn "
      "of the loop that a slot is for: +3 it is being filled, ~3 its copies are on their way, =3 "
      "it "
      "is full, r3 it is read.",
      triple(drawn.kernel->block), fmt::join(agents, "; the "));
  if (has_waits(timeline, RingWait::Kind::group))
    text += " A wait_group names the groups of copies that it leaves on their way.";
  if (has_waits(timeline, RingWait::Kind::mbarrier))
    text += fmt::format(
        " A wait for an mbarrier names its slot and the parity. All go on as soon as they may; "
        "copies take {}, which is the longest time that keeps nobody waiting later on.",
        amount(timeline.latency, "step"));
  return text;
}

std::map<std::string, double> facts_of(const Drawn& drawn) {
  const Timeline& timeline = drawn.timeline;
  return {{"slots", static_cast<double>(drawn.slots())},
          {"agents", static_cast<double>(drawn.agents.size())},
          {"copies_in_flight", static_cast<double>(timeline.copies_in_flight())},
          {"steps_to_arrive", static_cast<double>(timeline.steps_to_arrive())},
          {"mistakes", static_cast<double>(timeline.mistakes())}};
}

/// Of all slots of a ring; nothing where nobody makes asynchronous copies.
std::string share_on_their_way(const Timeline& timeline) {
  const int64_t slots = timeline.copies_in_flight();
  if (slots == 0) return "";
  return fmt::format(", up to {} on {} way", slots, slots == 1 ? "its" : "their");
}

Figure pipeline_figure(const RecordedRun& run, const Drawn& drawn) {
  std::vector<std::string> names;
  for (const auto& [ring, slots] : drawn.rings) names.push_back(ring);
  Figure figure;
  figure.kind = name(FigureKind::pipeline);
  figure.kernel = drawn.kernel->kernel->name;
  figure.subject = names.front();
  figure.title =
      fmt::format("{}the ring{} {}: {}{}", run.kernels.size() > 1 ? figure.kernel + ": " : "",
                  names.size() == 1 ? "" : "s", fmt::join(names, ", "),
                  amount(drawn.slots(), "slot"), share_on_their_way(drawn.timeline));
  figure.caption = caption_of(drawn);
  figure.panels = {agents_panel(drawn)};
  add_rings(figure, drawn);
  figure.legend = {{starts, "being filled"},
                   {on_its_way, "copies on their way"},
                   {is_there, "full"},
                   {is_read, "read"},
                   {waits, "waiting"}};
  figure.facts = facts_of(drawn);
  return figure;
}

}  // namespace

std::vector<Figure> pipeline_figures(const Recording& recording) {
  const RecordedRun& run = recording.run();
  std::vector<Figure> figures;
  for (const RecordedKernel& kernel : run.kernels) {
    Drawn drawn;
    drawn.kernel = &kernel;
    drawn.rings = rings_of(*kernel.kernel);
    if (drawn.rings.empty() || kernel.report.threads() == 0) continue;
    drawn.agents = agents_of(*kernel.kernel, run.sizes, kernel.block, kernel.report.block);
    if (drawn.agents.empty()) continue;
    drawn.timeline = timeline_of(drawn.agents, drawn.rings);
    if (!drawn.timeline.fills.empty()) figures.push_back(pipeline_figure(run, drawn));
  }
  return figures;
}

}  // namespace hone
