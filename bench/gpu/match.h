// Two sides of the same work: Hone's kernels and the hand-written ones of the same rungs, or either
// of them and a library.
#pragma once

#include "bench/gpu/measurement.h"

namespace hone {

/// Hone's kernels of a rung against the hand-written ones, or what stands in their places.
struct Comparison : Measurement {
  const char* hone_side = "hone";  ///< its name in reports
  std::string hand_side = "hand";
  Contender hone = {}, hand = {};
  // On a GPU.
  std::optional<Check> check = std::nullopt;
  std::optional<DuelTimes> times = std::nullopt;

  bool same_launch() const;
  /// Nothing is wrong, as far as it got.
  bool passed() const { return failure.empty() ? !check || check->right() : skipped; }
};

/// Compares the selected rungs of all ladders, at all sizes. With a library, it is that in the
/// place of the hand-written kernels, and where these are to be alone they take Hone's.
std::vector<Comparison> compare_all(const Settings& settings);

/// The selected hand-written kernels that no ladder has a rung for.
std::vector<std::string> without_rung(const Settings& settings);

}  // namespace hone
