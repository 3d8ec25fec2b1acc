// The place of each rung in its ladder: on the main line, on a branch, or on the host; and how many
// times as fast as others it is.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/measured.h"

namespace hone {

enum class RungLine {
  main,    ///< from the first rung of a GPU to the fastest one, each building on the one before
  branch,  ///< beside it
  host,
};

struct RungStanding {
  RungLine line = RungLine::main;
  int depth = 0;          ///< of a branch: rungs down from the main line
  double over_base = 0;   ///< as fast as the rung that it builds on, times; 0: not known
  double over_first = 0;  ///< as fast as the first one of its machine, times; 0: not known
  double seconds = 0;     ///< measured; 0: not measured
};

/// True if a rung is so many times as fast as the one that it builds on, and that is less than the
/// spread of measurements explains; 0: not known.
bool is_slower(double over_base);

/// Of all rungs, in their order. Without a run no times are known, and the main line ends with the
/// last rung of a GPU.
std::vector<RungStanding> standings_of(const Ladder& ladder, const MeasuredRun* run);

/// The numbers of the rungs as a table shows them: the main line, each rung followed by the
/// branches that leave it, then those of the host.
std::vector<size_t> table_order(const Ladder& ladder, llvm::ArrayRef<RungStanding> standings);

/// "1.62x", "0.41x", "1,100x"; empty for 0.
std::string factor_text(double factor);

/// "The main line has 7 rungs, from naive to lanes-16x2. 1 more is a branch: ..."
std::string plan_text(const Ladder& ladder, llvm::ArrayRef<RungStanding> standings);

}  // namespace hone
