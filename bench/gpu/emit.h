// Machine code for programs in other languages.
#pragma once

#include "bench/gpu/contender.h"
#include "bench/gpu/measurement.h"

namespace hone {

/// Writes the machine code of a contender and how it is launched to <folder>/<side>-<rung>-<size>:
/// a .json, and a .cubin for each of its modules. `side` is "hone" or "hand". Throws RuntimeError
/// where the folder cannot be written.
void emit_contender(const std::string& folder, const std::string& side,
                    const Measurement& measurement, const Sizes& sizes, const Contender& contender);

}  // namespace hone
