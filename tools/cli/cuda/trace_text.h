// Deeds of threads as text.
#pragma once

#include "runtime/ptx/trace/trace.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {

/// A deed in parts: "reads x", "[5]", "3.5"; of the whole, "reads x[5] = 3.5".
struct EventText {
  std::string deed;   ///< "reads x", "%r5", "branch"
  std::string index;  ///< "[5]"; empty of what has no place
  std::string value;  ///< "3.5", "5 < 60: goes on"; empty of what has none
  std::string whole;
};

/// Elements of arrays that are arguments are of the argument's type.
EventText event_text(const ptx::TracedEvent& event, const KernelRun& run);

/// "thread (5, 0, 0) of block (1, 0, 0)" and its lines below, in 100 columns.
std::string trace_text(const ptx::ThreadTrace& trace, const ptx::ThreadChoice& choice,
                       const KernelRun& run);

/// The lanes of a warp at a line as tables of 100 columns.
std::string stop_text(const ptx::LineStop& stop, const KernelRun& run);

}  // namespace hone
