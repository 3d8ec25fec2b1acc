// Kernels that start before the one before them has ended.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace launch_early_test {

Function early(const Function& f) { return launch_early(f).function; }

/// The doubles of A, and their halves.
std::string two_kernels(const char* attributes) {
  return fmt::format(R"(func f[M](A: f32[M], C: f32[M]){} {{
  alloc B: f32[M] @global
  for i in 0..M @block.x {{
    B[i] = A[i] * 2.0
  }}
  for j in 0..M @block.x {{
    C[j] = B[j] * 0.5
  }}
}})",
                     attributes);
}

TEST(LaunchEarly, MarksTheFunction) {
  expect_rewrite(two_kernels(""), early, two_kernels(" @launch_early"));
}

TEST(LaunchEarly, StandsBesideOtherAttributes) {
  expect_rewrite(two_kernels(" @may_alias where M % 4 == 0"), early,
                 two_kernels(" @may_alias @launch_early where M % 4 == 0"));
}

TEST(LaunchEarlyRefusals, OfASecondTime) {
  expect_refusal(two_kernels(" @launch_early"), early,
                 "error: launch_early: the kernels of f overlap already");
}

}  // namespace launch_early_test
}  // namespace hone
