// Copies by the copy engine on the devices: right for any number of iterations, in any order of the
// warps, and found where bytes, a wait or an arrival are missing.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/rewriter.h"
#include "ir/text/printer.h"
#include "ir/visit.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/bulk_product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace {

/// The trip count of ko is 0, 1, stages - 1, stages, stages + 1 and more.
TEST(BulkCopiesOnDevices, AreRightForAnyTripCount) {
  const BulkProduct product;
  for (const int64_t stages : {1, 2, 3, 4}) {
    const Schedule s = product.scheduled({.stages = stages});
    for (const int64_t trips : {int64_t{0}, int64_t{1}, stages - 1, stages, stages + 1, int64_t{6}})
      for (const int64_t rest : {0, 4}) {
        const Sizes sizes = {{"M", 37}, {"N", 44}, {"K", trips * 16 + rest}};
        expect_as_meant(product.program, s, sizes,
                        random_buffers(product.program.function(), sizes, 3));
      }
  }
}

TEST(BulkCopiesOnDevices, StandBesideAsynchronousOnes) {
  const BulkProduct product;
  for (const bool a_in_bulk : {false, true}) {
    const Schedule s =
        product.scheduled({.producer_warps = 2, .a_in_bulk = a_in_bulk, .b_in_bulk = !a_in_bulk});
    const Sizes sizes = {{"M", 33}, {"N", 36}, {"K", 84}};
    expect_as_meant(product.program, s, sizes,
                    random_buffers(product.program.function(), sizes, 3));
  }
}

const Sizes some_sizes = {{"M", 37}, {"N", 44}, {"K", 84}};

std::string finding_in(const KernelFunction& kernel, uint64_t order = 0) {
  return first_finding(kernel, BulkProduct().program.function(), some_sizes, order);
}

KernelFunction kernel_of(const Schedule& schedule) {
  return lower(schedule.function()).kernels.front();
}

TEST(BulkCopiesOnDevices, AreRightInAnyOrderOfTheWarps) {
  const BulkProduct product;
  for (const bool b_in_bulk : {false, true}) {
    const KernelFunction kernel =
        kernel_of(product.scheduled({.producer_warps = 2, .b_in_bulk = b_in_bulk}));
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(finding_in(kernel, order), "") << order << "\n" << to_string(kernel);
  }
}

}  // namespace
}  // namespace hone
