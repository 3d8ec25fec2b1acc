// Agents step by step: fills, reads and waits.
#include <set>

#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/draw/pipeline_panels.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

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

std::string text_of(const RingEvent& wait) {
  if (wait.place.tensor) return "wait " + wait.place.tensor->name;
  const auto barrier = barrier_scope(Stmt(wait.instr));
  const bool is_named = barrier && barrier->id != 0;
  return wait.instr->opcode.word() + (is_named ? fmt::format(" {}", barrier->id) : "");
}

FigureCell cell_of(const WaitStep& step) {
  const auto& [tensor, slot] = step.wait.place;
  const int64_t value = step.wait.value;
  if (!step.is_over) return {"...", waits, fmt::format("step {}: it waits", step.step)};
  if (step.is_for_phase())
    return {fmt::format("{}/{}", slot, value), -1,
            fmt::format("the phase of parity {} of {}[{}] has ended", value, tensor->name, slot),
            slot};
  if (is_barrier(Stmt(step.wait.instr))) return {"x", -1, "all have come"};
  return {std::to_string(value), -1,
          fmt::format("all groups of {} but the last {} are there",
                      step.is_for_products() ? "products" : "copies", value),
          value};
}

void add_waits(FigurePanel& panel, const DrawnPipeline& drawn, size_t agent) {
  std::vector<std::string> labels;
  const auto first_row = panel.rows;
  for (const WaitStep& wait : drawn.timeline.waits) {
    if (wait.agent != agent || !drawn.is_shown(wait.step)) continue;
    const std::string label = fmt::format("{}: {}", drawn.role(agent), text_of(wait.wait));
    if (!llvm::is_contained(labels, label)) {
      labels.push_back(label);
      add_row(panel, label);
    }
    const int64_t row = first_row + (llvm::find(labels, label) - labels.begin());
    panel.at(row, wait.step) = cell_of(wait);
  }
}

/// A row of the number of turns whose copies are on their way.
void add_copies(FigurePanel& panel, const DrawnPipeline& drawn, size_t agent) {
  std::map<int64_t, std::set<int>> turns;
  for (const RingFill& fill : drawn.timeline.fills)
    for (int64_t step = fill.start; step < std::min(fill.there, panel.columns); ++step)
      if (fill.is_copy && fill.agent == agent) turns[step].insert(static_cast<int>(fill.turn));
  if (turns.empty()) return;
  const int64_t row = add_row(panel, "copies on their way");
  for (const auto& [step, of_step] : turns)
    panel.at(row, step) = {std::to_string(of_step.size()), on_its_way,
                           fmt::format("the copies for turns {}",
                                       list_text(std::vector<int>(of_step.begin(), of_step.end()))),
                           static_cast<int64_t>(of_step.size())};
}

}  // namespace

int64_t DrawnPipeline::slots() const {
  int64_t most = 0;
  for (const auto& [tensor, count] : rings) most = std::max(most, count);
  return most;
}

std::string DrawnPipeline::role(size_t agent) const {
  const bool fills = agents[agent].fills(), reads = agents[agent].reads();
  const std::string role = fills   ? (reads ? "threads" : "producers")
                           : reads ? "consumers"
                                   : "other warps";
  for (size_t other = 0; other < agents.size(); ++other)
    if (other != agent && agents[other].fills() == fills && agents[other].reads() == reads)
      return fmt::format("{} {}", role, agent);
  return role;
}

FigurePanel steps_panel(const DrawnPipeline& drawn, std::string title) {
  FigurePanel panel(std::move(title), 0, drawn.steps());
  for (int64_t step = 0; step < panel.columns; ++step)
    panel.column_labels.push_back(std::to_string(step));
  return panel;
}

int64_t add_row(FigurePanel& panel, std::string label) {
  panel.cells.resize(panel.cells.size() + panel.columns);
  panel.row_labels.push_back(std::move(label));
  return panel.rows++;
}

FigurePanel agents_panel(const DrawnPipeline& drawn) {
  FigurePanel panel = steps_panel(drawn, "who does what, step by step");
  for (size_t agent = 0; agent < drawn.agents.size(); ++agent) {
    std::map<int64_t, std::set<int>> started, read, multiplied;
    for (const RingFill& fill : drawn.timeline.fills)
      if (fill.agent == agent) started[fill.start].insert(static_cast<int>(fill.turn));
    for (const RingRead& one : drawn.timeline.reads)
      if (const RingFill* fill = drawn.timeline.filled_before(one.slot, one.step + 1);
          fill && one.agent == agent)
        for (int64_t step = one.step; step < one.end; ++step)
          (one.is_product ? multiplied : read)[step].insert(static_cast<int>(fill->turn));
    const std::string role = drawn.role(agent);
    add_waits(panel, drawn, agent);
    add_turns(panel, role + ": fill", starts, "fills the slots of turns {}", started);
    add_copies(panel, drawn, agent);
    add_turns(panel, role + ": read", is_read, "reads the slots of turns {}", read);
    add_turns(panel, role + ": tensor cores", is_multiplied, "read the slots of turns {}",
              multiplied);
  }
  return panel;
}

}  // namespace hone
