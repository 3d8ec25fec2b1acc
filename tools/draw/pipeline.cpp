// Rings of tiles over time: slots that are filled ahead of their use, and the waits between.
#include <functional>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/draw/pipeline_panels.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

std::string text_of(const DrawnPipeline& drawn, size_t agent) {
  const Agent& one = drawn.agents[agent];
  return fmt::format("{} are {}, {}", drawn.role(agent), amount(one.threads, "thread"),
                     one.warps.size() == 1 ? fmt::format("warp {}", one.warps[0])
                                           : fmt::format("warps {}", list_text(one.warps)));
}

std::string caption_of(const DrawnPipeline& drawn) {
  const RingTimeline& timeline = drawn.timeline;
  std::vector<std::string> agents;
  for (size_t agent = 0; agent < drawn.agents.size(); ++agent)
    agents.push_back(text_of(drawn, agent));
  std::string text = fmt::format(
      "A step is what is done from one wait to the next. Of block {}, the {}. A number is the turn "
      "of the loop that a slot is for: +3 it is being filled, ~3 its copies are on their way, =3 "
      "it is full, r3 it is read.",
      triple(drawn.kernel->block), fmt::join(agents, "; the "));
  const auto products = llvm::find_if(timeline.waits, std::mem_fn(&WaitStep::is_for_products));
  if (products != timeline.waits.end())
    text += fmt::format(
        " Tensor cores read a slot, *3, until a {}: that names the groups of products that it lets "
        "go on.",
        products->wait.instr->opcode.word());
  if (llvm::any_of(timeline.waits, [](const WaitStep& wait) {
        return wait.is_for_group() && !wait.is_for_products();
      }))
    text += " A wait_group names the groups of copies that it leaves on their way.";
  if (llvm::any_of(timeline.waits, std::mem_fn(&WaitStep::is_for_phase)))
    text += fmt::format(
        " A wait for an mbarrier names its slot and the parity. All go on as soon as they may; "
        "copies take {}, which is the longest time that keeps nobody waiting later on.",
        amount(timeline.latency, "step"));
  return text;
}

std::map<std::string, double> facts_of(const DrawnPipeline& drawn) {
  const RingTimeline& timeline = drawn.timeline;
  return {{"slots", static_cast<double>(drawn.slots())},
          {"agents", static_cast<double>(drawn.agents.size())},
          {"copies_in_flight", static_cast<double>(timeline.copies_in_flight())},
          {"steps_to_arrive", static_cast<double>(timeline.steps_to_arrive())},
          {"mistakes", static_cast<double>(timeline.mistakes())}};
}

/// Of all slots of a ring; nothing where nobody makes asynchronous copies.
std::string share_on_their_way(const RingTimeline& timeline) {
  const int64_t slots = timeline.copies_in_flight();
  if (slots == 0) return "";
  return fmt::format(", up to {} on {} way", slots, slots == 1 ? "its" : "their");
}

/// Of the colours that there are.
std::vector<FigureKey> legend_of(const std::vector<FigurePanel>& panels) {
  std::vector<FigureKey> legend = {
      {starts, "being filled"}, {on_its_way, "copies on their way"},     {is_full, "full"},
      {is_read, "read"},        {is_multiplied, "read by tensor cores"}, {waits, "waiting"}};
  llvm::erase_if(legend, [&](const FigureKey& key) {
    return llvm::none_of(panels, [&](const FigurePanel& panel) {
      return llvm::any_of(panel.cells,
                          [&](const FigureCell& cell) { return cell.group == key.group; });
    });
  });
  return legend;
}

Figure pipeline_figure(const RecordedRun& run, const DrawnPipeline& drawn) {
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
  figure.legend = legend_of(figure.panels);
  figure.facts = facts_of(drawn);
  return figure;
}

}  // namespace

std::vector<DrawnPipeline> drawn_pipelines(const Recording& recording) {
  std::vector<DrawnPipeline> all;
  for (const RecordedKernel& kernel : recording.run().kernels) {
    const RingUse& rings = kernel.report.rings;
    if (rings.slots.empty() || rings.warps.empty()) continue;
    DrawnPipeline& drawn = all.emplace_back();
    drawn = {&kernel, rings.slots, agents_of(kernel.report), {}};
    drawn.timeline = timeline_of(drawn.agents, drawn.rings);
  }
  return all;
}

std::vector<Figure> pipeline_figures(const Recording& recording) {
  std::vector<Figure> figures;
  for (const DrawnPipeline& drawn : drawn_pipelines(recording))
    if (!drawn.timeline.fills.empty()) figures.push_back(pipeline_figure(recording.run(), drawn));
  return figures;
}

}  // namespace hone
