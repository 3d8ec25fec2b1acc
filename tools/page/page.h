// The page of a ladder as data, from which HTML and Markdown are written.
#pragma once

#include "tools/cli/output.h"
#include "tools/cli/profile/profile.h"
#include "tools/page/chart.h"
#include "tools/page/counter_changes.h"
#include "tools/page/listing.h"
#include "tools/page/page_drawings.h"
#include "tools/page/page_source.h"
#include "tools/page/places.h"
#include "tools/page/story/problem.h"
#include "tools/page/story/run_page.h"

namespace hone {

/// One launch of a rung, and the blocks that fit on a multiprocessor.
struct LaunchFacts {
  std::string heading;    ///< "matmul: grid (8, 8, 1), block (32, 32, 1)"
  std::string registers;  ///< "128 per thread, no spills, on sm_90", or why they are not known
  std::string occupancy;  ///< "2 blocks, 16 of 64 warps (25 %), limited by registers"
  std::vector<OccupancyTerm> terms;
  std::vector<OccupancyLimit> limiters;
  /// "line 47: shared load of A.shared: kept, merged: 4 in one"; empty without a compiler.
  std::vector<std::string> accesses;
};

struct RungPage {
  std::string name, title, idea, anchor;
  std::string question;                          ///< that the idea answers; may be empty
  std::string rebuilds, builds_on, base_anchor;  ///< empty where it does neither
  bool is_host = false;
  std::optional<MeasuredRung> measured;  ///< at the sizes of the page
  RungStanding standing;
  std::string bottleneck;  ///< before and after, a sentence; empty where it is not known
  std::string next;        ///< the advice that follows from it
  std::string slower;      ///< the reason that it is slower than its base; empty if it is not
  std::string problem;     ///< the reason that the rest is missing; else empty

  PageSource source;
  Listing schedule, loops, code;  ///< compared with those of the rung that it builds on
  std::string code_name;          ///< "CUDA", "C"
  /// Places of axes and tiles: cells with tabs between, compared in the same way.
  Listing axes, tiles;

  std::string count_problem;            ///< the reason that nothing is counted; empty if it is
  std::string basis;                    ///< a note of the kernels and sizes that were counted
  std::vector<std::string> findings;    ///< sentences, what matters most first
  std::vector<CounterChange> counters;  ///< empty for a rung of the host
  std::vector<LaunchFacts> launches;
  std::string roofline;
  std::vector<std::string> warnings;
  std::vector<PageDrawing> drawings;
  std::string drawing_note;  ///< the missing drawings and the reason; empty if none is
};

struct LadderPage {
  std::string name, title, version;
  std::string target;  ///< "H100 SXM", whose limits and peaks are meant
  ProblemPage problem;
  std::vector<RunPage> runs;  ///< at least one; that of the counted sizes first
  std::vector<RungPage> rungs;
};

struct PageOptions {
  Sizes sizes;        ///< of the page
  Sizes drawn_sizes;  ///< that they are drawn at; empty: the same
  uint64_t seed = 1;
  CountOptions count;
  ProfileTarget target;
  std::vector<MeasuredRun> runs;  ///< one at `sizes` stands first
};

/// Counts all rungs, on all cores, and puts the page together. The failure of a single rung
/// becomes a part of the page.
LadderPage make_page(const Ladder& ladder, const PageOptions& options);

/// One file of HTML, which needs nothing else, and is XML too.
std::string to_html(const LadderPage& page);

/// A file and its content; the name has no folder.
struct PageFile {
  std::string name, content;
};

/// The page in Markdown, LADDER.md, and the pictures that it shows.
std::vector<PageFile> to_markdown(const LadderPage& page);

}  // namespace hone
