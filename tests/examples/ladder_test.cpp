// Every rung of every ladder: its text is kept unless its schedule repeats one, its kernels
// compile, and its results are those of the program without a schedule, at sizes that do not
// divide.

#include <gtest/gtest.h>

#include <set>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/core/layout.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/parser.h"
#include "ir/traverse/equal.h"
#include "runtime/environment.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/ir/golden.h"

namespace hone {
namespace ladder_test {

/// Sizes of these names, one list of values each.
std::vector<Sizes> sizes_of(const std::vector<std::string>& names,
                            const std::vector<std::vector<int64_t>>& values) {
  std::vector<Sizes> all(values.size());
  for (size_t n = 0; n < values.size(); ++n)
    for (size_t name = 0; name < names.size(); ++name) all[n][names[name]] = values[n][name];
  return all;
}

/// Of sums and the like: of a vector, or of rows and columns. Empty where it is none.
std::vector<Sizes> odd_sizes_of_reduction(const Ladder& ladder) {
  if (ladder.name == "dot")  // the longer the sum, the less is left of it
    return sizes_of({"n"}, {{0}, {1}, {31}, {33}, {257}, {8192}, {20003}, {20004}});
  if (ladder.name == "reduce")
    return sizes_of({"n", "threads"}, {{0, 256},
                                       {1, 32},
                                       {31, 48},
                                       {32, 1},
                                       {33, 7},
                                       {257, 64},
                                       {8192, 1024},
                                       {100003, 256},
                                       {100004, 128}});
  if (ladder.name == "argmax")
    return sizes_of({"n"}, {{0}, {1}, {31}, {32}, {33}, {257}, {8192}, {100003}, {100004}});
  if (ladder.name == "softmax" || ladder.name == "layernorm")
    return sizes_of({"M", "N"},
                    {{0, 5}, {1, 1}, {5, 33}, {3, 127}, {2, 128}, {7, 1000}, {2, 1025}, {3, 4100}});
  if (ladder.name == "histogram")
    return sizes_of({"n"}, {{0}, {1}, {16}, {255}, {257}, {4096}, {16384}, {100003}, {100016}});
  if (ladder.name == "rowsum" || ladder.name == "matvec")
    return sizes_of(
        {"M", "N"},
        {{0, 5}, {5, 0}, {1, 1}, {5, 33}, {131, 7}, {9, 1000}, {2, 1025}, {3, 8196}, {2, 40000}});
  if (ladder.name == "colsum")
    return sizes_of({"M", "N"}, {{0, 5},
                                 {5, 0},
                                 {1, 1},
                                 {33, 5},
                                 {7, 131},
                                 {64, 128},
                                 {1000, 36},
                                 {130, 256},
                                 {129, 1028}});
  return {};
}

std::vector<Sizes> odd_sizes(const Ladder& ladder) {
  if (ladder.name == "combine")
    return sizes_of({"n", "W"}, {{0, 7}, {1, 1}, {31, 100}, {257, 2}, {1009, 33}, {65536, 256}});
  if (ladder.name == "transpose")
    return sizes_of({"M", "N"},
                    {{1, 1}, {1, 97}, {0, 5}, {5, 0}, {31, 33}, {101, 2}, {96, 128}, {257, 130}});
  if (ladder.name == "stencil")
    return sizes_of({"H", "W"},
                    {{1, 1}, {1, 97}, {0, 5}, {5, 0}, {7, 33}, {101, 2}, {16, 64}, {65, 130}});
  if (ladder.name == "convolution")
    return sizes_of({"C", "O", "H", "W"}, {{1, 1, 1, 1},
                                           {3, 2, 7, 33},
                                           {0, 2, 3, 4},
                                           {2, 0, 3, 4},
                                           {2, 3, 0, 4},
                                           {5, 11, 17, 19},
                                           {4, 8, 16, 32}});
  if (ladder.name == "conv2d-nhwc")
    return sizes_of({"batch", "H", "W", "C", "O"}, {{0, 2, 3, 4, 5},
                                                    {2, 0, 3, 4, 5},
                                                    {2, 3, 4, 0, 5},
                                                    {1, 1, 1, 1, 1},
                                                    {3, 3, 9, 24, 40},
                                                    {1, 18, 7, 72, 8},
                                                    {2, 5, 6, 5, 9},
                                                    {9, 4, 4, 16, 72},
                                                    {1, 2, 1, 8, 136}});
  if (ladder.name == "hgemm-grouped")
    return sizes_of({"tiles", "groups", "N", "K"}, {{0, 2, 3, 4},
                                                    {1, 1, 1, 1},
                                                    {2, 3, 4, 0},
                                                    {3, 2, 33, 31},
                                                    {5, 3, 264, 72},
                                                    {2, 1, 8, 328}});
  if (ladder.sizes.count("batch"))
    return sizes_of({"batch", "M", "N", "K"}, {{0, 2, 3, 4},
                                               {1, 1, 1, 1},
                                               {3, 5, 4, 0},
                                               {2, 31, 33, 32},
                                               {3, 101, 2, 103},
                                               {2, 130, 132, 20},
                                               {5, 64, 128, 8}});
  if (auto sizes = odd_sizes_of_reduction(ladder); !sizes.empty()) return sizes;
  return sizes_of({"M", "N", "K"}, {{1, 1, 1},
                                    {1, 97, 1},
                                    {0, 5, 3},
                                    {5, 0, 3},
                                    {5, 4, 0},
                                    {31, 33, 32},
                                    {63, 65, 7},
                                    {101, 2, 103},
                                    {64, 128, 96},
                                    {3, 1030, 5},
                                    {300, 257, 129}});
}

class EveryRung : public testing::TestWithParam<RungCase> {
 protected:
  const Ladder& ladder() const { return GetParam().ladder; }
  const Rung& rung() const { return GetParam().rung; }

  void expect_right_on(const Device& device) {
    PlainProgram(ladder()).expect_same(rung(), odd_sizes(ladder()), device);
  }
};

INSTANTIATE_TEST_SUITE_P(Ladders, EveryRung, testing::ValuesIn(all_rungs()), test_name);

TEST_P(EveryRung, BuildsOnARungBeforeIt) {
  const std::vector<Rung>& rungs = ladder().rungs;
  const auto place = [&](const std::string& name) {
    return llvm::find_if(rungs, [&](const Rung& one) { return one.name == name; });
  };
  const Rung* base = built_on(ladder(), rung());
  if (!base) {
    EXPECT_EQ(rung().name, rungs.front().name) << "builds on nothing";
    return;
  }
  EXPECT_LT(place(base->name), place(rung().name));
}

/// Ladders that take the schedules of others, for other types and layouts: the text of their last
/// rung is kept, and of those that are theirs alone.
bool repeats_schedules(const Ladder& ladder) {
  static const std::set<std::string> names = {"hgemm-nt",      "hgemm-f16", "hgemm-batched",
                                              "hgemm-grouped", "igemm-s8",  "gemm-tf32",
                                              "gemm-fp8"};
  return names.count(ladder.name) != 0;
}

/// A ladder whose schedules are its own has a rung of that name.
bool is_among_others(const std::string& rung) {
  return llvm::any_of(all_ladders(), [&](const Ladder& other) {
    return !repeats_schedules(other) &&
           llvm::any_of(other.rungs, [&](const Rung& one) { return one.name == rung; });
  });
}

TEST_P(EveryRung, HasTheTextThatIsKept) {
  if (repeats_schedules(ladder()) && rung().name != ladder().rungs.back().name &&
      is_among_others(rung().name))
    GTEST_SKIP() << "like the text of the ladder whose schedules these are";
  const Schedule schedule = rung().build({}, ladder().sizes);
  const std::string name = "tests/examples/golden/" + ladder().name + "-" + rung().name;
  if (rung().target == RungTarget::host)
    return expect_golden(name + ".c", emit_c(lower_host(schedule).kernels.front()));
  std::string text;
  for (const KernelFunction& kernel : lower(schedule).kernels) text += emit_cuda(kernel);
  expect_golden(name + ".cu", text);
}

TEST_P(EveryRung, GivesTheResultOfThePlainProgram) {
  expect_right_on(rung().target == RungTarget::host ? Device::host() : Device::simulated());
}

TEST_P(EveryRung, GivesTheResultOfThePlainProgramInTheFormOfC) {
  if (rung().target == RungTarget::host) GTEST_SKIP() << "a rung for the CPU";
  PlainProgram(ladder()).expect_same_in_c_form(rung(), odd_sizes(ladder()));
}

TEST_P(EveryRung, GivesTheResultOfThePlainProgramOnAGpu) {
  if (rung().target == RungTarget::host) GTEST_SKIP() << "a rung for the CPU";
  if (const std::string why = why_no_cuda(); !why.empty())
    GTEST_SKIP() << "no CUDA device: " << why;
  expect_right_on(Device::cuda());
}

/// The oldest architecture that most rungs are for, Hopper and the newest one; all where
/// HONE_ALL_ARCHS is 1 or names the text of the rung, as one that changed.
llvm::ArrayRef<const char*> compiled_architectures(const std::string& text_name) {
  static constexpr const char* names[] = {"sm_80", "sm_90a", "sm_120", "sm_75",
                                          "sm_86", "sm_89",  "sm_90",  "sm_100"};
  const std::string wanted = environment("HONE_ALL_ARCHS").value_or("");
  llvm::SmallVector<llvm::StringRef, 32> texts;
  llvm::StringRef(wanted).split(texts, ',');
  const bool takes_all = wanted == "1" || llvm::is_contained(texts, text_name);
  return llvm::ArrayRef(names).take_front(takes_all ? std::size(names) : 3);
}

TEST_P(EveryRung, CompilesForItsArchitectures) {
  if (rung().target == RungTarget::host) GTEST_SKIP() << "a rung for the CPU";
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  const Schedule schedule = rung().build({}, ladder().sizes);
  for (const KernelFunction& kernel : lower(schedule).kernels)
    for (const char* arch : compiled_architectures(ladder().name + "-" + rung().name)) {
      if (!runs_on(kernel, find_architecture(arch)->capability)) continue;
      const auto compiled = compile_cached(
          {emit_cuda(kernel), kernel.name, target_of(kernel, arch), options_of(kernel), ""});
      EXPECT_FALSE(compiled->cubin.empty()) << arch;
      EXPECT_TRUE(compiled->warnings.empty()) << arch;
      ASSERT_EQ(compiled->kernels.size(), 1u) << arch;
      EXPECT_EQ(compiled->kernels.front().spill_store_bytes, 0) << arch;
    }
}

TEST_P(EveryRung, PrintsIrThatParsesBackAfterEveryStep) {
  const Schedule schedule = rung().build({}, ladder().sizes);
  // Lengths that a thread's registers depend on are constants of the rung's program.
  Sizes fixed = ladder().sizes;
  for (const ParamPtr& param : schedule.function().params) fixed.erase(param->name);
  for (size_t steps = 0; steps <= schedule.trace().size(); ++steps) {
    Schedule replayed = (rung().program ? rung().program : ladder().program)(fixed);
    replayed.replay(schedule.trace().take_front(steps));
    const std::string text = to_string(replayed.function());
    EXPECT_EQ(to_string(parse_function(text)), text);
    EXPECT_TRUE(equal(parse_function(text), replayed.function()));
  }
}

/// The arguments of a program, and its definitions as they print.
std::string text_of(const Function& program) {
  std::string text;
  for (const TensorPtr& argument : program.arguments)
    text += fmt::format("{}{}: {}[{}]{}", text.empty() ? "" : ", ", argument->name,
                        name(argument->type).str(), fmt::join(argument->shape, ", "),
                        hone::to_string(argument->layout));
  return fmt::format("{}({}) ->\n{}\n", program.name, text, fmt::join(program.history, "\n"));
}

TEST_P(EveryRung, IsOfAProgramThatIsReadAsText) {
  const Function program = (rung().program ? rung().program : ladder().program)({}).function();
  const std::string text = text_of(program);
  if (text.find(" = merge(") != std::string::npos) GTEST_SKIP() << "an operator is a C++ function";
  EXPECT_EQ(to_string(parse_program(text).function()), to_string(program)) << text;
}

TEST_P(EveryRung, IsItsTraceReadAsText) {
  const Schedule schedule = rung().build({}, ladder().sizes);
  Sizes fixed = ladder().sizes;
  for (const ParamPtr& param : schedule.function().params) fixed.erase(param->name);
  Schedule read = (rung().program ? rung().program : ladder().program)(fixed);
  read.replay(schedule.trace_text(), "steps");
  EXPECT_TRUE(equal(read.function(), schedule.function()));
  EXPECT_EQ(read.trace_text(), schedule.trace_text());
}

/// The grid of matmul/bind: the pieces of a row follow each other, and rows are along y as long as
/// a grid has room for them there.
TEST(Bind, HasAsManyBlocksAsPieces) {
  const Ladder ladder = matmul_ladder();
  const auto rung = llvm::find_if(ladder.rungs, [](const Rung& one) { return one.name == "bind"; });
  ASSERT_NE(rung, ladder.rungs.end());
  const auto grid = [&](int64_t M, int64_t N) {
    const Sizes sizes = {{"M", M}, {"N", N}, {"K", 1}};
    return launch_dims(lower(rung->build({}, sizes)).kernels.front(), sizes).grid;
  };
  using Grid = std::array<int64_t, 3>;
  EXPECT_EQ(grid(5000, 1024), (Grid{5000, 1, 1}));
  EXPECT_EQ(grid(5000, 1025), (Grid{2, 5000, 1}));
  EXPECT_EQ(grid(65535, 4096), (Grid{4, 65535, 1}));
  EXPECT_EQ(grid(65536, 4096), (Grid{262144, 1, 1}));
}

}  // namespace ladder_test
}  // namespace hone
