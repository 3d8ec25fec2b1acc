// Multiples: the known divisors of an index.
#pragma once

#include "ir/algebra/polynomial.h"

namespace hone {

/// The largest divisor of `modulus`, which is positive, that is proved to divide `value`: from its
/// coefficients, the lets around it, and conditions such as K % 4 == 0. 1 where nothing is known.
int64_t known_divisor(const Polynomial& value, int64_t modulus, const Facts& facts);

/// True if `value` is proved to be a multiple of `divisor`. False means not proved.
bool divides(int64_t divisor, const Polynomial& value, const Facts& facts);
bool divides(int64_t divisor, const Expr& value, const Facts& facts);

}  // namespace hone
