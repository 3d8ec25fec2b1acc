// Panels of a pipeline: what agents do step by step, and the slots of rings.
#pragma once

#include "tools/draw/figure.h"
#include "tools/draw/recorded_run.h"
#include "tools/draw/timeline.h"

namespace hone {

/// The colours of a slot, and of waiting.
enum RingColour : int {
  is_read = 0,
  starts = 1,
  is_full = 2,
  on_its_way = 5,
  is_multiplied = 6,
  waits = 7
};

/// The rings of a kernel, and the time that is drawn.
struct DrawnPipeline {
  static constexpr int64_t most_steps = 24;

  const RecordedKernel* kernel = nullptr;
  std::map<std::string, int64_t> rings;
  std::vector<Agent> agents;
  RingTimeline timeline;

  /// Of the largest ring.
  int64_t slots() const;
  /// Enough for two turns of a ring.
  int64_t steps() const { return std::min({timeline.steps, 2 * slots() + 4, most_steps}); }
  bool is_shown(int64_t step) const { return step < steps(); }
  /// "producers", "consumers", or "threads", who are both.
  std::string role(size_t agent) const;
};

/// Of the kernels that have rings.
std::vector<DrawnPipeline> drawn_pipelines(const Recording& recording);

/// Without rows, a column for each step.
FigurePanel steps_panel(const DrawnPipeline& drawn, std::string title);
/// Returns the number of the new row.
int64_t add_row(FigurePanel& panel, std::string label);

FigurePanel agents_panel(const DrawnPipeline& drawn);

/// A panel for each ring, with arrows. Rings whose slots go the same way share one.
void add_rings(Figure& figure, const DrawnPipeline& drawn);

}  // namespace hone
