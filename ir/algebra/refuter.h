// Counterexamples: they save most proofs that would fail.
#pragma once

#include "ir/algebra/polynomial.h"

namespace hone {

/// True if `value` is proved to be negative for some axes and params for which all facts hold.
/// Tries a few points where it is small; false says nothing.
bool is_refuted(const Polynomial& value, const Facts& facts);

}  // namespace hone
