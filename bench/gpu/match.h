// Hone's kernels against the hand-written ones of the same rungs.
#pragma once

#include "bench/gpu/measurement.h"

namespace hone {

/// Hone's kernels of a rung against the hand-written ones.
struct Comparison : Measurement {
  Contender hone = {}, hand = {};
  // On a GPU.
  std::optional<Check> check = std::nullopt;
  std::optional<DuelTimes> times = std::nullopt;

  bool same_launch() const;
  /// Nothing is wrong, as far as it got.
  bool passed() const { return failure.empty() ? !check || check->right() : skipped; }
};

/// Compares the selected rungs of all ladders, at all sizes.
std::vector<Comparison> compare_all(const Settings& settings);

/// The selected hand-written kernels that no ladder has a rung for.
std::vector<std::string> without_rung(const Settings& settings);

}  // namespace hone
