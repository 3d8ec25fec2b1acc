// Ways to combine, one inside another, and over elements that updates choose: each is refused, or
// computes what the loops mean.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/core/error.h"
#include "tests/support/random/combined_runs.h"

namespace hone {
namespace combine_strategies_test {

constexpr Combine::Method thread_methods[] = {
    Combine::interleaved_modulo, Combine::interleaved_strided,
    Combine::sequential,         Combine::shuffle,
    Combine::two_level,          Combine::atomic};
constexpr Combine::Method block_methods[] = {Combine::atomic, Combine::last_block};

/// True if a step or lowering refuses the schedule. An accepted schedule has to be right.
bool is_refused(const Program& program, const Steps& steps, llvm::ArrayRef<int64_t> lengths) {
  try {
    expect_right(program, steps, lengths);
    return false;
  } catch (const ScheduleError&) {
    return true;
  }
}

struct Histogram {
  Param N{"N"};
  Tensor bin{"bin", i32, {N}}, H{"H", f32, {8}};
  ReduceAxis k{"k", N};
  Program program{"histogram", H(bin(k)) = sum(k, cast(f32, 1))};
};

TEST(CombineStrategies, TreesAreNotForElementsThatUpdatesChoose) {
  const Histogram p;
  for (const Combine::Method method : thread_methods) {
    const bool refused = is_refused(
        p.program, [&](Schedule& s) { s.bind(s.split(p.k, 32)[1], thread.x, method); }, {8, 100});
    EXPECT_EQ(refused, method != Combine::atomic) << to_string(Combine{method});
  }
}

TEST(CombineStrategies, TheLastBlockCombinesElementsThatUpdatesChoose) {
  const Histogram p;
  expect_right(p.program,
               [&](Schedule& s) { s.bind(s.split(p.k, 8)[0], block.x, Combine::last_block); },
               {0, 1, 8, 100});
  expect_right(p.program, [&](Schedule& s) { s.bind(p.k, block.x, Combine::last_block); },
               {0, 1, 8, 100});
  expect_right(p.program,
               [&](Schedule& s) {
                 auto [chunk, element] = s.split(p.k, 32);
                 s.bind(chunk, block.x, Combine::last_block);
                 s.bind(element, thread.x, Combine::atomic);
               },
               {0, 1, 31, 33, 100});
}

TEST(CombineStrategies, TheLastBlockCombinesRowsOfElementsThatUpdatesChoose) {
  Param N("N");
  Tensor bin("bin", i32, {3, N}), H("H", i32, {3, 8});
  Axis i("i", 3);
  ReduceAxis k("k", N);
  const Program program("histograms", H(i, bin(i, k)) = sum(k, 1));
  for (const bool is_grid : {false, true})
    expect_right(program,
                 [&](Schedule& s) {
                   s.reorder({k, i});
                   s.bind(k, block.x, Combine::last_block);
                   s.bind(i, is_grid ? block.y : thread.x);
                 },
                 {1, 5, 20});
}

// ---- Guards -------------------------------------------------------------------------------------

TEST(CombineStrategies, ABlockThatAGuardLeavesIdleHasNothing) {
  const Total p;
  expect_right(p.program,
               [&](Schedule& s) {
                 auto [o, i] = s.split(p.k, 8);
                 s.bind(s.fuse(o, i), block.x, Combine::last_block);
               },
               {0, 1, 7, 100});
  expect_right(p.program,
               [&](Schedule& s) {
                 auto [o, i] = s.split(p.k, 7);
                 auto [oo, oi] = s.split(o, 3);
                 const Axis blocks = s.fuse(oo, oi);
                 s.bind(blocks, block.x, Combine::last_block);
                 s.cache_registers(p.S, blocks);
               },
               {1, 8, 21, 100});
  expect_right(p.program,
               [&](Schedule& s) {
                 auto [o, i] = s.split(p.k, 64);
                 auto [oo, oi] = s.split(o, 3);
                 s.bind(s.fuse(oo, oi), block.x, Combine::last_block);
                 s.bind(i, thread.x, Combine::two_level);
               },
               {1, 64, 65, 1000});
}

TEST(CombineStrategies, ABlockMayUpdateItsResultMoreThanOnce) {
  const Total p;
  expect_right(p.program,
               [&](Schedule& s) { s.bind(s.split(p.k, 8)[0], block.x, Combine::last_block); },
               {0, 1, 8, 100});
  expect_right(p.program,
               [&](Schedule& s) {
                 auto [chunk, part] = s.split(p.k, 64);
                 auto [turn, lane] = s.split(part, 16);
                 s.bind(chunk, block.x, Combine::last_block);
                 s.bind(lane, thread.x, Combine::shuffle);
               },
               {0, 1, 64, 1000});
  Tensor B("B", f32, {12}), T("T", f32, {});
  ReduceAxis m("m", 12);
  expect_right(Program("total", T() = sum(m, B(m))),
               [&](Schedule& s) {
                 auto [chunk, part] = s.split(m, 3);
                 s.bind(chunk, block.x, Combine::last_block);
                 s.write_out(part);
               },
               {1});
}

TEST(CombineStrategies, StatementsWrittenOutUpdateTheElementOfTheirBlock) {
  Tensor A("A", f32, {5, 12}), B("B", f32, {12, 3}), C("C", f32, {5, 3});
  Axis i("i", 5), j("j", 3);
  ReduceAxis k("k", 12);
  const Program program("product", C(i, j) = sum(k, A(i, k) * B(k, j)));
  for (const bool writes_out_first : {false, true})
    expect_right(program,
                 [&](Schedule& s) {
                   auto [chunk, part] = s.split(k, 4);
                   auto [half, element] = s.split(part, 2);
                   s.reorder({chunk, i, j, element, half});
                   if (writes_out_first) s.write_out(half);
                   s.bind(chunk, block.y, Combine::last_block);
                   s.bind(i, block.x);
                   if (!writes_out_first) s.write_out(half);
                 },
                 {1});
}

TEST(CombineStrategies, ABlockHasPartsOfElementsThatExistAlone) {
  Tensor A("A", f32, {7}), T("T", f32, {});
  ReduceAxis k("k", 7);
  expect_right(Program("total", T() = sum(k, A(k))),
               [&](Schedule& s) {
                 auto [many, few] = s.tile({k}, {2});
                 auto [factored, of_rf, of_sum] = s.rfactor(T, many);
                 auto [outer, inner] = s.split(of_rf, 3);
                 s.reorder({few, outer, inner});
                 s.bind(few, block.x, Combine::last_block);
               },
               {1});
}

TEST(CombineStrategies, ElementsThatNoBlockUpdatesAreSetAnyway) {
  Tensor A("A", f32, {3, 1, 4}), at("bin", i32, {1}), C("C", f32, {3, 8});
  Axis i("i", 3);
  ReduceAxis k("k", 1), m("m", 4);
  expect_right(Program("rows", C(i, at(k)) = sum({k, m}, A(i, k, m))),
               [&](Schedule& s) {
                 s.fission(i);
                 s.write_out(k);
                 s.bind(s.axis("i.1"), block.x);
                 s.bind(m, block.y, Combine::last_block);
               },
               {1});
}

/// Two tiles have every second element each, and what lies between is set up once all the same.
TEST(CombineStrategies, ElementsThatTilesShareAreSummedOnce) {
  Tensor A("A", f32, {4, 3}), C("C", f32, {4});
  Axis i("i", 4);
  ReduceAxis k("k", 3);
  expect_right(Program("rows", C(i) = sum(k, A(i, k))),
               [&](Schedule& s) {
                 auto [outer, inner] = s.split(i, 2);
                 s.reorder({k, inner, outer});
                 s.bind(k, block.x, Combine::last_block);
                 s.cache_shared(C, inner);
               },
               {1});
}

TEST(CombineStrategies, ElementsBeyondATileAreSetAnyway) {
  Tensor A("A", f32, {3, 2}), C("C", f32, {3});
  ReduceAxis k("k", 3), m("m", 2);
  expect_right(Program("squares", C((m * m) % 3) = sum({k, m}, A(k, m))),
               [&](Schedule& s) {
                 s.bind(k, block.x, Combine::last_block);
                 s.cache_shared(C, k);
               },
               {1});
}

// ---- One inside another -------------------------------------------------------------------------

/// Sums of rows over two axes.
struct Rows {
  Tensor A{"A", f32, {8, 6, 32}}, S{"S", f32, {8}};
  Axis i{"i", 8};
  ReduceAxis a{"a", 6}, b{"b", 32};
  Program program{"rows", S(i) = sum({a, b}, A(i, a, b))};
};

TEST(CombineStrategies, EveryWayInsideEveryOtherIsRefusedOrRight) {
  const Rows p;
  int accepted = 0;
  for (const Combine::Method outer : thread_methods)
    for (const Combine::Method inner : thread_methods)
      for (const bool outer_first : {true, false})
        for (const auto& [out, in] : {std::pair{thread.y, thread.x}, {thread.x, thread.y}}) {
          SCOPED_TRACE(fmt::format("{} on {} around {} on {}", to_string(Combine{outer}),
                                   to_string(out), to_string(Combine{inner}), to_string(in)));
          const auto steps = [&, out = out, in = in](Schedule& s) {
            if (outer_first) s.bind(p.a, out, outer);
            s.bind(p.b, in, inner);
            if (!outer_first) s.bind(p.a, out, outer);
          };
          accepted += !is_refused(p.program, steps, {1});
        }
  EXPECT_EQ(accepted, 68);
}

TEST(CombineStrategies, EveryWayOfThreadsInsideOfEveryWayOfBlocks) {
  const Rows p;
  for (const Combine::Method outer : block_methods)
    for (const Combine::Method inner : thread_methods)
      for (const bool outer_first : {true, false})
        expect_right(p.program,
                     [&](Schedule& s) {
                       s.reorder({p.a, p.i, p.b});
                       if (outer_first) s.bind(p.a, block.x, outer);
                       s.bind(p.b, thread.x, inner);
                       if (!outer_first) s.bind(p.a, block.x, outer);
                     },
                     {1});
}

/// All threads of a block share out anew what fills a tile of theirs: they have one tree together.
TEST(CombineStrategies, EveryWayToFillATileInsideItsThreadsIsRefusedOrRight) {
  int accepted = 0;
  for (const int64_t count : {2, 5, 32, 64})
    for (const Binding& threads : {thread.x, thread.y, warp, lane, warpgroup})
      for (const Combine::Method method : thread_methods) {
        SCOPED_TRACE(
            fmt::format("{} on {} of {}", to_string(Combine{method}), to_string(threads), count));
        Tensor A("A", f32, {3, count}), S("S", f32, {3}), C("C", f32, {3, 64});
        Axis i("i", 3), l("l", 3), o("o", 64);
        ReduceAxis k("k", count);
        const Program program("tile", S(i) = sum(k, A(i, k)), C(l, o) = S(l));
        accepted += !is_refused(program,
                                [&](Schedule& s) {
                                  s.compute_at(S, o, {.scope = Scope::shared});
                                  s.bind(o, thread.x);
                                  s.bind(k, threads, method);
                                },
                                {1});
      }
  EXPECT_EQ(accepted, 59);
}

/// A tree over one iteration is a tree.
TEST(CombineStrategies, AtomicUpdatesInsideATreeOverOneIterationAreRefused) {
  Param N("N");
  Tensor V("V", f32, {3, 1, 2, N}), T("T", f32, {3, N});
  Axis p("p", 3), n("n", N);
  ReduceAxis r("r", 1), t("t", 2);
  const Program program("sums", T(p, n) = sum({r, t}, V(p, r, t, n)));
  for (const Combine::Method method : thread_methods) {
    const bool refused = is_refused(program,
                                    [&](Schedule& s) {
                                      s.bind(r, thread.x, method);
                                      s.bind(t, thread.z, Combine::atomic);
                                    },
                                    {5});
    EXPECT_EQ(refused, method != Combine::atomic) << to_string(Combine{method});
  }
}

TEST(CombineStrategies, TheLastBlockTakesVectors) {
  Tensor A("A", f32, {5, 8}), C("C", f32, {8});
  Axis i("i", 8);
  ReduceAxis k("k", 5);
  const Program program("columns", C(i) = sum(k, A(k, i)));
  for (const bool one_result : {true, false})
    expect_right(program,
                 [&](Schedule& s) {
                   auto [io, iv] = s.split(i, 4);
                   auto [ko, ki] = s.split(k, one_result ? 1 : 2);
                   s.reorder({ko, ki, io, iv});
                   s.vectorize(iv);
                   s.bind(ko, block.x, Combine::last_block);
                 },
                 {1});
}

// ---- Tiles --------------------------------------------------------------------------------------

/// Any three cache steps, with the binding before, between or after them.
TEST(CombineStrategies, TilesOfAScatterAreRefusedOrRight) {
  Tensor bin("bin", i32, {40}), H("H", f32, {8});
  ReduceAxis k("k", 40);
  const Program program("histogram", H(bin(k)) = sum(k, cast(f32, 1)));
  const std::pair<Binding, Combine::Method> bindings[] = {
      {thread.x, Combine::atomic}, {block.x, Combine::atomic}, {block.x, Combine::last_block}};
  int accepted = 0;
  for (const auto& [binding, method] : bindings)
    for (int caches = 0; caches < 27; ++caches)
      for (int position = 0; position < 4; ++position) {
        SCOPED_TRACE(fmt::format("{} on {}, caches {}, bound after {}", to_string(Combine{method}),
                                 to_string(binding), caches, position));
        accepted += !is_refused(program,
                                [&, binding = binding, method = method](Schedule& s) {
                                  int rest = caches;
                                  for (int step = 0; step < 4; ++step) {
                                    if (step == position) s.bind(k, binding, method);
                                    if (step == 3) return;
                                    if (rest % 3 == 0) s.cache_registers(H, k);
                                    if (rest % 3 == 1) s.cache_shared(H, k);
                                    if (rest % 3 == 2) s.cache_registers(bin, k);
                                    rest /= 3;
                                  }
                                },
                                {1});
      }
  EXPECT_EQ(accepted, 59);
}

/// Each thread has another row in its register: the tile holds all rows.
TEST(CombineStrategies, ATileIsNotPlacedByARegister) {
  Tensor bin("bin", i32, {32}), E("E", f32, {8, 3}), C("C", f32, {32});
  Axis t("t", 32);
  ReduceAxis k("k", 3);
  const Program program("lookup", C(t) = sum(k, E(bin(t), k)));
  for (const bool at_thread : {false, true})
    expect_right(program,
                 [&](Schedule& s) {
                   s.bind(t, thread.x);
                   s.cache_registers(bin, t);
                   s.cache_shared(E, at_thread ? t : Axis(k));
                 },
                 {1});
}

/// Values that iterations read into registers of their own do not tell their elements apart.
TEST(CombineStrategies, ElementsBesideARegisterMayBeTheSame) {
  Tensor bin("bin", i32, {32}), H("H", f32, {64});
  ReduceAxis k("k", 32);
  const Program program("shifted", H(cast(DType::index, bin(k)) + k) = sum(k, cast(f32, 1)));
  for (const auto& [binding, method] :
       {std::pair{thread.x, Combine::atomic}, {block.x, Combine::last_block}})
    expect_right(program,
                 [&, binding = binding, method = method](Schedule& s) {
                   s.cache_registers(bin, k);
                   s.bind(k, binding, method);
                 },
                 {1});
}

}  // namespace combine_strategies_test
}  // namespace hone
