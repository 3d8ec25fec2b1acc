// Intrinsics of floats, in a type of the host that is wide enough.
#pragma once

#include <cmath>

#include "ir/core/expr.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {

/// The function of one number, or of two, as exact as Real has it. Not fma, which rounds once.
template <class Real>
Real function_of(Intrinsic intrinsic, Real x, Real y = 0) {
  switch (intrinsic) {
    case Intrinsic::exp:
      return std::exp(x);
    case Intrinsic::log:
      return std::log(x);
    case Intrinsic::sqrt:
      return std::sqrt(x);
    case Intrinsic::rsqrt:
      return 1 / std::sqrt(x);
    case Intrinsic::sin:
      return std::sin(x);
    case Intrinsic::cos:
      return std::cos(x);
    case Intrinsic::tanh:
    case Intrinsic::tanh_approx:
      return std::tanh(x);
    case Intrinsic::erf:
      return std::erf(x);
    case Intrinsic::abs:
      return std::fabs(x);
    case Intrinsic::floor:
      return std::floor(x);
    case Intrinsic::ceil:
      return std::ceil(x);
    case Intrinsic::round:
      return std::nearbyint(x);
    case Intrinsic::pow:
      return std::pow(x, y);
    case Intrinsic::fma:
      break;
  }
  llvm_unreachable("not a function of one or two numbers");
}

}  // namespace hone
