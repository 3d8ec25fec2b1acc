// The accesses of rungs of the host, as they are written: how often, and how far apart in memory.
#pragma once

#include <optional>

#include "codegen/cost/size_formula.h"
#include "codegen/kernel.h"

namespace hone {

/// Bytes that a core's cache takes at once.
inline constexpr double line_bytes = 64;

/// One access of a statement to a tensor in memory.
struct HostAccess {
  std::string text;  ///< "A[k*M + i]"
  std::string tensor;
  bool is_store = false;
  /// The innermost loop around it that is no unrolled one, or an unrolled one inside where that
  /// takes smaller steps; empty where there is none.
  std::string loop = {};
  SizeFormula step = 0;   ///< bytes between two iterations of that loop
  SizeFormula times = 0;  ///< of all iterations of all loops
  /// Lines that it comes to each time: 0 where it stays in place, 1 where each iteration has a line
  /// of its own.
  double lines = 0;
};

/// The loops of the statement that runs most, and what is bound.
struct HostLoops {
  bool may_alias = false;                       ///< arrays may overlap
  std::vector<std::string> names;               ///< outermost first, but for unrolled ones
  std::vector<std::string> parallel, unrolled;  ///< of all loops
};

/// In the order of the text; equal reads of a statement count once.
std::vector<HostAccess> host_accesses(const Module& module, const Sizes& sizes);
HostLoops host_loops(const Module& module, const Sizes& sizes);

}  // namespace hone
