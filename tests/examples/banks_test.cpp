// Bank conflicts as the layout and the indices tell them, against those that the simulated device
// counts: every rung that has shared memory.
#include "ir/memory/banks.h"

#include <gtest/gtest.h>

#include <map>

#include "codegen/lower.h"
#include "ir/interpret/interpreter.h"
#include "runtime/sim/count/count.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace banks_test {

/// Small sizes that stick out of every tile.
Sizes small_sizes(const Ladder& ladder) {
  static const Sizes all = {{"C", 3},     {"H", 11},       {"K", 35},    {"M", 37},
                            {"N", 43},    {"O", 5},        {"W", 35},    {"n", 300},
                            {"batch", 2}, {"threads", 64}, {"tiles", 2}, {"groups", 3}};
  Sizes sizes;
  for (const auto& [name, size] : ladder.sizes) sizes[name] = all.at(name);
  return sizes;
}

/// Wavefronts of the loads and of the stores of each shared tensor, of so many bytes.
using Wavefronts = std::map<std::tuple<std::string, bool, int64_t>, int64_t>;

Wavefronts counted(const CountReport& report) {
  Wavefronts result;
  for (const AccessReport& access : report.accesses) {
    const bool writes = access.access_class == AccessClass::shared_store;
    if (!writes && access.access_class != AccessClass::shared_load) continue;
    if (access.counts.requests == 0) continue;
    result[{access.tensor->name, writes, access.width * size_of(access.tensor->type)}] +=
        access.counts.wavefronts;
  }
  return result;
}

/// Nothing where an index is made of data.
std::optional<Wavefronts> predicted(const KernelFunction& kernel, const Sizes& sizes) {
  const auto numbers = [&](const std::array<Expr, 3>& extents) {
    return std::array<int64_t, 3>{evaluate(extents[0], sizes), evaluate(extents[1], sizes),
                                  evaluate(extents[2], sizes)};
  };
  BlockOfThreads block{numbers(kernel.block), {}, sizes};
  const auto grid = numbers(kernel.grid);
  Wavefronts result;
  auto& [x, y, z] = block.place;
  for (z = 0; z < grid[2]; ++z)
    for (y = 0; y < grid[1]; ++y)
      for (x = 0; x < grid[0]; ++x) {
        const auto accesses = access_banks(kernel.body, block);
        if (!accesses) return std::nullopt;
        for (const AccessBanks& access : *accesses)
          result[{access.tensor->name, access.writes, access.bytes}] += access.counts.wavefronts;
      }
  return result;
}

class Banks : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, Banks, testing::ValuesIn(gpu_rungs()), test_name);

std::string text_of(const Wavefronts& wavefronts) {
  std::string text;
  for (const auto& [key, count] : wavefronts)
    text += fmt::format("{} {} {}: {}\n", std::get<0>(key), std::get<1>(key) ? "stores" : "loads",
                        std::get<2>(key), count);
  return text;
}

TEST_P(Banks, AreThoseThatTheDeviceCounts) {
  const auto& [ladder, rung] = GetParam();
  const Function program = Schedule(ladder.program({})).function();
  const Sizes sizes = with_pitches(program, small_sizes(ladder));
  const Module module = lower(rung.build({}, sizes));
  const Problem problem = make_problem(program, sizes, {}, 17);
  run_kernels(module, problem,
              [&](size_t number, const Sizes& known, llvm::ArrayRef<SimArgument> arguments) {
                const KernelFunction& kernel = module.kernels[number];
                const auto expected = counted(count(kernel, known, arguments));
                const auto wavefronts = predicted(kernel, known);
                ASSERT_TRUE(wavefronts) << to_string(kernel);
                EXPECT_EQ(text_of(*wavefronts), text_of(expected)) << to_string(kernel);
              });
}

// ---- Computed swizzles --------------------------------------------------------------------------

Schedule transpose(const char* rung) {
  const Ladder ladder = transpose_ladder();
  const auto found = llvm::find_if(ladder.rungs, [&](const Rung& r) { return r.name == rung; });
  return found->build({}, ladder.sizes);
}

/// Of shared memory, in a transposition of 128 x 128 elements.
MemoryCounts shared_counts(const Schedule& s) {
  const Sizes sizes = {{"M", 128}, {"N", 128}};
  const Module module = lower(s);
  const Problem problem =
      make_problem(Schedule(transpose_ladder().program({})).function(), sizes, {}, 17);
  MemoryCounts counts;
  run_kernels(module, problem,
              [&](size_t number, const Sizes& known, llvm::ArrayRef<SimArgument> arguments) {
                counts += count(module.kernels[number], known, arguments).shared();
              });
  return counts;
}

TEST(ComputedSwizzle, IsAsGoodAsTheOneMadeByHand) {
  Schedule s = transpose("tiled");
  const MemoryCounts before = shared_counts(s);
  s.swizzle(s.tensor("A.shared"));
  EXPECT_EQ(s.trace().back().text,
            "s.layout(A_shared, Layout().swizzle({.chunk = 1, .period = 32, .rows = 1}));");
  const MemoryCounts after = shared_counts(s), by_hand = shared_counts(transpose("swizzled"));
  EXPECT_EQ(after.wavefronts, by_hand.wavefronts);
  EXPECT_EQ(after.bank_conflicts(), 0);
  EXPECT_GT(before.wavefronts, 10 * after.wavefronts);
}

TEST(ComputedSwizzle, KeepsTheVectorsOfMicroTiles) {
  for (const char* rung : {"vectorized", "tile-64", "lanes-16x2"}) {
    const Schedule by_hand = transpose(rung);
    Schedule s = by_hand;
    s.layout(s.tensor("A.shared"), Layout::column_major());
    s.swizzle(s.tensor("A.shared"));
    const MemoryCounts found = shared_counts(s), wanted = shared_counts(by_hand);
    EXPECT_LE(found.wavefronts, wanted.wavefronts) << s.trace().back().text;
    EXPECT_EQ(found.requests, wanted.requests) << s.trace().back().text;
  }
}

}  // namespace banks_test
}  // namespace hone
