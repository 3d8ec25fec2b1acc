// Drawings of a rung.
#pragma once

#include "tools/cli/judge/selection.h"
#include "tools/draw/draw.h"

namespace hone {

struct DrawingOptions {
  Sizes sizes;  ///< of a run on the simulated device, pitches aside
  uint64_t seed = 1;
  int64_t most_blocks = 64;  ///< as of DrawOptions
  bool all_patterns = false;
};

/// A run of the rung's kernels, on random inputs as `counters` has them. The rung is one
/// for a GPU. Throws what a run on the simulated device throws.
Recording record_rung(const RungRef& rung, const DrawingOptions& options);

/// A rung that drawings are made of, and the one that it builds on.
class Drawings {
 public:
  Drawings(const RungRef& rung, const DrawingOptions& options);

  /// Of the iteration space, that of the program without a schedule. Of banks, changes of the rung
  /// are drawn beside the rung that it builds on. A rung of the host has the
  /// iteration space alone.
  std::vector<Figure> of(FigureKind kind);

 private:
  const Recording& base();

  RungRef rung_;
  DrawingOptions options_;
  std::optional<Recording> recording_;  ///< of a GPU
  std::optional<RungRef> base_rung_;    ///< of a GPU
  std::optional<Recording> base_;
};

}  // namespace hone
