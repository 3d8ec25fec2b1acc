// Asynchronous copies on the devices: right for any number of iterations, and found out where a
// wait or a barrier is wrong.
#include <gmock/gmock.h>

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/rewriter.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/races.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace async_copies_test {

using testing::HasSubstr;

struct Product : ProductProgram {
  /// `stages` of 1: no pipeline.
  Schedule scheduled(int64_t stages, bool both = true) const {
    auto [s, ko, ki, A_shared, B_shared] = tiled_for_threads();
    s.copy_async(A_shared);
    if (both) s.copy_async(B_shared);
    if (stages > 1) s.pipeline(ko, stages);
    return s;
  }

  /// In vectors of 16 bytes, where rows are multiples of these.
  Schedule in_vectors(int64_t stages) const {
    return pipelined_in_vectors(16, stages, {K % 4 == 0, N % 4 == 0});
  }
};

/// The trip count of ko is 0, 1, stages - 1, stages, stages + 1 and more.
TEST(AsyncCopies, AreRightForAnyTripCount) {
  const Product product;
  for (const bool both : {false, true})
    for (const int64_t stages : {1, 2, 3, 4}) {
      const Schedule s = product.scheduled(stages, both);
      for (const int64_t trips :
           {int64_t{0}, int64_t{1}, stages - 1, stages, stages + 1, int64_t{9}})
        for (const int64_t rest : {0, 1}) {
          const Sizes sizes = {{"M", 19}, {"N", 17}, {"K", trips * 4 + rest}};
          expect_as_meant(product.program, s, sizes,
                          random_buffers(product.program.function(), sizes, 3));
        }
    }
}

/// All turns but the first one copy zeros: their rows lie behind the only one.
TEST(AsyncCopies, BeyondTheOnlyRowAreZeros) {
  const Axis l("l", 1);
  const ReduceAxis k("k", 4);
  const Tensor A("A", f32, {1, 4}), C("C", f32, {1});
  const Program program("sum", C(l) = sum(k, A(l, k)));
  Schedule s(program);
  auto [turn, row] = s.split(l, 9);
  const Cache tile = s.cache_shared(A, row, {.vectorize = 4});
  s.copy_async(tile);
  s.pipeline(row, 3);
  EXPECT_THAT(to_string(lower(s).kernels.front()), HasSubstr("<- select(false, A[0], 0.0) of 4"));
  expect_as_meant(program, s, {}, random_buffers(program.function(), {}, 3));
}

TEST(AsyncCopies, InVectorsAreRightForAnyTripCount) {
  const Product product;
  for (const int64_t stages : {2, 3, 5})
    for (const int64_t k : {0, 4, 8, 12, 16, 20, 40, 44}) {
      const Sizes sizes = {{"M", 17}, {"N", 20}, {"K", k}};
      expect_as_meant(product.program, product.in_vectors(stages), sizes,
                      random_buffers(product.program.function(), sizes, 5));
    }
}

KernelFunction kernel_of(const Schedule& schedule) {
  return lower(schedule.function()).kernels.front();
}

constexpr int64_t dropped = -1;

/// The kernel with the wait number `n` for other groups.
KernelFunction with_pending(const KernelFunction& kernel, int n, int64_t pending) {
  KernelFunction result = kernel;
  int number = 0;
  result.body = transform_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
    if (!is<op::wait_group>(stmt) || number++ != n) return {};
    return pending == dropped ? Seq::make({}) : Instr::make(op::wait_group, {}, {}, pending);
  });
  return result;
}

KernelFunction without_commit(const KernelFunction& kernel, int n) {
  KernelFunction result = kernel;
  int number = 0;
  result.body = transform_stmts(kernel.body, [&](const Stmt& stmt) {
    return is<op::commit_group>(stmt) && number++ == n ? Seq::make({}) : Stmt();
  });
  return result;
}

std::string finding_in(const KernelFunction& kernel, const Sizes& sizes) {
  return first_finding(kernel, Product().program.function(), sizes);
}

/// Both judges see each mistake: the walk over accesses, and the machine.
void expect_found(const KernelFunction& kernel, const Sizes& sizes, const std::string& kind) {
  EXPECT_NE(find_race(kernel, sizes), std::nullopt) << to_string(kernel);
  EXPECT_THAT(finding_in(kernel, sizes), HasSubstr(kind)) << to_string(kernel);
}

TEST(AsyncCopies, MistakesInTheirWaitsAreFound) {
  const Product product;
  const Sizes sizes = {{"M", 19}, {"N", 17}, {"K", 39}};
  for (const int64_t stages : {1, 2, 3, 4}) {
    const KernelFunction kernel = kernel_of(product.scheduled(stages));
    ASSERT_EQ(find_race(kernel, sizes), std::nullopt) << to_string(kernel);
    ASSERT_EQ(finding_in(kernel, sizes), "") << to_string(kernel);
    const int64_t pending = std::max<int64_t>(stages - 2, 0);
    expect_found(with_pending(kernel, 0, dropped), sizes, "unfinished copy");
    expect_found(with_pending(kernel, 0, pending + 1), sizes, "unfinished copy");
    for (int n = 0; n < (stages == 1 ? 1 : 2); ++n)
      expect_found(without_commit(kernel, n), sizes, "unfinished copy");
    for (int n = 0; n < count_barriers(kernel); ++n)
      expect_found(without_barrier(kernel, n), sizes, "");
  }
}

/// Thread 2 has copied an element, and has no iteration of the loop with the wait in it.
TEST(AsyncCopies, AreWaitedForByThreadsWithoutAPartInTheLoop) {
  const Function function = parse_function(R"(func f(E: f32[3], U: f32[2], D: f32[2]) {
  for b in 0..1 @block.x {
    alloc T: f32[3] @shared
    copy T[0 .. +3] <- E[0 .. +3] @async
    for i in 0..3 @thread.x {
      if (i == 3) {
        U[0] = 1.0
      }
    }
    for j in 0..2 @thread.x {
      U[j] = 0.0
      D[j] = T[j + 1]
    }
  }
})");
  const KernelFunction kernel = lower(function).kernels.front();
  EXPECT_EQ(find_race(kernel, {}), std::nullopt) << to_string(kernel);
  EXPECT_EQ(first_finding(kernel, function, {}), "") << to_string(kernel);
}

}  // namespace async_copies_test
}  // namespace hone
