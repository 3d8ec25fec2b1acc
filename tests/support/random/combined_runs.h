// Programs that combine, under a schedule, run on every device.
#pragma once

#include <functional>

#include "dsl/schedule.h"

namespace hone {

using Steps = std::function<void(Schedule&)>;

/// The sum of a vector of N elements.
struct Total {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", f32, {}};
  ReduceAxis k{"k", N};
  Program program{"total", S() = sum(k, A(k))};
};

/// Expects the program under the steps to compute what it means, for each length N; its tensor
/// `bin`, if it has one, holds numbers from 0 to 7, several of each.
void expect_right(const Program& program, const Steps& steps, llvm::ArrayRef<int64_t> lengths);

}  // namespace hone
