// hone check of kernels that a person wrote.
#include <filesystem>

#include "command.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace check_kernel_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A tile in shared memory that is read backwards, behind a barrier or without one.
std::string reversing_kernel(const char* barrier) {
  return fmt::format(
      "kernel reverse[N](A: f32[N], C: f32[N]) grid((N + 31) / 32, 1, 1) block(32, 1, 1) "
      "@index32 {{\n"
      "  alloc T: f32[32] @shared(0)\n"
      "  T[thread.x] = A[block.x*32 + thread.x]\n"
      "{}"
      "  C[block.x*32 + thread.x] = T[31 - thread.x]\n"
      "}}\n",
      barrier);
}

TEST(Check, TakesAKernelFromAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("reverse.txt");
  write_new_file(path, reversing_kernel("  barrier\n"));
  const CommandResult result = hone({"check", "--kernel", path, "-DN=64"});
  EXPECT_EQ(result.printed, path + ": no findings in 2 blocks of 32 threads\n");
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
}

TEST(Check, ShowsFindingsAsJson) {
  const TemporaryFolder folder;
  const std::string path = folder.file("reverse.txt");
  write_new_file(path, reversing_kernel(""));
  const CommandResult result = hone({"check", "--kernel", path, "-DN=32", "--json"});
  EXPECT_EQ(result.status, 1);
  auto value = llvm::json::parse(result.printed);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object& row = *value->getAsArray()->front().getAsObject();
  EXPECT_FALSE(*row.getBoolean("is_clean"));
  const llvm::json::Object& finding = *row.getArray("findings")->front().getAsObject();
  EXPECT_EQ(finding.getString("kind")->str(), "race");
  EXPECT_EQ(finding.getString("tensor")->str() + finding.getString("element")->str(), "T[31]");
  ASSERT_EQ(finding.getArray("sites")->size(), 2u);
  for (const llvm::json::Value& site : *finding.getArray("sites")) {
    const llvm::json::Array& places = *site.getAsObject()->getArray("places");
    EXPECT_THAT(places[0].getAsString()->str(), testing::StartsWith("kernel line "));
  }
}

TEST(Check, ShowsBothAccessesOfARace) {
  const TemporaryFolder folder;
  const std::string path = folder.file("reverse.txt");
  write_new_file(path, reversing_kernel(""));
  const CommandResult result = hone({"check", "--kernel", path, "-DN=32"});
  EXPECT_EQ(result.printed, R"(race on T[31]: no barrier between two threads of a block
  block (0, 0, 0), thread (31, 0, 0) writes T[thread.x]
    kernel line 3: T[thread.x] = A[block.x*32 + thread.x]
    reverse.cu:7: T[threadIdx.x] = A[blockIdx.x * blockDim.x + threadIdx.x];
  block (0, 0, 0), thread (0, 0, 0) reads T[31 - thread.x]
    kernel line 4: C[block.x*32 + thread.x] = T[31 - thread.x]
    reverse.cu:8: C[blockIdx.x * blockDim.x + threadIdx.x] = T[31 - threadIdx.x];
  and 31 more like it
)" + path + ": 1 kind of findings, 32 in all, in 1 block of 32 threads\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Check, TellsOfBarriersThatNothingNeeds) {
  const TemporaryFolder folder;
  const std::string path = folder.file("reverse.txt");
  write_new_file(path, reversing_kernel("  barrier\n  barrier\n"));
  const CommandResult result = hone({"check", "--kernel", path, "-DN=32", "--unneeded-barriers"});
  EXPECT_THAT(result.printed,
              StartsWith("unneeded barrier: barrier 1 of 2: nothing is found without it\n"));
  EXPECT_THAT(result.printed, HasSubstr("\n    kernel line 5: barrier\n"
                                        "    reverse.cu:9: __syncthreads();\n"));
  EXPECT_THAT(result.printed, EndsWith(": no findings in 1 block of 32 threads, 2 hints\n"));
  EXPECT_EQ(result.status, 0);
}

/// Warp 0 fills a tile that warp 1 uses.
std::string handing_kernel(const char* comes, int threads) {
  return fmt::format(
      "kernel hand(A: f32[32], C: f32[32]) grid(1, 1, 1) block(96, 1, 1) @index32 {{\n"
      "  alloc T: f32[32] @shared(0)\n"
      "  if (thread.x < 32) {{\n"
      "    T[thread.x] = A[thread.x]\n"
      "{}"
      "  }}\n"
      "  if (thread.x >= 32 && thread.x < 64) {{\n"
      "    barrier @named(1, {})\n"
      "    C[thread.x - 32] = T[63 - thread.x]\n"
      "  }}\n"
      "}}\n",
      comes, threads);
}

TEST(Check, OfWarpsThatWaitForEachOther) {
  const TemporaryFolder folder;
  const std::string path = folder.file("hand.txt");
  write_new_file(path, handing_kernel("    barrier @named(1, 64)\n", 64));
  for (const char* order : {"--order=0", "--order=1", "--order=2"})
    EXPECT_EQ(hone({"check", "--kernel", path, order}).printed,
              path + ": no findings in 1 block of 96 threads\n");
  EXPECT_EQ(hone({"check", "--kernel", path, "--order=first"}).complained,
            "error: --order takes a number from 0 on, got 'first'\n");
}

TEST(Check, NamesTheLinesOfADeadlock) {
  const TemporaryFolder folder;
  const std::string path = folder.file("hand.txt");
  write_new_file(path, handing_kernel("", 64));
  EXPECT_EQ(
      hone({"check", "--kernel", path}).printed,
      R"(deadlock: nobody in block (0, 0, 0) can go on: warp 1 waits at `barrier @named(1, 64)`, where 32 of 64 threads have come; warps 0, 2 have ended
  block (0, 0, 0), thread (32, 0, 0)
    kernel line 7: barrier @named(1, 64)
    hand.cu:19: named_barrier<1, 64>();
)" + path +
          ": 1 kind of findings, 1 in all, in 1 block of 96 threads\n");
}

TEST(Check, RefusesAKernelWithoutItsSizes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("reverse.txt");
  write_new_file(path, reversing_kernel(""));
  expect_usage_error({"check", "--kernel", path}, "reverse has a size N; give it with -D N=SIZE");
  expect_usage_error({"check", "--kernel", path, "-DM=3"},
                     "there is no size 'M' in reverse; did you mean 'N'?");
}

TEST(Check, RefusesWhatIsNoKernel) {
  const TemporaryFolder folder;
  write_new_file(folder.file("axpy.txt"), "func axpy() { }");
  const std::string path = folder.file("axpy.txt");
  expect_failure({"check", "--kernel", path},
                 "--kernel: " + path +
                     " is a loop nest, as `show --emit=loops` prints it, which no option takes; "
                     "change the schedule instead, or the kernel of `show --emit=kernel`");
  write_new_file(folder.file("prose.txt"), "a kernel");
  expect_failure({"check", "--kernel", folder.file("prose.txt")},
                 folder.file("prose.txt") + ":1:1: expected 'kernel', found 'a'\n  a kernel\n  ^");
  expect_failure({"check", "--kernel=/no/such/kernel.txt"},
                 "cannot read /no/such/kernel.txt: No such file or directory");
}

/// A sum of eight blocks, by shuffles and the last block.
const char* const sum_kernel =
    R"(kernel total(A: f32[256], S: f32[1], P: f32[8], n: i32[1]) grid(8, 1, 1) block(32, 1, 1) @index32 {
  alloc last: bool[] @shared(0)
  alloc R: f32[] @registers
  R[] = A[block.x*32 + thread.x]
  for offset in 0..5 @unroll {
    R[] += shuffle_down(R[], 16 >> offset, 32)
  }
  if (thread.x == 0) {
    P[block.x] = R[]
    arrive last[] at n[0] of 8 after P
  }
  barrier
  if (last[]) {
    if (thread.x == 0) { S[0] = 0.0 }
    barrier
    if (thread.x < 8) { atomic S[0] += P[thread.x] }
  }
})";

TEST(Check, RefusesAKernelThatIsNotWellFormed) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& body) {
    write_new_file(folder.file("f.ir"),
                   "kernel f[n](A: f32[n]) grid(n, 1, 1) block(32, 1, 1) "
                   "@index32 { " +
                       body + " }");
    const CommandResult result = hone({"check", "--kernel", folder.file("f.ir"), "-D", "n=4"});
    std::filesystem::remove(folder.file("f.ir"));
    EXPECT_EQ(result.status, 1);
    return result.complained;
  };
  const std::string start = "error: " + folder.file("f.ir") + ": ";
  EXPECT_EQ(error_of("alloc S: f32[4294967296, 4294967296] @shared S[0, 0] = 1.0"),
            start + "S takes 9223372036854775807 bytes, and a block has at most 1048576\n");
  EXPECT_EQ(error_of("alloc S: f32[n] @shared S[0] = 1.0"),
            start + "the extent n of S is not a positive constant\n");
  EXPECT_EQ(error_of("reduce k in 0..4 @thread.x combine(shuffle) { A[0] += 1.0 }"),
            start + "k is bound to thread.x, and the loops of a kernel are serial or unrolled\n");
}

TEST(Check, SaysHowLongALongRunTakes) {
  // More memory than there is, so that nothing runs.
  const CommandResult result = hone({"check", "axpy/blocks", "-D", "N=1000000000000000"});
  EXPECT_THAT(result.complained,
              testing::StartsWith("axpy/blocks: 1.0e+15 trips through loops on the simulated "
                                  "device, which takes about 18519 hours; -D gives smaller sizes\n"
                                  "error: out of memory on the host: 12000000000000000 bytes "
                                  "wanted for X, Y and Z, "));
  EXPECT_EQ(result.status, 1);
}

TEST(Check, FindsARunAwayLoopAtOnce) {
  const TemporaryFolder folder;
  write_new_file(folder.file("f.ir"),
                 "kernel f[n](A: f32[n]) grid(1, 1, 1) block(1, 1, 1) @index32 {\n"
                 "  for k in 0..n {\n    for l in 0..n {\n      A[0] = 1.0\n    }\n  }\n}\n");
  const CommandResult result = hone({"check", "--kernel", folder.file("f.ir"), "-D", "n=1000000"});
  EXPECT_THAT(result.printed, HasSubstr("block (0, 0, 0) makes more than 4294967296 trips"));
  EXPECT_EQ(result.status, 1);
}

TEST(Check, TakesAKernelWhoseBlocksCountThemselvesIn) {
  const TemporaryFolder folder;
  const std::string path = folder.file("sum.txt");
  write_new_file(path, sum_kernel);
  EXPECT_EQ(hone({"check", "--kernel", path, "--unneeded-barriers"}).printed,
            path + ": no findings in 8 blocks of 32 threads\n");
  std::string without = sum_kernel;
  without.replace(without.find("    arrive last[] at n[0] of 8 after P"), 38,
                  "    last[] = block.x == 7");
  const std::string other_path = folder.file("without.txt");
  write_new_file(other_path, without);
  const CommandResult result = hone({"check", "--kernel", other_path});
  EXPECT_THAT(result.printed, HasSubstr("race on P[0]: nothing orders the blocks of a launch\n"
                                        "  block (0, 0, 0), thread (0, 0, 0) writes P[block.x]\n"
                                        "    kernel line 9: P[block.x] = R[]\n"));
  EXPECT_EQ(result.status, 1);
}

TEST(Check, ShowsWhereLanesAreMissing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("sum.txt");
  std::string text = sum_kernel;
  text.replace(text.find("block(32, 1, 1)"), 15, "block(24, 1, 1)");
  write_new_file(path, text);
  EXPECT_THAT(hone({"check", "--kernel", path}).printed,
              StartsWith("divergent shuffle: 24 lanes of a warp come to a shuffle of the first 32\n"
                         "  block (0, 0, 0), thread (0, 0, 0)\n"
                         "    kernel line 6: R[] += shuffle_down(R[], 16 >> offset, 32)\n"
                         "    total.cu:23: R += __shfl_down_sync(0xffffffff, R, offset);\n"));
}

}  // namespace check_kernel_test
}  // namespace hone
