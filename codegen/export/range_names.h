// The names of the steps of a program of ranges in exports.
#pragma once

#include "codegen/contract/range_program.h"

namespace hone {

/// The range of a step, or a number.
struct RangeOperand {
  bool is_step = true;
  int64_t value = 0;
};

/// "add", "on_steps", "begin"
const char* name_of(const RangeStep& step);

/// Of any step but a size.
llvm::SmallVector<RangeOperand, 4> operands_of(const RangeStep& step);

}  // namespace hone
