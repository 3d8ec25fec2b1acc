// Pipelines on the devices: right for any number of iterations, without a race, and with one where
// a barrier is left out.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "ir/text/printer.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/races.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace pipeline_test {

struct Product : ProductProgram {
  Schedule scheduled(int64_t stages, bool with_fragments) const {
    auto [s, ko, ki, A_shared, B_shared] = tiled_for_threads();
    if (with_fragments) {
      s.cache_registers(A_shared, ki);
      s.cache_registers(B_shared, ki);
      s.unroll(ki);
      s.pipeline(ki, 2);
    }
    s.pipeline(ko, stages);
    return s;
  }
};

/// The trip count of ko is 0, 1, stages - 1, stages, stages + 1 and more.
TEST(Pipelines, AreRightForAnyTripCount) {
  const Product product;
  for (const bool with_fragments : {false, true})
    for (const int64_t stages : {2, 3, 4}) {
      const Schedule s = product.scheduled(stages, with_fragments);
      for (const int64_t trips :
           {int64_t{0}, int64_t{1}, stages - 1, stages, stages + 1, int64_t{9}})
        for (const int64_t rest : {0, 1}) {
          const Sizes sizes = {{"M", 19}, {"N", 17}, {"K", trips * 4 + rest}};
          expect_as_meant(product.program, s, sizes,
                          random_buffers(product.program.function(), sizes, 3));
        }
    }
}

/// A barrier an iteration: before it, slots are read that are filled behind it, and filled that are
/// read behind it.
TEST(Pipelines, TakeOneBarrierAnIteration) {
  const Product product;
  for (const int64_t stages : {2, 3, 4}) {
    const KernelFunction kernel =
        lower(product.scheduled(stages, false).function()).kernels.front();
    EXPECT_EQ(count_barriers(kernel), 1) << to_string(kernel);
    const Sizes sizes = {{"M", 19}, {"N", 17}, {"K", 23}};
    EXPECT_EQ(find_race(kernel, sizes), std::nullopt) << to_string(kernel);
    EXPECT_NE(find_race(without_barrier(kernel, 0), sizes), std::nullopt) << to_string(kernel);
  }
}

}  // namespace pipeline_test
}  // namespace hone
