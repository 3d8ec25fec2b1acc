// The figures of a run, as tables and as JSON.
#pragma once

#include "bench/gpu/match.h"
#include "bench/gpu/self_check.h"

namespace hone {

// A pair "a/b" is Hone's and the hand-written kernel's, or that of what stands in their places.

/// Times, rates and results, a line each. `copy` is Hone's share of the rate at which the device
/// copies as many bytes, whose own line stands before; of rounds, it is their number and the
/// launches in a sample of Hone's.
std::string timing_table(const std::vector<Comparison>& comparisons);

/// Launches, resources and instructions: a line for each pair of different machine code. `mix` is
/// the largest difference in the counts of instructions that are listed; barriers are those in the
/// text.
std::string code_table(const std::vector<Comparison>& comparisons);

/// The geometric mean and the least of the ratios of a rung over all sizes, a line for each rung.
std::string ratio_lines(const std::vector<Comparison>& comparisons);

/// The same of the hand-written kernels alone. `edges` are the problems with edges that a kernel
/// ran on.
std::string timing_table(const std::vector<Trial>& trials);
std::string code_table(const std::vector<Trial>& trials);

/// All figures; `machine` tells where they come from.
using MachineFacts = std::map<std::string, std::string>;
std::string to_json(const MachineFacts& machine, const std::vector<Comparison>& comparisons);
std::string to_json(const MachineFacts& machine, const std::vector<Trial>& trials);

}  // namespace hone
