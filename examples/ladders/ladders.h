// The ladders that come with Hone: classic CUDA optimisations, one idea a rung.
#pragma once

#include <functional>
#include <vector>

#include "tools/cli/ladder.h"

namespace hone {

Ladder matmul_ladder();
Ladder matmul_column_major_ladder();
Ladder matmul_pitched_ladder();
Ladder matmul_transposed_ladder();
Ladder gemm_ladder();
Ladder combine_ladder();
Ladder transpose_ladder();
Ladder stencil_ladder();
Ladder convolution_ladder();
Ladder reduce_ladder();
Ladder argmax_ladder();
Ladder softmax_ladder();
Ladder layernorm_ladder();
Ladder rowsum_ladder();
Ladder colsum_ladder();
Ladder dot_ladder();
Ladder matvec_ladder();
Ladder histogram_ladder();
Ladder batched_ladder();

std::vector<Ladder> all_ladders();

/// The size `name`: a constant where it is fixed, else a param.
Expr size_or_param(const Sizes& fixed, llvm::StringRef name);

/// Makes the rungs of a ladder from schedules of its problem: a program, and the handles that
/// schedules need.
template <class Problem>
class RungMaker {
 public:
  using MakeProblem = Problem (*)(const Sizes& fixed, const Sizes& expected);

  explicit RungMaker(MakeProblem make) : make_(make) {}

  Rung operator()(const char* name, const char* title, const char* idea,
                  std::function<void(Schedule&, const Problem&)> schedule,
                  RungTarget target = RungTarget::gpu) const {
    const auto build = [make = make_, schedule](const Sizes& fixed, const Sizes& expected) {
      const Problem problem = make(fixed, expected);
      Schedule s(problem.program);
      schedule(s, problem);
      return s;
    };
    return {name, title, idea, target, build};
  }

 private:
  MakeProblem make_;
};

}  // namespace hone
