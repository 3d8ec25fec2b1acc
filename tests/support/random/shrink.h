// A failing case, made as small as it will go while it still fails.
#pragma once

#include <functional>

#include "tests/support/random/random_case.h"

namespace hone {

struct Shrunk {
  RandomCase smallest;
  CaseReport report;
};

using RunCase = std::function<CaseReport(const RandomCase&)>;

/// Drops steps, then makes choices of the program and numbers of the steps smaller, until no single
/// change leaves a case that fails in the same check. `report` is that of `failing`.
Shrunk shrink(const RandomCase& failing, const CaseReport& report, const RunCase& run = run_case);

}  // namespace hone
