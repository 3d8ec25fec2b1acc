// All that is known of a rung by itself, before it is compared with another one.
#pragma once

#include "tools/cli/command/host_explanation.h"
#include "tools/cli/source/rung_source.h"
#include "tools/page/count_plan.h"

namespace hone {

/// The texts of a rung, before they are compared with those of another one.
struct RungTexts {
  Module module;     ///< for the sizes of the ladder
  std::string cuda;  ///< of a rung of a GPU, whole
  RungSource source;
  Listing schedule, loops, code, axes, tiles;  ///< the last two: rows
};

/// A rung as it was counted; one of the two, or none, with the reason.
struct Counted {
  std::optional<Profile> profile;
  std::optional<HostProfile> host;
  std::string problem;
};

/// All that is known of a rung by itself.
struct RungFacts {
  RungTexts texts;
  std::vector<Counted> counted;  ///< by the numbers of sizes; those not asked for are empty
  std::vector<PageDrawing> drawings;
  std::string drawing_problem;  ///< the reason that there are none
  std::string problem;          ///< the reason that there are no texts
};

/// Its texts. The failure of a part becomes a part of the facts.
RungFacts facts_of(const RungRef& rung);

/// `number`: of the rung in its ladder. All rungs of the page share `banks`.
void add_counts_and_drawings(const RungRef& rung, size_t number, const CountPlan& plan,
                             const PageOptions& options, const std::shared_ptr<BankFigures>& banks,
                             RungFacts& facts);

const Sizes& drawn_sizes_of(const PageOptions& options);

/// The CUDA text of all kernels.
std::string cuda_of(const Module& module);

}  // namespace hone
