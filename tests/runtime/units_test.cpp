// Loops over lanes and warps, run on the devices: lane maps, fragments, sums over lanes.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/sim/check/check.h"
#include "tests/support/codegen/mutants.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/interpreted.h"
#include "tests/support/runtime/lane_maps.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace units_test {

void expect_at(const Program& program, const Schedule& schedule, const Sizes& sizes) {
  expect_as_meant(program, schedule, sizes, random_buffers(program.function(), sizes, 5));
}

TEST(Units, ALaneMapOfAMatrixProduct) {
  const auto [program, s] = product_by_lanes();
  for (const auto& [m, n, depth] :
       {std::tuple(1, 1, 1), {67, 261, 19}, {64, 256, 16}, {63, 255, 7}})
    expect_at(program, s, {{"M", m}, {"N", n}, {"K", depth}});
}

TEST(Units, AFragmentWithTheLargestOfItsRows) {
  const auto [program, s] = fragment_by_lanes();
  for (const int64_t rows : {1, 15, 16, 17, 64}) expect_at(program, s, {{"R", rows}});
}

TEST(Units, SumsOverLanes) {
  for (const Combine& combine : {Combine{Combine::shuffle}, Combine{Combine::sequential},
                                 Combine{Combine::atomic}, Combine{Combine::interleaved_strided}})
    for (const bool are_neighbours : {true, false}) {
      const auto [program, s] = sums_by_lanes(combine, are_neighbours);
      for (const int64_t m : {1, 7, 8, 13})
        for (const int64_t n : {1, 8, 31, 33}) expect_at(program, s, {{"M", m}, {"N", n}});
    }
}

// ---- Mistakes -----------------------------------------------------------------------------------

/// A kernel with its data.
struct Launch {
  KernelFunction kernel;
  Sizes sizes;
  Buffers buffers;

  std::vector<SimArgument> arguments() {
    std::vector<SimArgument> arguments;
    for (const TensorPtr& tensor : kernel.arguments) {
      Buffer& buffer = buffers.at(tensor->name);
      arguments.push_back({tensor->name, buffer.bytes.data(), buffer.size()});
    }
    return arguments;
  }
};

/// The elements after a run; nothing where it fails.
std::optional<Buffers> results_of(Launch launch) {
  try {
    SimKernel(launch.kernel).run(launch.sizes, launch.arguments(), {.step_budget = 1 << 20});
  } catch (const SimError&) {
    return std::nullopt;
  }
  return launch.buffers;
}

bool has_findings(Launch launch) {
  CheckOptions options;
  options.step_budget = 1 << 20;
  return !check(launch.kernel, launch.sizes, launch.arguments(), options).findings.empty();
}

bool are_equal(const Buffers& lhs, const Buffers& rhs) {
  return llvm::all_of(
      lhs, [&](const auto& named) { return named.second.bytes == rhs.at(named.first).bytes; });
}

/// Each mistake in the lane map of the kernel ends the run, is found by check mode, or
/// has other results.
void expect_mistakes_found(const LaneMap& map, const Sizes& sizes, size_t at_least) {
  const Function& function = map.schedule.function();
  const Launch right = {lower(function).kernels.front(), sizes, random_buffers(function, sizes, 7)};
  const auto expected = results_of(right);
  ASSERT_TRUE(expected);
  const auto mutants = lane_map_mutants_of(right.kernel);
  EXPECT_GE(mutants.size(), at_least) << to_string(right.kernel);
  for (const Mutant& mutant : mutants) {
    Launch wrong = right;
    wrong.kernel = mutant.kernel;
    const auto results = results_of(wrong);
    EXPECT_TRUE(!results || has_findings(wrong) || !are_equal(*results, *expected))
        << mutant.mistake << " is not found in\n"
        << to_string(mutant.kernel);
  }
}

TEST(Units, MistakesInLaneMapsAreFound) {
  expect_mistakes_found(product_by_lanes(), {{"M", 67}, {"N", 261}, {"K", 19}}, 20);
  expect_mistakes_found(fragment_by_lanes(), {{"R", 17}}, 8);
  expect_mistakes_found(sums_by_lanes({Combine::shuffle}, true), {{"M", 13}, {"N", 33}}, 12);
  expect_mistakes_found(sums_by_lanes({Combine::shuffle}, false), {{"M", 13}, {"N", 33}}, 12);
}

// ---- Digits and tiles ---------------------------------------------------------------------------

/// Digits of a dimension need not be those of a lane: 4 x 9 threads, of which no row is in one
/// warp.
TEST(Units, DigitsThatDoNotDivideAWarp) {
  const Param N("N");
  const ReduceAxis k("k", N);
  const Tensor A("A", f32, {N}), S("S", f32, {});
  const Program program("total", S() = sum(k, A(k)));
  for (const Combine& combine : {Combine{Combine::sequential}, Combine{Combine::atomic},
                                 Combine{Combine::interleaved_modulo, true}}) {
    Schedule s(program);
    auto [turn, part] = s.split(k, 36);
    auto [row, column] = s.split(part, 9);
    s.reorder({row, column, turn});
    s.bind({row, column}, thread.x, combine);
    for (const int64_t n : {1, 31, 36, 37}) expect_at(program, s, {{"N", n}});
  }
}

/// A vector in registers that lie with thread.y and thread.x along its one dimension.
TEST(Units, RegistersAlongTwoDimensionsOfThreads) {
  const Param N("N");
  const Axis i("i", N), j("j", 32);
  const Tensor A("A", f32, {32}), C("C", f32, {N, 32});
  const Program program("rows", C(i, j) = A(j) * 2.0f);
  Schedule s(program);
  auto [b, row] = s.split(s.axis(C, i), 4);
  auto [y, x] = s.split(s.axis(C, j), 8);
  s.reorder({b, y, x, row});
  s.bind(b, block.x);
  s.bind(y, thread.y);
  s.bind(x, thread.x);
  s.cache_registers(A, b);
  for (const int64_t n : {1, 3, 4, 5, 9}) expect_at(program, s, {{"N", n}});
}

/// Each warp fills its own rows of a tile that the block shares.
TEST(Units, WarpsFillTheirPartsOfATile) {
  const Param M("M");
  const Axis i("i", M), j("j", 32);
  const Tensor A("A", f32, {M, 32}), C("C", f32, {M, 32});
  const Program program("reversed", C(i, j) = A(i, 31 - j));
  Schedule s(program);
  auto [b, rest] = s.split(i, 16);
  auto [w, row] = s.split(rest, 4);
  s.bind(b, block.x);
  const Cache tile = s.cache_shared(A, b);
  s.bind(w, warp);
  s.bind(j, lane);
  for (const int64_t m : {1, 15, 16, 33}) expect_at(program, s, {{"M", m}});
}

/// A thread has runs at two distances: two rows of each 64, of which a warp has 16.
TEST(Units, RegistersThatWarpsAndThenLanesShare) {
  for (const int64_t rows : {1, 16, 64, 100, 128})
    expect_as_interpreted(parse_function(fmt::format(R"(func f(A: i32[{0}, 4], C: i32[{0}, 4]) {{
      alloc R: i32[128, 4] @registers
      copy R[0 .. +128, 0 .. +4] <- A[0 .. +128, 0 .. +4]
      for o in 0..2 @unroll {{ for w in 0..4 @warp {{ for u in 0..2 @unroll {{
        for l in 0..8 @lane(4) {{ for j in 0..4 @lane {{
          R[o*64 + w*16 + u*8 + l, j] *= 3i32
        }} }}
      }} }} }}
      copy C[0 .. +128, 0 .. +4] <- R[0 .. +128, 0 .. +4]
    }})",
                                                     rows)),
                          {});
}

}  // namespace units_test
}  // namespace hone
