// Lowering: loop IR becomes kernel IR. The lists of passes are in lower.cpp.
#pragma once

#include "codegen/kernel.h"

namespace hone {

struct LowerOptions {
  /// 32 or 64; 0 takes 32 unless constant sizes need more. A kernel with 32-bit indices refuses
  /// larger arrays at launch.
  int index_bits = 0;
};

/// One kernel per nest of the function, in order. Throws ScheduleError where the program cannot run
/// on a GPU: a loop bound to `parallel`, or threads that would have to wait for each other under a
/// condition that they do not share.
Module lower(const Function& function, const LowerOptions& options = {});

/// Host lowering: the whole function as one serial kernel; bindings to blocks and threads are
/// ignored and `parallel` stays. Temporaries are arguments after the others.
Module lower_host(const Function& function);

}  // namespace hone
