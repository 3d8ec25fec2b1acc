// The operations and accesses of rungs of the host, as they are written.
#pragma once

#include "codegen/cost/size_formula.h"
#include "llvm/Support/JSON.h"
#include "tools/cli/command/host_access.h"
#include "tools/cli/judge/selection.h"

namespace hone {

/// Of all iterations together; formulas of the sizes.
struct HostCounts {
  SizeFormula results;  ///< elements of the tensors that are written
  SizeFormula loads, stores;
  SizeFormula flops;  ///< as Ladder::flops counts: a multiplication and an addition are two
  std::vector<HostAccess> accesses;
  HostLoops loops;
};

/// Counts the rung's program for the host, without running it. Throws what scheduling throws.
HostCounts count_host(const RungRef& rung, const Sizes& sizes);

std::string to_string(const HostCounts& counts, const Sizes& sizes);
llvm::json::Value to_json(const HostCounts& counts, const Sizes& sizes);

}  // namespace hone
