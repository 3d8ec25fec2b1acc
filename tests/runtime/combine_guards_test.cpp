// Blocks and threads that combine under guards, and elements whose index is computed or read there.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace combine_guards_test {

/// The schedule computes what the program means, without a finding. Tensors of integers hold 0.
void expect_right(const Program& program, const Schedule& s, const Sizes& sizes) {
  Buffers inputs = random_buffers(program.function(), sizes, 3);
  for (auto& [name, buffer] : inputs)
    if (buffer.type == i32) fill_with(buffer, [] { return 0; });
  expect_as_meant(program, s, sizes, inputs);
  EXPECT_EQ(texts_of(check_kernels(lower(s.function()), sizes, {}, inputs)), "");
}

/// Blocks that the guard leaves idle arrive, too.
TEST(CombineGuards, StandInsideOfAllBlocks) {
  const Param N("N");
  const Axis i("i", N);
  const ReduceAxis k("k", 3);
  const Tensor A("A", f32, {N, 3}), C("C", f32, {N});
  const Program program("rows", C(i) = sum(k, A(i, k)));
  Schedule s(program);
  s.reorder({k, i});
  const auto [k_0, k_1] = s.split(k, 2);
  s.bind(s.fuse(k_0, k_1), block.y, Combine::last_block);
  s.bind(i, block.x);
  for (const int64_t n : {0, 1, 4, 5}) expect_right(program, s, {{"N", n}});
}

/// Elements that no iteration comes to are set up by a nest of their own.
TEST(CombineGuards, TheLastBlockSetsUpNoComputedIndices) {
  const Param N("N");
  const ReduceAxis k("k", 3), m("m", N);
  const Tensor A("A", f32, {3, N}), C("C", f32, {2});
  const Program program("parities", C(m * m % 2) = sum({k, m}, A(k, m)));
  Schedule s(program);
  const auto [k_0, k_1] = s.split(k, 2);
  const auto [C_rf, m_rf, m_C] = s.rfactor(C, m);
  s.reorder({k_0, k_1, m_rf});
  s.bind(k_0, block.y, Combine::last_block);
  for (const int64_t n : {0, 1, 2, 5}) expect_right(program, s, {{"N", n}});
}

/// The element is read under the guard, by a register or a tile, and added to under it.
TEST(CombineGuards, HoldForElementsThatAreRead) {
  const ReduceAxis k("k", 5);
  const Tensor A("A", f32, {5}), B("B", i32, {5}), C("C", f32, {1});
  const Program program("chosen", C(B(k)) = sum(k, A(k)));
  for (const Combine::Method method : {Combine::two_level, Combine::atomic, Combine::shuffle,
                                       Combine::sequential, Combine::interleaved_modulo})
    for (const int64_t threads : {1, 2}) {
      Schedule s(program);
      const auto [k_0, k_1] = s.split(k, 2);
      const auto [k_0_0, k_0_1] = s.split(k_0, 4 / threads);
      s.reorder({k_1, k_0_1, k_0_0});
      try {
        s.cache_registers(B, k_0_1);
        s.bind(k_0_0, thread.x, method);
      } catch (const ScheduleError&) {
        EXPECT_EQ(threads, 2);
        continue;
      }
      expect_right(program, s, {});
    }
}

/// Rows of threads and blocks of a cluster beyond the last row combine nothing in registers, where
/// nothing was set.
TEST(CombineGuards, HoldForRegistersOfRowsThatThereAreNot) {
  const Axis i("i", 3);
  const ReduceAxis k("k", 130);
  const Tensor A("A", f32, {3, 130}), T("T", f32, {3}), C("C", f32, {3});
  const Program program("rows", {T(i) = sum(k, A(i, k)), C(i) = T(i) * 2});
  for (const Binding& dim : {thread.y, cluster.x, block.x})
    for (const Combine::Method method :
         {Combine::two_level, Combine::sequential, Combine::interleaved_modulo, Combine::shuffle})
      for (const int64_t threads : {32, 64, 96}) {
        Schedule s(program);
        const Axis row = s.axis("i.C");
        s.compute_at(T, row, {.scope = Scope::registers});
        const auto [k_0, k_1] = s.split(k, threads);
        const auto [row_0, row_1] = s.split_into(row, 2);
        s.bind(row_0, dim);
        if (method == Combine::shuffle && threads > 32) continue;
        s.bind(k_1, thread.x, method);
        SCOPED_TRACE(s.trace_text());
        expect_right(program, s, {});
      }
}

/// A guard of the rows goes into the loops with one of the columns, and says which elements exist.
TEST(CombineGuards, HoldForElementsAlsoAsPartOfOthers) {
  const Axis i("i", 9);
  const ReduceAxis k("k", 8);
  const Tensor A("A", f32, {9, 8}), S("S", f32, {9});
  const Program program("least", S(i) = min(k, A(i, k)));
  Schedule s(program);
  const auto [i_0, i_1] = s.split(i, 2);
  const auto [k_0, k_1] = s.split(k, 4, {.tail = Tail::pad});
  const auto [k_0_0, k_0_1] = s.split(k_0, 4);
  s.bind(i_1, thread.x);
  s.bind(k_0_0, thread.y, Combine::interleaved_modulo);
  s.bind(k_1, thread.z, Combine::sequential);
  s.cache_registers(S, i_1);
  expect_right(program, s, {});
}

/// A loop around the one whose barrier goes to its start stays.
TEST(CombineGuards, StayInsideOfAllLoopsWhereABarrierMoves) {
  const Param N("N");
  const Axis i("i", N), j("j", 3);
  const ReduceAxis k("k", 2);
  const Tensor A("A", f32, {N, 2}), B("B", f32, {2, 3}), C("C", f32, {N, 3});
  const Program program("product", C(i, j) = sum(k, A(i, k) * B(k, j)));
  for (const int64_t parts : {1, 2, 3}) {
    Schedule s(program);
    s.cache_shared(B, i);
    s.bind(k, thread.x, Combine::interleaved_modulo);
    s.split_into(j, parts);
    for (const int64_t n : {0, 1, 4}) expect_right(program, s, {{"N", n}});
  }
}

/// Two kernels of one program count their blocks apart.
TEST(CombineGuards, EveryLastBlockHasItsOwnCount) {
  const Axis i("i", 17);
  const ReduceAxis k("k", 3);
  const Tensor A("A", f32, {17, 3}), T("T", f32, {17}), C("C", f32, {17});
  const Program program("twice", T(i) = sum(k, A(i, k)), C(i) = T(i) * 2);
  Schedule s(program);
  const auto [i_0, i_1] = s.split_into(i, 3, {.tail = Tail::peel});
  s.reorder({k, i_1, i_0});
  s.fission(s.axis("i.tail"));
  s.bind(s.axis("i.tail.1"), block.x);
  s.bind(s.axis("k.tail"), block.y, Combine::last_block);
  s.bind(k, block.x, Combine::last_block);
  expect_right(program, s, {});
  llvm::StringSet<> names;
  for (const TensorPtr& tensor : lower(s.function()).counters)
    EXPECT_TRUE(names.insert(tensor->name).second) << tensor->name;
  EXPECT_EQ(names.size(), 2U);
}

/// A condition on elements that nobody writes may be evaluated by every thread that combines.
TEST(CombineGuards, AroundAnExchangeMayReadElements) {
  const Axis i("i", 5), row("row", 3);
  const ReduceAxis k("k", 7);
  const Tensor A("A", f32, {3, 7}), D("D", i32, {5}), T("T", f32, {3}), C("C", f32, {5});
  const Program program("chosen", T(row) = sum(k, A(row, k)), C(i) = T(D(i)));
  for (const Combine::Method method : {Combine::interleaved_modulo, Combine::sequential}) {
    Schedule s(program);
    s.compute_at(T, i, {.scope = Scope::registers});
    s.bind(i, thread.z);
    s.bind(k, thread.x, method);
    expect_right(program, s, {});
    Buffers inputs = random_buffers(program.function(), {}, 3);
    fill_with(inputs.at("D"), [n = 0]() mutable { return n++ % 3; });
    expect_as_meant(program, s, {}, inputs);
  }
}

}  // namespace combine_guards_test
}  // namespace hone
