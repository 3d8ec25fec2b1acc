// Check mode on the rungs: it finds nothing in them, and what is wrong with mutants of them.

#include "runtime/sim/check/check.h"

#include "codegen/lower.h"
#include "llvm/ADT/StringSet.h"
#include "runtime/environment.h"
#include "tests/support/codegen/mutants.h"
#include "tests/support/codegen/races.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/judged.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace check_test {

/// Ten sizes around tiles and warps, small ones of one dimension with large ones of the next; six,
/// without the largest, where there are four dimensions, and four where there are five.
std::vector<Sizes> odd_sizes(const Ladder& ladder) {
  constexpr int64_t values[] = {1, 3, 31, 33, 63, 65, 97, 127, 129, 131};
  constexpr int64_t most_images = 3;
  const size_t dims = ladder.sizes.size(), count = dims > 4 ? 4 : dims > 3 ? 6 : std::size(values);
  std::vector<Sizes> all;
  for (size_t n = 0; n < count; ++n) {
    Sizes sizes;
    for (const auto& [name, size] : ladder.sizes)
      sizes[name] = values[(n * (sizes.size() % 2 == 0 ? 1 : 7) + 3 * sizes.size()) % count];
    if (dims > 4) sizes["batch"] = std::min(sizes.at("batch"), most_images);
    all.push_back(sizes);
  }
  return all;
}

/// The findings of check mode in the kernels of a rung, one after the other.
std::vector<Finding> check_all(const Module& module, const Problem& problem,
                               const CheckOptions& options = {}) {
  std::vector<Finding> findings;
  run_kernels(module, problem,
              [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
                llvm::append_range(
                    findings, check(module.kernels[number], sizes, arguments, options).findings);
              });
  return findings;
}

std::string texts_of(llvm::ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

class Check : public testing::TestWithParam<RungCase> {
 protected:
  /// The rung's kernels at sizes, which lack pitches.
  struct Case {
    Sizes sizes;
    Module module;
    Problem problem;
  };
  static std::string text_of(const Case& c) {
    std::string text = to_text(c.sizes);
    for (const KernelFunction& kernel : c.module.kernels) text += "\n" + to_string(kernel);
    return text;
  }
  static Case make_case(const Sizes& without_pitches) {
    const auto& [ladder, rung] = GetParam();
    const Function program = Schedule(ladder.program({})).function();
    const Sizes sizes = with_pitches(program, without_pitches);
    return {sizes, lower(rung.build({}, sizes)), make_problem(program, sizes, {}, 17)};
  }
};

INSTANTIATE_TEST_SUITE_P(Ladders, Check, testing::ValuesIn(gpu_rungs()), test_name);

TEST_P(Check, FindsNothingInTheRung) {
  for (const Sizes& sizes : odd_sizes(GetParam().ladder)) {
    const Case c = make_case(sizes);
    judge_once(text_of(c), [&] { EXPECT_EQ(texts_of(check_all(c.module, c.problem)), ""); });
  }
}

/// Rungs whose copies are made ahead of their use: there waits have most to order.
std::vector<RungCase> rungs_with_pipelines() {
  static const llvm::StringSet<> names = {
      "warp-tile", "double-buffer", "async-copy", "producer-consumer", "ordered", "tma",
      "reload",    "split-k",       "tuned"};
  std::vector<RungCase> rungs;
  for (const RungCase& rung : gpu_rungs())
    if (rung.ladder.name == "matmul" && names.contains(rung.rung.name)) rungs.push_back(rung);
  return rungs;
}

class Orders : public Check {};

INSTANTIATE_TEST_SUITE_P(Ladders, Orders, testing::ValuesIn(rungs_with_pipelines()), test_name);

/// Trip counts below, at and above the depth of rings, and rows that hold whole vectors or none.
TEST_P(Orders, FindNothingInTheRung) {
  for (const auto& [M, N, K] : {std::tuple(37, 44, 12), std::tuple(131, 260, 52),
                                std::tuple(33, 35, 65), std::tuple(65, 132, 148)}) {
    const Case c = make_case({{"M", M}, {"N", N}, {"K", K}});
    judge_once(text_of(c), [&] {
      for (uint64_t order = 1; order <= 6; ++order)
        EXPECT_EQ(texts_of(check_all(c.module, c.problem, {.order = order})), "") << order;
    });
  }
}

/// Rungs whose products tensor cores compute.
std::vector<RungCase> rungs_of_tensor_cores() {
  static const llvm::StringSet<> ladders = {"hgemm", "hgemm-nt", "igemm-s8"};
  static const llvm::StringSet<> of_cuda_cores = {"global", "shared-32"};
  std::vector<RungCase> rungs;
  for (const RungCase& rung : gpu_rungs())
    if (ladders.contains(rung.ladder.name) && !of_cuda_cores.contains(rung.rung.name))
      rungs.push_back(rung);
  return rungs;
}

class TensorOrders : public Check {};

INSTANTIATE_TEST_SUITE_P(Ladders, TensorOrders, testing::ValuesIn(rungs_of_tensor_cores()),
                         test_name);

/// Tiles that stick out, and more steps than any ring has slots.
TEST_P(TensorOrders, FindNothingInTheRung) {
  const Case c = make_case({{"M", 67}, {"N", 136}, {"K", 328}});
  judge_once(text_of(c), [&] {
    for (uint64_t order = 1; order <= 20; ++order)
      EXPECT_EQ(texts_of(check_all(c.module, c.problem, {.order = order})), "") << order;
  });
}

// ---- Mutants ------------------------------------------------------------------------------------

/// Small sizes that stick out of every tile, and more than one tile of each sum.
Sizes small_sizes(const RungCase& rung) {
  static const Sizes all = {{"C", 3},     {"H", 11},       {"K", 35},    {"M", 21},
                            {"N", 23},    {"O", 5},        {"W", 35},    {"n", 300},
                            {"batch", 2}, {"threads", 64}, {"tiles", 2}, {"groups", 3}};
  Sizes sizes;
  for (const auto& [name, size] : rung.ladder.sizes) sizes[name] = all.at(name);
  return sizes;
}

/// The results of a run of the module; nothing where it fails.
std::optional<std::vector<std::byte>> plain_results(const Module& module, const Problem& problem) {
  std::vector<std::byte> bytes;
  try {
    const auto arrays = run_kernels(
        module, problem,
        [&](size_t number, const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments) {
          SimKernel(module.kernels[number]).run(sizes, arguments, {.step_budget = 1 << 20});
        });
    for (const AnyArray& array : arrays) llvm::append_range(bytes, to_buffer(array).bytes);
  } catch (const SimError&) {
    return std::nullopt;
  }
  return bytes;
}

class Mutants : public Check {
 protected:
  static void expect_reported(const Case& c);
};

INSTANTIATE_TEST_SUITE_P(Ladders, Mutants, testing::ValuesIn(gpu_rungs()), test_name);

/// Of the mutants of a kernel, at most twelve, spread over all of them; HONE_MUTANTS=all takes all.
std::vector<Mutant> chosen_mutants(const KernelFunction& kernel) {
  std::vector<Mutant> all = mutants_of(kernel), chosen;
  constexpr size_t most = 12;
  if (environment("HONE_MUTANTS") == "all" || all.size() <= most) return all;
  for (size_t n = 0; n < most; ++n) chosen.push_back(std::move(all[n * all.size() / most]));
  return chosen;
}

/// Of a mutant, check mode has to find what an independent walk over all threads calls a race, and
/// what ends a run; where neither is, its results tell. Nothing else has another meaning.
void Mutants::expect_reported(const Case& c) {
  const auto expected = plain_results(c.module, c.problem);
  ASSERT_TRUE(expected);
  int found = 0;
  for (size_t number = 0; number < c.module.kernels.size(); ++number)
    for (const Mutant& mutant : chosen_mutants(c.module.kernels[number])) {
      Module module = c.module;
      module.kernels[number] = mutant.kernel;
      CheckOptions options;
      options.step_budget = 1 << 20;
      if (!check_all(module, c.problem, options).empty()) {
        ++found;
        continue;
      }
      EXPECT_TRUE(plain_results(module, c.problem))
          << mutant.mistake << " fails, and is not found in\n"
          << to_string(mutant.kernel);
      EXPECT_EQ(find_race(mutant.kernel, c.sizes), std::nullopt)
          << mutant.mistake << " is not found in\n"
          << to_string(mutant.kernel);
    }
  EXPECT_GT(found, 0);
}

TEST_P(Mutants, AreReported) {
  const Case c = make_case(small_sizes(GetParam()));
  judge_once(text_of(c), [&] { expect_reported(c); });
}

}  // namespace check_test
}  // namespace hone
