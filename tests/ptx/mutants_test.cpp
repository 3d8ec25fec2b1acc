// Mistakes that are put into kernels one by one: check mode finds them, or the result differs.

#include <gtest/gtest.h>

#include <regex>

#include "tests/support/ptx/programs.h"

namespace hone::ptx {
namespace {

/// One kind of mistake: what stands in a text, and what stands there instead.
struct Mutation {
  const char* name;
  const char* pattern;
  const char* replacement;
  bool is_about_order;  ///< a race at all times, whatever the result
};

constexpr Mutation mutations[] = {
    {"no barrier", R"(__syncthreads\(\);)", ";", true},
    {"no barrier of a warp", R"(__syncwarp\(\);)", ";", true},
    {"no fence", R"(__threadfence\(\);)", ";", true},
    {"no atomic update", R"(atomicAdd\((&?)(\w+(?:\[[^;]*\])?), (\w+)\);)", "*($1$2) += $3;", true},
    {"one more", R"( < )", " <= ", false},
    {"one less", R"( <= )", " < ", false},
    {"at least", R"( >= )", " > ", false},
    {"another step", R"( \+ 1\b)", " + 2", false},
    {"another neighbour", R"( - 1\b)", " - 2", false},
    {"half a mask", R"(0xffffffff)", "0xffff", false},
    {"always", R"(if \(i < n\))", "if (true)", false},
    {"a smaller tile", R"(__shared__ (\w+) (\w+)\[(\d+)\])", "__shared__ $1 $2[$3 - 1]", false},
    {"another zero", R"( = 0([,;]))", " = 1$1", false},
    {"another sum", R"( \+= )", " -= ", false},
};

struct Mutant {
  std::string name, source;
  bool is_about_order = false;
};

/// One for each place in the kernel where the mutation applies.
std::vector<Mutant> mutants_of(const SampleKernel& kernel, const Mutation& mutation) {
  std::vector<Mutant> mutants;
  const std::regex pattern(mutation.pattern);
  for (std::sregex_iterator at(kernel.source.begin(), kernel.source.end(), pattern), end; at != end;
       ++at)
    mutants.push_back({kernel.name + ": " + mutation.name + " at " + std::to_string(at->position()),
                       at->prefix().str() + at->format(mutation.replacement) + at->suffix().str(),
                       mutation.is_about_order});
  return mutants;
}

/// Mutants that compute the same, and have no race: the reason behind each.
const std::map<std::string, std::string>& equivalents() {
  static const std::map<std::string, std::string> all = {
      {"tree: one more at 147", "the first half of the last block ends before n"},
      {"scan: one more at 167", "the step of 128 adds nothing, and copies all"},
      {"shufflescan: one more at 150", "no lane has a number of 32"},
      {"chain: one more at 387", "no lane has a number of 32"},
      {"bitonic: one more at 330", "no thread is its own partner"},
      {"compact: another zero at 241", "all lanes get the value of lane 0"},
      {"matmul: one more at 236", "20 is no multiple of 8"},
      {"chain: no fence at 221", "what a thread does behind its read of a flag counts as ordered"}};
  return all;
}

class PtxSamples : public testing::TestWithParam<SampleKernel> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

INSTANTIATE_TEST_SUITE_P(All, PtxSamples, testing::ValuesIn(sample_kernels()),
                         [](const auto& info) { return info.param.name; });

TEST_P(PtxSamples, HaveNoFindings) {
  const SampleResult result = run_sample(GetParam());
  EXPECT_EQ(result.refused + result.findings + result.hints, "");
}

TEST_P(PtxSamples, HaveMutantsThatAreFound) {
  const SampleResult original = run_sample(GetParam());
  for (const Mutation& mutation : mutations)
    for (const Mutant& mutant : mutants_of(GetParam(), mutation)) {
      SampleKernel changed = GetParam();
      changed.source = mutant.source;
      const SampleResult result = run_sample(changed);
      const bool is_found = !result.findings.empty() || !result.refused.empty() ||
                            (!mutant.is_about_order && result.arrays != original.arrays);
      EXPECT_NE(is_found, equivalents().count(mutant.name) > 0) << mutant.name << "\n"
                                                                << result.hints << mutant.source;
    }
}

}  // namespace
}  // namespace hone::ptx
