// Tiles under layouts of all kinds: kernels compute the same, and one access by another layout than
// the rest shows.

#include <gtest/gtest.h>

#include <map>

#include "codegen/lower.h"
#include "ir/memory/banks.h"
#include "ir/text/parser.h"
#include "runtime/sim/count/count.h"
#include "tests/support/codegen/mutants.h"
#include "tests/support/codegen/races.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace layouts_test {

/// A block turns a matrix round in a tile of 32 x 64 elements: four to an access as they come, and
/// one as they go.
std::string turn(const std::string& layout) {
  return "func f(A: f32[32, 64], C: f32[64, 32]) { for b in 0..1 @block.x {\n"
         "alloc s: f32[32, 64]" +
         layout +
         " @shared\n"
         "for i in 0..32 @thread.y { for j in 0..16 @thread.x { for v in 0..4 {\n"
         "s[i, j*4 + v] = A[i, j*4 + v] } } }\n"
         "for k in 0..32 @thread.y { for l in 0..16 @thread.x { for w in 0..4 {\n"
         "C[l*4 + w, k] = s[k, l*4 + w] } } } } }";
}

Buffers matrices() {
  Buffers buffers;
  buffers["A"] = Buffer(f32, {32, 64});
  buffers["C"] = Buffer(f32, {64, 32});
  for (int64_t n = 0; n < 2048; ++n) buffers["A"].set(n, static_cast<double>(n * 37 % 2048));
  return buffers;
}

Values after(const KernelFunction& kernel) {
  Buffers buffers = matrices();
  run_on_sim(kernel, {}, buffers);
  return values_of(buffers.at("C"));
}

constexpr const char* layouts[] = {
    "",
    " @pad(1)",
    " @order(1, 0) @pad(4)",
    " @swizzle(4, 8, 1)",
    " @swizzle(1, 32, 1)",
    " @order(1, 0) @swizzle(4, 8, 4)",
    " @order(1/32, 0, 1%32)",
    " @order(1/32, 0, 1%32) @pad(1)",
    " @order(1/32, 0, 1%32) @swizzle(4, 8, 2)",
    " @order(1/32, 0, 1%32) @swizzle(1, 2, 1, 2 ^ 0)",
    " @order(0/8, 1/8, 0%8, 1%8)",
    " @order(0/8, 1/8, 0%8, 1%8) @pad(4) @swizzle(4, 2, 4)",
    " @order(1/8%4, 0, 1/32, 1%8) @swizzle(1, 4, 1, 0 ^ 1)",
    " @order(1%4, 0, 1/4) @swizzle(2, 8, 1) @swizzle(1, 2, 1, 2 ^ 0)",
    " @swizzle(4, 2, 1) @swizzle(8, 2, 4) @swizzle(16, 2, 2)",
};

TEST(Layouts, DoNotChangeWhatAKernelComputes) {
  for (const char* layout : layouts) {
    const Function function = parse_function(turn(layout));
    const KernelFunction kernel = lower(function).kernels.front();
    Buffers expected = matrices();
    interpret(function, {}, expected);
    EXPECT_EQ(after(kernel), values_of(expected.at("C"))) << to_string(kernel);
    EXPECT_EQ(find_race(kernel, {}), std::nullopt) << to_string(kernel);
  }
}

/// Wavefronts of the writes and the reads of the tile, as the device counts them.
std::array<int64_t, 2> counted_wavefronts(const KernelFunction& kernel) {
  Buffers buffers = matrices();
  std::vector<SimArgument> arguments;
  for (auto& [name, buffer] : buffers)
    arguments.push_back({name, buffer.bytes.data(), buffer.size()});
  const CountReport report = count(kernel, {}, arguments);
  return {report.total(AccessClass::shared_store).wavefronts,
          report.total(AccessClass::shared_load).wavefronts};
}

/// The same from layout and indices.
std::array<int64_t, 2> computed_wavefronts(const Stmt& nest) {
  std::array<int64_t, 2> wavefronts = {};
  const auto accesses = access_banks(nest, {{16, 32, 1}, {}, {}});
  EXPECT_TRUE(accesses);
  for (const AccessBanks& access : *accesses)
    wavefronts[access.writes ? 0 : 1] += access.counts.wavefronts;
  return wavefronts;
}

TEST(Layouts, HaveTheWavefrontsThatTheDeviceCounts) {
  for (const char* layout : layouts) {
    const Function function = parse_function(turn(layout));
    const KernelFunction kernel = lower(function).kernels.front();
    const auto counted = counted_wavefronts(kernel);
    EXPECT_EQ(computed_wavefronts(kernel.body), counted) << to_string(kernel);
    EXPECT_EQ(computed_wavefronts(function.body), counted) << to_string(function);
  }
}

/// True where a run of a mutant fails, or computes something else.
bool is_found(const KernelFunction& mutant, const Values& expected) {
  try {
    return after(mutant) != expected;
  } catch (const SimError&) {
    return true;
  }
}

TEST(Layouts, ShowAnAccessByAnotherOne) {
  std::map<std::string, int> found;
  for (const char* layout : layouts) {
    const KernelFunction kernel = lower(parse_function(turn(layout))).kernels.front();
    const Values expected = after(kernel);
    for (const Mutant& mutant : layout_mutants_of(kernel)) {
      EXPECT_TRUE(is_found(mutant.kernel, expected)) << mutant.mistake << "\n"
                                                     << to_string(mutant.kernel);
      const llvm::StringRef mistake = mutant.mistake;
      ++found[mistake.split(" in ").first.split(" on ").first.str()];
    }
  }
  for (const char* mistake : {"XOR dropped", "half the period", "a chunk one longer",
                              "panels half as wide", "digits swapped", "padding left out"})
    EXPECT_GE(found[mistake], 2) << mistake;
}

}  // namespace layouts_test
}  // namespace hone
