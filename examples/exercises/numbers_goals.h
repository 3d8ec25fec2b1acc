// Goals about the bits of results.
#pragma once

#include "examples/exercises/goals.h"

namespace hone {

/// On inputs of which each order of a sum rounds others off.
Goal same_bits_as_program(const char* hint);
/// No parts of a sum are added as they come.
Goal same_bits_in_each_run(const char* hint);

}  // namespace hone
