// Drawings of rings whose tiles tensor cores read, while their threads go on.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/runtime/warpgroup_product.h"
#include "tools/draw/pipeline_panels.h"

namespace hone {
namespace draw_products_test {

const Sizes sizes = {{"M", 64}, {"N", 16}, {"K", 320}};

WarpgroupProduct product(int64_t in_flight) {
  return WarpgroupProduct(
      {.columns = 16, .fill = WarpgroupOptions::Fill::engine, .in_flight = in_flight});
}

TEST(DrawProducts, ThatGoOnDuringTheNextStep) {
  const Recording run(product(1).scheduled(), sizes);
  EXPECT_EQ(to_text(pipeline_figures(run).at(0)),
            R"(the rings A.shared, B.shared: 3 slots, up to 1 on its way

who does what, step by step
                            0   1   2   3   4   5   6   7
       producers: barrier   x   .   .   .   .   .   .   .
producers: wait k.0.empty 0/1 1/1 2/1 ... 0/0 1/0   .   .
          producers: fill   0   1   2   .   3   4   .   .
      copies on their way   1   1   1   .   1   1   .   .
       consumers: barrier   x   .   .   .   .   .   .   .
 consumers: wait k.0.full ... 0/0 1/0 2/0 ... 0/1 1/1   .
    consumers: wait_wgmma   .   .   1   1   1   .   1   0
  consumers: tensor cores   .   0 0-1 1-2   2 2-3 3-4   .

the slots of A.shared, and of B.shared
                            0   1   2   3   4   5   6   7
                   slot 0  +0  *0  *0   .  +3  *3  *3   .
                   slot 1   .  +1  *1  *1   .  +4  *4   .
                   slot 2   .   .  +2  *2  *2  *2   .   .

A step is what is done from one wait to the next. Of block (0, 0, 0), the producers are 32 threads,
warp 4; the consumers are 128 threads, warps 0 to 3. A number is the turn of the loop that a slot is
for: +3 it is being filled, ~3 its copies are on their way, =3 it is full, r3 it is read. Tensor
cores read a slot, *3, until a wait_wgmma: that names the groups of products that it lets go on. A
wait for an mbarrier names its slot and the parity. All go on as soon as they may; copies take 1
step, which is the longest time that keeps nobody waiting later on.
)");
}

RingTimeline timeline_of(const KernelFunction& kernel) {
  Module module = lower(product(1).scheduled());
  module.kernels = {kernel};
  return drawn_pipelines(Recording(module, product(1).program.function(), sizes)).at(0).timeline;
}

/// A slot is released while it is read.
TEST(DrawProducts, ShowMissingWaits) {
  const KernelFunction kernel = lower(product(1).scheduled().function()).kernels.front();
  EXPECT_EQ(timeline_of(kernel).mistakes(), 0);
  const auto two_more_pending = [](const Stmt& stmt) {
    const Instr* wait = as(stmt, op::wait_wgmma);
    return wait ? wait->with_constants(wait->constants[0] + 2) : Stmt();
  };
  EXPECT_GT(timeline_of(with_mistake(kernel, 0, two_more_pending)).mistakes(), 0);
}

}  // namespace draw_products_test
}  // namespace hone
