// Results that leave among the work on the next ones.
#include <gmock/gmock.h>

#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace deferred_stores_test {

using testing::HasSubstr;
using testing::Not;

/// A product of single precision, rounded at the end. Two blocks of two warps compute all tiles of
/// 32 x 64, one after the other, and store eight rows of results in a step.
struct Rounded : ProductProgram {
  Tensor D{"D", bf16, {M, N}};
  Program program{"rounded", D(i, j) = cast(bf16, sum(k, A(i, k) * B(k, j)))};
  bool has_producers = true, is_bulk = true, is_deferred = true;

  Schedule scheduled() const {
    Schedule s(program);
    s.assume(K % 4 == 0);
    s.assume(N % 8 == 0);
    s.assume(K > 48);
    auto [by, bx, row, x] = s.tile({i, j}, {32, 64}, {.tail = Tail::pad});
    auto [step, of_step] = s.split(k, 16, {.tail = Tail::pad});
    auto [half, column] = s.split(x, 32);
    s.reorder({by, bx, step, half, column, of_step, row});
    auto [turn, own] = s.split(s.fuse(by, bx), 2);
    s.reorder({own, turn});
    s.bind(own, block.x);
    for (const char* part : {"", ".init", ".post"}) {
      s.bind(s.axis(half.name() + part), warp);
      s.bind(s.axis(column.name() + part), lane);
    }
    s.cache_registers(s.tensor("D.acc"), turn);
    fill_tiles(s, step);
    store_rows(s, turn, step);
    return s;
  }

  void fill_tiles(Schedule& s, const Axis& step) const {
    const Cache a = s.cache_shared(A, step, {.vectorize = 4});
    const Cache b = s.cache_shared(B, step, {.vectorize = 4});
    for (const Cache& tile : {a, b}) s.copy_async(tile);
    has_producers ? s.specialize(step, 3, {.producer_warps = 1}) : s.pipeline(step, 3);
  }

  void store_rows(Schedule& s, const Axis& turn, const Axis& step) const {
    const std::vector<Axis> parts = s.copy_loops(s.cache_registers(D, turn), Direction::write_back);
    auto [chunk, rows] = s.split(parts[0], 8);
    s.reorder({chunk, parts[1], parts[2], rows});
    const Layout panels = Layout::order({IndexDigit(1) / 32, 0, IndexDigit(1) % 32});
    const Cache results = s.cache_shared(D, chunk, {.layout = panels});
    s.write_back_at(results, parts[1]);
    if (is_bulk) s.copy_bulk(results);
    if (is_deferred) s.defer(step, {chunk});
  }
};

KernelFunction kernel_of(const Rounded& rounded) {
  return lower(rounded.scheduled().function()).kernels.front();
}

TEST(DeferredStores, LeaveAllResultsInMemory) {
  for (const bool has_producers : {true, false})
    for (const bool is_bulk : {true, false}) {
      Rounded rounded;
      rounded.has_producers = has_producers;
      rounded.is_bulk = is_bulk;
      const Schedule s = rounded.scheduled();
      for (const Sizes& sizes : std::initializer_list<Sizes>{{{"M", 1}, {"N", 8}, {"K", 52}},
                                                             {{"M", 33}, {"N", 64}, {"K", 64}},
                                                             {{"M", 131}, {"N", 200}, {"K", 100}}})
        expect_as_meant(rounded.program, s, sizes,
                        random_buffers(rounded.program.function(), sizes, 5));
    }
}

std::string finding_of(const KernelFunction& kernel, uint64_t order = 0) {
  const Sizes sizes = {{"M", 67}, {"N", 136}, {"K", 68}};
  const std::string finding = first_finding(kernel, Rounded().program.function(), sizes, order);
  return llvm::StringRef(finding).split('\n').first.str();
}

TEST(DeferredStores, AreInOrderWhateverThatOfTheWarpsIs) {
  for (uint64_t order = 0; order <= 8; ++order)
    EXPECT_EQ(finding_of(kernel_of({}), order), "") << order;
}

/// The first four iterations are written out, each with a chunk of the last turn's results. No
/// element is stored twice: nobody waits until stores are written.
TEST(DeferredStores, StandInTheFirstIterations) {
  const std::string text = to_string(kernel_of({}));
  EXPECT_THAT(text, HasSubstr(R"(
        if (i.0_j.0.0 >= 1) {
          wait_stores 0
          barrier @warp
          for D.reg_2.0.1.3 in 0..8 @unroll {
            D.shared[)"));
  EXPECT_THAT(text, HasSubstr("reduce k.0 in 0..(K + 15) / 16 - 4 {"));
  EXPECT_THAT(text, Not(HasSubstr("wait_stores_written")));
}

TEST(DeferredStores, MistakesAreFound) {
  const KernelFunction kernel = kernel_of({});
  const auto found = [&](int n, Change* change) {
    return finding_of(with_mistake(kernel, n, change));
  };
  for (int n = 0; n < 4; ++n) {
    EXPECT_THAT(found(n, dropped<is<op::wait_stores>>), HasSubstr("D.shared[")) << n;
    EXPECT_THAT(found(n, dropped<is<op::fence_engine>>), HasSubstr("D.shared[")) << n;
  }
  for (int n = 0; n < 8; ++n)
    EXPECT_THAT(found(n, dropped<is<op::barrier_of_warp>>), HasSubstr("D.shared[")) << n;
}

}  // namespace deferred_stores_test
}  // namespace hone
