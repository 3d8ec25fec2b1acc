// Registers for the values that users named.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// A store sets registers to its named values before it, and reads these:
///
///   let fy = f32(i) * s[0]             alloc fy: f32[] @value
///   C[i] = fy * fy             =>      fy[] = f32(i) * s[0]
///                                      C[i] = fy[] * fy[]
///
/// A value that reads a tensor or divides stays where it is if only one side of a `select`, `&&` or
/// `||` of the statement needs it: its index may be none, or its divisor 0, on the other side.
/// Behind passes that know values by their form, and before those that count registers and ranges.
void give_registers_to_names(KernelFunction& kernel);

}  // namespace hone
