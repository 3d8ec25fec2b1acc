// Blocks in which the loop that is bound to threads is empty, while another part has work.
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "runtime/compile.h"
#include "tests/support/ir/run.h"
#include "tests/support/random/check_mode.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/interpreted.h"

namespace hone {
namespace empty_thread_loops_test {

/// One thread runs the tail, and fills no tile: nothing divides by the 0 threads of the loop.
TEST(EmptyThreadLoops, LeaveTheTailToOneThread) {
  const Param N("N"), M("M");
  const Axis i("i", N), j("j", M);
  const ReduceAxis m("m", 2);
  const Tensor A("A", f32, {N, M + 1}), B("B", f32, {2}), C("C", f32, {N, M});
  Schedule s(Program("rows", C(i, j) = sum(m, A(i, j + m) * B(m))));
  const auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {2, 2});
  const auto [j_0_0, j_0_1] = s.split(j_0, 2, {.tail = Tail::peel});
  s.bind(j_0_0, thread.x);
  s.cache_shared(B, j_1);
  for (const int64_t columns : {1, 2, 3, 4, 7, 9})
    expect_as_interpreted(s.function(), {{"N", 3}, {"M", columns}});
}

/// The loops of a copy depend on the number of threads, which is 0; they are not reached.
TEST(EmptyThreadLoops, AreNoReasonToDivideByNothing) {
  const Param N("N");
  const Axis i("i", N), j("j", 1);
  const ReduceAxis k("k", 4);
  const Tensor A("A", f32, {1, 4}), B("B", f32, {4}), C("C", f32, {N, 1});
  Schedule s(Program("rows", C(i, j) = sum(k, A(j, k) * B(k))));
  s.reorder({j, i});
  s.fission(i);
  const auto [i_0, k_0, i_1, k_1] = s.tile({s.axis("i.1"), k}, {2, 2});
  s.bind(s.axis("i.0"), thread.z);
  s.cache_shared(B, i_1);
  const Kernel kernel = compile(s, {.device = Device::simulated()});
  for (const int64_t rows : {0, 1, 2, 5}) {
    const Array<float> c({rows, 1});
    kernel(Array<float>({1, 2, 3, 4}, {1, 4}), Array<float>({5, 6, 7, 8}, {4}), c);
    EXPECT_EQ(c.to_vector(), std::vector<float>(rows, 70));
  }
}

/// Threads that a loop of one iteration has no work for go on with the sum.
TEST(EmptyThreadLoops, OfOneIterationSetTheRegistersOfAllThreads) {
  const Param N("N");
  const Axis i("i", 3), j("j", 1);
  const ReduceAxis k("k", N);
  const Tensor A("A", f32, {3, N}), C("C", f32, {3, 1});
  Schedule s(Program("rows", C(i, j) = sum(k, A(i, k))));
  s.fission(j);
  const auto [k_0, k_1] = s.split_into(k, 2);
  s.bind(k_0, thread.x, Combine::interleaved_strided);
  s.bind(s.axis("j.0"), thread.x);
  s.cache_registers(C, i);
  for (const int64_t length : {0, 1, 2, 5}) {
    expect_as_interpreted(s.function(), {{"N", length}});
    Buffers buffers = random_buffers(s.function(), {{"N", length}}, 1);
    EXPECT_EQ(texts_of(check_kernels(lower(s.function()), {{"N", length}}, {}, buffers)), "");
  }
}

TEST(EmptyThreadLoops, OfOneIterationSetTheElementsOfAllThreads) {
  const Axis i("i", 3), j("j", 4);
  const ReduceAxis k("k", 4);
  const Tensor A("A", f32, {3, 4}), B("B", f32, {4, 4}), D("D", i32, {4}), C("C", f32, {3, 4, 1});
  Schedule s(Program("product", C(i, j, D(k)) = sum(k, A(i, k) * B(k, j))));
  s.bind(s.axis("C.2.init"), thread.x);
  s.cache_registers(C, i);
  s.bind(k, thread.x, Combine::interleaved_strided);
  Buffers buffers = random_buffers(s.function(), {}, 1);
  fill_with(buffers.at("D"), [] { return 0; });
  EXPECT_EQ(texts_of(check_kernels(lower(s.function()), {}, {}, buffers)), "");
}

/// An element that a guard keeps from being read is not added to either.
TEST(EmptyThreadLoops, LeaveElementsThatDoNotExist) {
  const Axis i("i", 1);
  const ReduceAxis k("k", 1);
  const Tensor A("A", f32, {1}), C("C", f32, {1});
  Schedule s(Program("total", C(i) = sum(k, A(i))));
  const auto [i_0, i_1] = s.split(i, 2);
  const auto [k_0, k_1] = s.split(k, 2);
  s.reorder({i_1, k_0, k_1, i_0});
  s.cache_registers(C, k_0);
  s.bind(k_1, thread.x, Combine::shuffle);
  expect_as_interpreted(s.function(), {});
  Buffers buffers = random_buffers(s.function(), {}, 1);
  EXPECT_EQ(texts_of(check_kernels(lower(s.function()), {}, {}, buffers)), "");
}

/// All threads of a block fill a tile together, also the one that a block without work has.
TEST(EmptyThreadLoops, FillNoTile) {
  const Axis i("i", 2);
  const Param N("N");
  const Axis l("l", N);
  const ReduceAxis k("k", 3);
  const Tensor A("A", f32, {2}), B("B", f32, {2}), C("C", f32, {2, N});
  Schedule s(Program("rows", C(i, l) = sum(k, A(i) * B(i))));
  s.cache_shared(C, l);
  s.bind(l, thread.x);
  s.cache_registers(A, i);
  s.cache_registers(B, l);
  for (const int64_t n : {0, 1, 2, 33}) {
    const Sizes sizes = {{"N", n}};
    expect_as_interpreted(s.function(), sizes);
    Buffers buffers = random_buffers(s.function(), sizes, 1);
    EXPECT_EQ(texts_of(check_kernels(lower(s.function()), sizes, {}, buffers)), "") << n;
  }
}

}  // namespace empty_thread_loops_test
}  // namespace hone
