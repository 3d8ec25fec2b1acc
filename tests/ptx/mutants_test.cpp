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
  bool needs_finding = false;  ///< the result may be right by chance
};

constexpr Mutation mutations[] = {
    {"no barrier", R"(__syncthreads\(\);)", ";", true},
    {"no barrier of a warp", R"(__syncwarp\(\);)", ";", true},
    {"no fence", R"(__threadfence\(\);)", ";", true},
    {"no atomic update", R"(atomicAdd\((&?)(\w+(?:\[[^;]*\])?), (\w+)\);)", "*($1$2) += $3;", true},
    {"no atomic claim", R"(atomicCAS\(&([^,]+), (\S+), (\w+)\) == -1)", "$1 == $2 && ($1 = $3, 1)",
     true},
    {"no atomic release", R"(atomicExch\((&?)(\w+(?:\[.*\])?), (\d)\);)", "*($1$2) = $3;", true},
    {"no lock", R"(while \(atomicCAS.* \{\})", ";", true},
    {"no volatile", R"(volatile (?=\w))", "", true},
    {"no wait", R"(wait(<\d>)?\([^;{]*\);)", ";", true},
    {"a later wait", R"(wait<1>)", "wait<2>", true},
    {"no commit", R"(commit\(\);)", ";", true},
    {"no expectation", R"(expect\([^;{]*\);)", ";", true},
    {"fewer bytes", R"(, 256([,)]))", ", 128$1", true},
    {"a shifted vector", R"((reinterpret_cast<[^>]*>)\(([^;]+?)\)(?=[\[;]| =))", "$1($2 + 1)",
     true},
    {"a narrow product", R"(\(long long\))", "", false},
    {"no store", R"(\n +(?:(?:if|for) \(.*\) )?\w+(?:\[[^;\n]*\])+ = [^;\n]*;(?!\n +else))", "\n;",
     false},
    {"no guard", R"(if \(.*\) return;)", "", false},
    {"one bound less", R"( && [\w.]+ < \w+)", "", false},
    {"overlapping blocks", R"(blockIdx\.x \* (\d+))", "blockIdx.x * ($1 / 2)", false},
    {"swapped indices", R"(\[([a-z][\w.]*)\]\[([a-z][\w.]*)\])", "[$2][$1]", false},
    {"swapped strides", R"(([^.\w])([a-z]\w*) \* (\w+) \+ ([a-z]\w*)(?![\w.\[(]))",
     "$1$4 * $3 + $2", false},
    {"another part", R"( \+ (\d+) \* (\d+);)", " + $1 * $2 / 2;", false},
    {"right for left", R"( << )", " >> ", false},
    {"left for right", R"( >> )", " << ", false},
    {"a longer stride", R"((>>|<<)= 1)", "$1= 2", false},
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
  bool needs_finding = false;
};

/// One for each place in the kernel where the mutation applies.
std::vector<Mutant> mutants_of(const SampleKernel& kernel, const Mutation& mutation) {
  std::vector<Mutant> mutants;
  const std::regex pattern(mutation.pattern);
  for (std::sregex_iterator at(kernel.source.begin(), kernel.source.end(), pattern), end; at != end;
       ++at)
    mutants.push_back({kernel.name + ": " + mutation.name + " at " + std::to_string(at->position()),
                       kernel.source.substr(0, at->position()) + at->format(mutation.replacement) +
                           at->suffix().str(),
                       mutation.needs_finding});
  return mutants;
}

/// Reasons that several mutants have.
constexpr const char *no_such_lane = "no lane has a number of 32",
                     *no_multiple = "n is no multiple of the tile",
                     *ends_beyond = "the last tile ends beyond the image",
                     *scaled_by_zero = "the first element or tile scales it by 0",
                     *written_alike = "the blocks that share rows write the same",
                     *behind_a_flag =
                         "what a thread does behind its read of a flag counts as ordered";

/// Mutants that are not found, and the reason behind each. They compute the same and have no race,
/// but for those that lack a fence behind the read of a flag, for which check mode does not ask.
const std::map<std::string, std::string>& not_found() {
  static const std::map<std::string, std::string> all = {
      {"tree: one more at 147", "the first half of the last block ends before n"},
      {"syncwarp: one more at 274", "the lane that adds too much is read by none"},
      {"scan: one more at 167", "the step of 128 adds nothing, and copies all"},
      {"shufflescan: one more at 150", no_such_lane},
      {"chain: one more at 387", no_such_lane},
      {"lookback: one more at 322", no_such_lane},
      {"segments: one more at 233", no_such_lane},
      {"segments: one more at 450", "thread n has no segment, and its neighbour none"},
      {"bitonic: one more at 330", "no thread is its own partner"},
      {"compact: another zero at 241", "all lanes get the value of lane 0"},
      {"radix: one more at 211", "keys have six bits"},
      {"matmul: one more at 236", no_multiple},
      {"bodies: one more at 191", no_multiple},
      {"attention: one more at 381", no_multiple},
      {"nbody: one more at 292", no_multiple},
      {"halves: one more at 217", "n is even"},
      {"stencil: one more at 271", "the last element is not that of a last thread"},
      {"stencil: another step at 267", "the last element is not that of a last thread"},
      {"heat: another neighbour at 422", ends_beyond},
      {"heat: another neighbour at 529", ends_beyond},
      {"rounds: one more at 199", "thread n stores nothing"},
      {"attention: one more at 668", "a key of zeros has no score above the largest"},
      {"attention: another zero at 300", scaled_by_zero},
      {"attention: another zero at 348", scaled_by_zero},
      {"online: another zero at 190", scaled_by_zero},
      {"attention: overlapping blocks at 256", written_alike},
      {"online: overlapping blocks at 90", written_alike},
      {"frontier: overlapping blocks at 176", "no node is claimed twice"},
      {"locked: overlapping blocks at 145", "the largest element is one of the first"},
      {"chain: no fence at 221", behind_a_flag},
      {"lookback: no fence at 727", behind_a_flag},
      {"locked: no fence at 461", behind_a_flag},
      {"rounds: no fence at 459", behind_a_flag}};
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

TEST(PtxMutants, AreManyOfManyKernels) {
  size_t mutants = 0;
  for (const SampleKernel& kernel : sample_kernels())
    for (const Mutation& mutation : mutations) mutants += mutants_of(kernel, mutation).size();
  EXPECT_GE(sample_kernels().size(), 30);
  EXPECT_GE(mutants, 300);
}

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
      EXPECT_EQ(result.refused, "") << mutant.name;
      const bool is_found =
          !result.findings.empty() || (!mutant.needs_finding && result.arrays != original.arrays);
      EXPECT_NE(is_found, not_found().count(mutant.name) > 0) << mutant.name << "\n"
                                                              << result.hints << mutant.source;
    }
}

}  // namespace
}  // namespace hone::ptx
