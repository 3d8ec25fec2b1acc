#include "examples/exercises/ring_goals.h"

#include "tools/draw/pipeline_panels.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

/// A goal about the rings of an answer's first kernel that has some.
Goal ring_goal(std::string text, const char* hint,
               std::function<std::string(const DrawnPipeline&)> shortfall) {
  return {std::move(text),
          [shortfall = std::move(shortfall)](const Attempt& attempt) -> std::string {
            const Recording run(attempt.measured.module, {}, attempt.sizes, {.most_blocks = 1});
            const std::vector<DrawnPipeline> rings = drawn_pipelines(run);
            return rings.empty() ? "no tile is a ring" : shortfall(rings.front());
          },
          hint};
}

}  // namespace

Goal ring_of(int64_t slots, const char* hint) {
  return ring_goal(
      fmt::format("a ring of {} slots", slots), hint,
      [=](const DrawnPipeline& rings) -> std::string {
        return rings.slots() == slots ? "" : "the ring has " + amount(rings.slots(), "slot");
      });
}

Goal copies_have(int64_t steps, const char* hint) {
  return ring_goal(fmt::format("copies have {} to arrive", amount(steps, "step")), hint,
                   [=](const DrawnPipeline& rings) -> std::string {
                     const int64_t actual = rings.timeline.steps_to_arrive();
                     return actual >= steps
                                ? ""
                                : fmt::format("copies have {} to arrive", amount(actual, "step"));
                   });
}

Goal products_go_on(int64_t steps, const char* hint) {
  return ring_goal(
      fmt::format("products go on for {}", amount(steps, "step")), hint,
      [=](const DrawnPipeline& rings) -> std::string {
        int64_t actual = 0;
        for (const RingRead& read : rings.timeline.reads)
          if (read.is_product) actual = std::max(actual, read.end - read.step);
        return actual >= steps ? "" : fmt::format("products go on for {}", amount(actual, "step"));
      });
}

Goal producers_are(int64_t warps, const char* hint) {
  return ring_goal(fmt::format("{} of producers", amount(warps, "warp")), hint,
                   [=](const DrawnPipeline& rings) -> std::string {
                     int64_t actual = 0;
                     for (const Agent& agent : rings.agents)
                       if (agent.fills() && !agent.reads())
                         actual += static_cast<int64_t>(agent.warps.size());
                     if (actual == warps) return "";
                     if (actual == 0) return "no warps are producers";
                     return fmt::format("there {} {} of producers", actual == 1 ? "is" : "are",
                                        amount(actual, "warp"));
                   });
}

}  // namespace hone
