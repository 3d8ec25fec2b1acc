// Operands of small programs of tests.
#pragma once

#include "dsl/program.h"

namespace hone {

struct Vectors {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, B{"B", f32, {N}}, C{"C", f32, {N}}, S{"S", f32, {}};
  Axis i{"i", N};
  ReduceAxis k{"k", N};
};

struct Matrices {
  Param M{"M"}, N{"N"}, K{"K"};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
};

}  // namespace hone
