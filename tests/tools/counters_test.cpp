#include "command.h"
#include "llvm/Support/JSON.h"
#include "runtime/nvrtc.h"
#include "runtime/roofline.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Counters, CountsARung) {
  const CommandResult result = hone({"counters", "axpy/blocks"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("axpy/blocks: N=1000\n\naxpy: grid (8, 1, 1), block (128, 1, 1)\n"));
  EXPECT_THAT(result.printed, HasSubstr("\nper result: 2 global loads, 1 global stores\n"));
  EXPECT_EQ(result.status, 0);
}

TEST(Counters, SaysHowManyBlocksFit) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const CommandResult result = hone({"counters", "axpy/blocks", "--arch=sm_90"});
  EXPECT_THAT(result.printed, HasSubstr(" per thread, no spills, on sm_90\n"));
  EXPECT_THAT(result.printed,
              HasSubstr("\noccupancy: 16 blocks, 64 of 64 warps (100 %), limited by warps"));
}

TEST(Counters, KnowsTheRooflineOfAGpu) {
  EXPECT_THAT(hone({"counters", "axpy/blocks"}).printed,
              HasSubstr("\nroofline of H100 SXM: at least "));
  EXPECT_THAT(hone({"counters", "axpy/blocks", "--gpu=t4"}).printed,
              HasSubstr("\nroofline of T4: at least "));
  EXPECT_THAT(hone({"counters", "axpy/blocks", "--arch=sm_80"}).printed,
              HasSubstr("\nroofline of A100 SXM 40GB: at least "));
}

/// The object that a command line prints.
llvm::json::Object printed_object(std::vector<std::string> words) {
  const CommandResult result = hone(std::move(words));
  auto value = llvm::json::parse(result.printed);
  EXPECT_TRUE(bool(value)) << result.printed << llvm::toString(value.takeError());
  return value ? *value->getAsObject() : llvm::json::Object();
}

TEST(Counters, PrintsOneJsonObject) {
  const auto object = printed_object({"counters", "axpy/blocks", "-DN=256", "--json"});
  EXPECT_EQ(*object.getString("rung"), llvm::StringRef("axpy/blocks"));
  EXPECT_EQ(*object.getObject("sizes")->getInteger("N"), 256);
  EXPECT_EQ(*object.getInteger("results"), 256);
  ASSERT_EQ(object.getArray("kernels")->size(), 1u);
  const auto& kernel = *(*object.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(*kernel.getString("kernel"), llvm::StringRef("axpy"));
  EXPECT_EQ(*kernel.getInteger("counted_blocks"), 2);
  EXPECT_EQ(*kernel.getObject("per_result")->getString("global_loads"), llvm::StringRef("2"));
  EXPECT_EQ(*kernel.getObject("roofline")->getString("resource"), llvm::StringRef("DRAM"));
  // 2 * 256 loads and 256 stores, of 4 bytes each.
  EXPECT_DOUBLE_EQ(*kernel.getObject("roofline")->getNumber("dram_seconds"),
                   3 * 256 * 4 / (find_gpu("H100 SXM").dram_gb_per_s * 1e9));
}

TEST(Counters, CountsSomeOfTheBlocks) {
  const auto object = printed_object({"counters", "axpy/blocks", "--blocks=2", "--json"});
  const auto& kernel = *(*object.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(*kernel.getInteger("counted_blocks"), 2);
  EXPECT_EQ(*kernel.getBoolean("is_sampled"), true);
}

TEST(Counters, SaysThatNothingRuns) {
  EXPECT_EQ(hone({"counters", "axpy/blocks", "-DN=0"}).printed,
            "axpy/blocks: N=0\n\nno block runs\n");
}

TEST(Counters, RefusesARungOfTheHost) {
  expect_usage_error({"counters", "axpy/serial"},
                     "axpy/serial runs on the host, and has no kernel for a GPU");
}

TEST(Counters, RefusesAGpuThatIsNotKnown) {
  const CommandResult result = hone({"counters", "axpy/blocks", "--gpu=H101"});
  EXPECT_THAT(result.complained, StartsWith("error: no GPU H101 is known; there are T4, "));
  EXPECT_EQ(result.status, 2);
}

TEST(Counters, RefusesAnArchitectureThatIsNotKnown) {
  const CommandResult result = hone({"counters", "axpy/blocks", "--arch=sm_1"});
  EXPECT_THAT(result.complained, HasSubstr("sm_1"));
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.status, 2);
}

TEST(Counters, RefusesAGpuOfAnotherArchitecture) {
  expect_usage_error({"counters", "axpy/blocks", "--gpu=t4", "--arch=sm_90"},
                     "T4 has the architecture sm_75, not sm_90");
}

TEST(Counters, RefusesWhatIsNoNumberOfBlocks) {
  for (const char* blocks : {"x", "-1", "1.5"})
    expect_usage_error({"counters", "axpy/blocks", std::string("--blocks=") + blocks},
                       fmt::format("--blocks takes a number from 0 on, got '{}'", blocks));
}

TEST(Explain, ComparesWithTheRungBefore) {
  const CommandResult result = hone({"explain", "matmul/register", "-DM=64", "-DN=64", "-DK=32"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("matmul/register against matmul/threads, K=32 M=64 N=64\n\n"
                         "1. global stores fall 33x: K + 1 -> 1 per result, because each thread "
                         "keeps its part of C in registers\n"
                         "2. global loads fall 1.5x: 3*K -> 2*K per result, because each thread "
                         "keeps its part of C in registers\n"));
  EXPECT_THAT(result.printed, HasSubstr("\n\nroofline of H100 SXM:\n  matmul/threads: at least "));
  EXPECT_THAT(result.printed, HasSubstr("\n  matmul/register: at least "));
  EXPECT_EQ(result.status, 0);
}

TEST(Explain, DescribesARungWithNoneBeforeIt) {
  const CommandResult result = hone({"explain", "axpy/blocks"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("axpy/blocks, N=1000\n\n1. bytes of DRAM: 12 per result\n"));
}

TEST(Explain, SaysThatNothingIsDifferent) {
  Ladder ladder = small_axpy();
  ladder.rungs.push_back(ladder.rungs.back());
  ladder.rungs.back().name = "again";
  EXPECT_THAT(hone_on({ladder}, {"explain", "axpy/again"}).printed,
              StartsWith("axpy/again against axpy/blocks, N=1000\n\n"
                         "nothing that counts is different\n"));
}

/// C = A^T through a tile in shared memory, in rungs that differ in its layout.
Ladder transposes() {
  const auto program = [](const Sizes& fixed) {
    const Expr m = size_of(fixed, "M"), n = size_of(fixed, "N");
    const Tensor A("A", f32, {m, n}), B("B", f32, {n, m});
    const Axis i("i", m), j("j", n);
    return Program("transpose", B(j, i) = A(i, j));
  };
  const auto rung = [&](const char* name, const Layout& layout) -> Rung {
    return {name, "", "", RungTarget::gpu, [program, layout](const Sizes& fixed, const Sizes&) {
              Schedule s(program(fixed));
              auto [bj, bi, tj, ti] = s.tile({s.axis("j"), s.axis("i")}, {32, 32});
              s.bind(bj, block.y);
              s.bind(bi, block.x);
              s.bind(tj, thread.y);
              s.bind(ti, thread.x);
              s.cache_shared(s.tensor("A"), bi, {.layout = layout});
              return s;
            }};
  };
  Ladder ladder;
  ladder.name = "transpose";
  ladder.sizes = {{"M", 64}, {"N", 64}};
  ladder.program = program;
  ladder.rungs = {rung("tiled", Layout()), rung("padded", Layout().pad(1))};
  return ladder;
}

TEST(Explain, BlamesBankConflicts) {
  EXPECT_THAT(hone_on({transposes()}, {"explain", "transpose/padded"}).printed,
              HasSubstr("\n1. wavefronts of shared memory fall 16.5x: 16.5 -> 1 for an ideal one, "
                        "because lanes of A.shared[i.1, j.1] met in a bank\n"));
}

TEST(Explain, RefusesAnArchitectureWithoutAGpu) {
  expect_usage_error({"explain", "axpy/blocks", "--arch=sm_87"},
                     "no GPU of sm_87 is known; name one with --gpu");
}

TEST(Explain, RefusesARungOfTheHost) {
  expect_usage_error({"explain", "axpy/serial"},
                     "axpy/serial runs on the host, and has no kernel for a GPU");
}

}  // namespace
}  // namespace hone
