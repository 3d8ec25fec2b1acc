// All that is known of a rung by itself, before it is compared with another one.
#pragma once

#include "tools/cli/command/host_explanation.h"
#include "tools/cli/source/rung_source.h"
#include "tools/page/page.h"

namespace hone {

/// The texts of a rung, before they are compared with those of another one.
struct RungTexts {
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
  Counted counted;
  std::vector<PageDrawing> drawings;
  std::string drawing_problem;  ///< the reason that there are none
  std::string problem;          ///< the reason that there are no texts
};

/// Those of the page, or small ones where a block of any rung has too much to do to be counted.
Sizes common_sizes(const Ladder& ladder, const PageOptions& options);

/// Counts a rung of a GPU. Throws what a run on the simulated device throws.
Profile count_at(const RungRef& rung, const Sizes& sizes, const PageOptions& options);

/// The failure of a part of it becomes a part of the facts. All rungs of the page share `banks`.
RungFacts facts_of(const RungRef& rung, const PageOptions& options,
                   const std::shared_ptr<BankFigures>& banks);

const Sizes& drawn_sizes_of(const PageOptions& options);

/// The CUDA text of all kernels.
std::string cuda_of(const Module& module);

}  // namespace hone
