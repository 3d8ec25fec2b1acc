#include "examples/exercises/ring_goals.h"

#include "llvm/ADT/STLExtras.h"
#include "runtime/compile.h"
#include "tools/draw/timeline.h"
#include "tools/draw/words.h"

namespace hone {
namespace {

/// The rings of an answer's first kernel that has some, and the agents of its first block.
struct Rings {
  std::map<std::string, int64_t> slots;
  std::vector<Agent> agents;
};

Rings rings_of(const Attempt& attempt) {
  for (const KernelFunction& kernel : attempt.measured.module.kernels) {
    const LaunchDims dims = launch_dims(kernel, attempt.sizes);
    const auto block = std::array<int64_t, 3>{dims.block[0], dims.block[1], dims.block[2]};
    Rings rings = {rings_of(kernel), agents_of(kernel, attempt.sizes, {}, block)};
    if (!rings.slots.empty()) return rings;
  }
  return {};
}

/// A goal about the rings that an answer has.
Goal ring_goal(std::string text, const char* hint,
               std::function<std::string(const Rings&)> shortfall) {
  return {std::move(text),
          [shortfall = std::move(shortfall)](const Attempt& attempt) -> std::string {
            const Rings rings = rings_of(attempt);
            return rings.slots.empty() ? "no tile is a ring" : shortfall(rings);
          },
          hint};
}

}  // namespace

Goal ring_of(int64_t slots, const char* hint) {
  return ring_goal(fmt::format("a ring of {} slots", slots), hint,
                   [=](const Rings& rings) -> std::string {
                     int64_t most = 0;
                     for (const auto& [tensor, count] : rings.slots) most = std::max(most, count);
                     return most == slots ? "" : "the ring has " + amount(most, "slot");
                   });
}

Goal copies_have(int64_t steps, const char* hint) {
  return ring_goal(
      fmt::format("copies have {} to arrive", amount(steps, "step")), hint,
      [=](const Rings& rings) -> std::string {
        const int64_t actual = timeline_of(rings.agents, rings.slots).steps_to_arrive();
        return actual >= steps ? ""
                               : fmt::format("copies have {} to arrive", amount(actual, "step"));
      });
}

Goal producers_are(int64_t warps, const char* hint) {
  return ring_goal(fmt::format("{} of producers", amount(warps, "warp")), hint,
                   [=](const Rings& rings) -> std::string {
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
