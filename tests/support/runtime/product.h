// A product of matrices, for tests that schedule it.
#pragma once

#include "dsl/schedule.h"

namespace hone {

struct ProductProgram {
  Param M{"M"}, N{"N"}, K{"K"};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Program program{"product", C(i, j) = sum(k, A(i, k) * B(k, j))};
};

}  // namespace hone
