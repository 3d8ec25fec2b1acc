// The hand-written kernels whose counters are published: each at a small problem with edges.
#pragma once

#include "bench/gpu/contest.h"
#include "bench/gpu/ptx_contender.h"

namespace hone {

struct HandwrittenCase {
  const Contest* contest = nullptr;
  Sizes sizes;
  HandwrittenKernel kernel;

  /// "matmul/shared-32 by hand, M=65 N=33 K=17"
  std::string name() const;
};

/// Those whose names contain the text.
std::vector<HandwrittenCase> handwritten_cases(const std::string& text);

/// Launches each kernel of the case once.
void launch_once(const HandwrittenCase& one, const Device& device);

/// The requests of each launch, as it is compiled.
std::vector<ptx::LaunchCounts> count_launches(const HandwrittenCase& one);

}  // namespace hone
