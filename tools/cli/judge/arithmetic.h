// The arithmetic whose peak the speed of a program is measured against.
#pragma once

#include "ir/core/stmt.h"
#include "runtime/model/gpus.h"

namespace hone {

/// Double precision if a tensor of the program is f64, and tensor cores if the program adds
/// products of floats of 16 bits, or of int8.
Arithmetic arithmetic_of(const Function& program);

}  // namespace hone
