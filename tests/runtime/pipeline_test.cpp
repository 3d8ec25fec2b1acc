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
namespace {

/// A product with tiles of 16 x 16 for 8 x 8 threads, 4 deep.
struct Product : ProductProgram {
  Schedule scheduled(int64_t stages, bool with_fragments) const {
    Schedule s(program);
    auto [by, bx, y, x] = s.tile({s.axis(C, i), s.axis(C, j)}, {16, 16});
    auto [ty, row] = s.split(y, 2);
    auto [tx, column] = s.split(x, 2);
    auto [ko, ki] = s.split(k, 4);
    s.reorder({by, bx, ty, tx, ko, ki, row, column});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    s.bind(ty, thread.y);
    s.bind(tx, thread.x);
    s.cache_registers(C, tx);
    const Cache A_shared = s.cache_shared(A, ko), B_shared = s.cache_shared(B, ko);
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

}  // namespace
}  // namespace hone
