#include <fstream>

#include "compared_ladders.h"
#include "llvm/Support/JSON.h"
#include "runtime/model/roofline.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace counters_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Counters, CountsARung) {
  const CommandResult result = hone({"counters", "axpy/blocks"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed,
              StartsWith("axpy/blocks: N=1000\n\naxpy: grid (8, 1, 1), block (128, 1, 1)\n"));
  EXPECT_THAT(result.printed,
              HasSubstr("\nper result, as written: 2 global loads, 1 global stores\n"));
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
              HasSubstr("\nroofline of H100 SXM, a bound that ranks nothing by itself: at least "));
  EXPECT_THAT(hone({"counters", "axpy/blocks", "--gpu=t4"}).printed,
              HasSubstr("\nroofline of T4, a bound that ranks nothing by itself: at least "));
  EXPECT_THAT(hone({"counters", "axpy/blocks", "--gpu=4090"}).printed,
              HasSubstr("\nroofline of RTX 4090, a bound that ranks nothing by itself: at least "));
  expect_usage_error({"counters", "axpy/blocks", "--gpu=h100"},
                     "h100 may be H100 PCIe or H100 SXM");
  EXPECT_THAT(
      hone({"counters", "axpy/blocks", "--arch=sm_80"}).printed,
      HasSubstr("\nroofline of A100 SXM 40GB, a bound that ranks nothing by itself: at least "));
}

/// A load of 4 bytes a thread does not fill the DRAM of an H200.
TEST(Counters, EstimatesTheTimeOnAGpu) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const std::string text =
      hone({"counters", "axpy/blocks", "-DN=10000000", "--blocks=4", "--gpu=H200"}).printed;
  EXPECT_THAT(text, HasSubstr("\ntime on H200 SXM: about 0.03"));
  EXPECT_THAT(text, HasSubstr(" ms, bound by latency\n  busy: DRAM 7"));
  EXPECT_THAT(text, HasSubstr("\n  to move it: more work at a time: more blocks or warps, "));
  EXPECT_THAT(hone({"counters", "axpy/blocks", "--arch=sm_101"}).printed,
              Not(HasSubstr("time on ")));
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
  EXPECT_EQ(*kernel.getObject("roofline")->getString("resource"), llvm::StringRef("L2"));
  // Two blocks on two of 132 multiprocessors, which take 64 bytes in a clock each.
  EXPECT_DOUBLE_EQ(*kernel.getObject("roofline")->getNumber("l2_seconds"),
                   3 * 256 * 4 / (find_gpu("H100 SXM").clock_ghz * 2 * 64 * 1e9));
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

TEST(Counters, CountsOperationsOfARungOfTheHost) {
  EXPECT_EQ(hone({"counters", "axpy/serial"}).printed,
            "axpy/serial: N=1000, on the host\n\n"
            "as written; compilers keep elements in registers, and merge accesses\n\n"
            "flops   2 per result, 2000 in all\n"
            "loads   2 per result, 2000 in all\n"
            "stores  1 per result, 1000 in all\n");
  EXPECT_THAT(hone({"counters", "matmul/parallel", "-DM=8", "-DN=8", "-DK=10"}).printed,
              HasSubstr("\nflops   2*K per result, 1280 in all\n"
                        "loads   3*K per result, 1920 in all\n"
                        "stores  K + 1 per result, 704 in all\n"));
  const auto object = printed_object({"counters", "axpy/serial", "--json"});
  EXPECT_EQ(*object.getObject("host")->getNumber("flops"), 2000);
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

TEST(Counters, SayWhatTheCompilerLeaves) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const std::string text =
      hone_on({promoted()}, {"counters", "matmul/restrict", "-DM=64", "-DN=64", "-DK=32"}).printed;
  EXPECT_THAT(
      text, HasSubstr("  line 17   global load   C                    kept in a register\n"
                      "  line 17   global store  C                    moved out of the loop k\n"));
  EXPECT_THAT(text, HasSubstr("\nper result, as written: 3*K global loads, K + 1 global stores\n"
                              "per result, as compiled: 2*K global loads, 2 global stores\n"));
}

TEST(Counters, NumberTheLinesOfTheTextOfAllKernels) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  llvm::SmallVector<llvm::StringRef> shown, lines;
  const std::string text = hone_on({three_kernels()}, {"show", "chain/blocks"}).printed;
  const std::string counted = hone_on({three_kernels()}, {"counters", "chain/blocks"}).printed;
  llvm::StringRef(text).split(shown, '\n');
  llvm::StringRef(counted).split(lines, '\n');
  std::string found;
  for (llvm::StringRef line : lines) {
    unsigned number = 0;
    if (!line.consume_front("  line ") || line.consumeInteger(10, number)) continue;
    found += shown[number - 1].trim().str() + "\n";
  }
  EXPECT_EQ(found,
            "B[i] = A[i] * 2.0f;\nB[i] = A[i] * 2.0f;\n"
            "C[j] = B[j] + 1.0f;\nC[j] = B[j] + 1.0f;\n"
            "D[k] = C[k] * C[k];\nD[k] = C[k] * C[k];\n");
}

TEST(Counters, AreFiveAtMostUnlessAllAreAskedFor) {
  const std::string few = hone({"counters", "axpy/blocks"}).printed;
  const std::string all = hone({"counters", "axpy/blocks", "--all"}).printed;
  EXPECT_THAT(few, HasSubstr("\nglobal_load_sectors "));
  EXPECT_THAT(few, Not(HasSubstr("\nshared_wavefronts ")));
  EXPECT_THAT(few, Not(HasSubstr("branch_efficiency")));
  EXPECT_THAT(all, HasSubstr("\nbranch_efficiency "));
  EXPECT_THAT(all, HasSubstr("as written, on the simulated device\n"));
}

TEST(Counters, CountOperationsInDoublePrecision) {
  const auto of = [](const Ladder& ladder) {
    return hone_on({ladder}, {"counters", ladder.name + "/blocks"}).printed;
  };
  EXPECT_THAT(of(squares("doubles", f64)),
              testing::ContainsRegex("\ndouble_flops +65536 .*_op_.dadd,dmul,dfma._pred_on.sum\n"));
  EXPECT_THAT(of(squares("doubles", f64)), Not(HasSubstr("\nflops ")));
  EXPECT_THAT(of(squares("floats", f32)),
              testing::ContainsRegex("\nflops +65536 .*_op_.fadd,fmul,ffma._pred_on.sum\n"));
}

TEST(Counters, HaveNoShareOfAPeakThatIsNotKnown) {
  const std::string path = testing::TempDir() + "gpu_without_doubles.json";
  std::ofstream(path) << R"({"name": "Mine", "arch": "sm_90", "multiprocessors": 100,
 "fp32_per_clock": 128, "clock_ghz": 1.5, "fp32_tflops": 38.4, "dram_gb_per_s": 2000})";
  const std::string text =
      hone_on({squares("doubles", f64)}, {"counters", "doubles/blocks", "--gpu=" + path}).printed;
  EXPECT_THAT(text, HasSubstr("roofline of Mine, "));
  EXPECT_THAT(text, HasSubstr(" TFLOP/s; 0.0625 FLOP per byte of DRAM\n"));
}

}  // namespace counters_test
}  // namespace hone
