// Lowering: loop IR becomes kernel IR. The lists of passes are in lower.cpp.
#pragma once

#include "codegen/kernel.h"

namespace hone {

struct LowerOptions {
  /// 32 or 64; 0 takes 32 unless constant sizes need more. A kernel with 32-bit indices refuses
  /// larger arrays at launch.
  int index_bits = 0;
};

/// One kernel per nest of the function, in order. Takes what primitives made, or what
/// check_function let through. Throws ScheduleError for a loop bound to `parallel`, which is not
/// for a GPU.
Module lower(const Function& function, const LowerOptions& options = {});

/// Host lowering: the whole function as one serial kernel; bindings to blocks and threads are
/// ignored and `parallel` stays. Temporaries are arguments after the others.
Module lower_host(const Function& function);

}  // namespace hone
