// Whole programs, each in a process of its own.
#include "gmock/gmock.h"
#include "runtime/process.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace program_test {

using testing::EndsWith;
using testing::HasSubstr;

ProcessOutcome run(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  return run_program(words, folder.file("log"));
}

/// The program of tests/cudart/program with some arguments.
ProcessOutcome run_sample(std::vector<std::string> words) {
  words.insert(words.begin(), HONE_CUDART_PROGRAM);
  return run(words);
}

TEST(CudartProgram, SumsUpAtTheEnd) {
  EXPECT_EQ(run_sample({"add", "64", "3"}).output,
            "13 1714, counter 292\n"
            "hone: 3 launches of 1 kernel, 3 blocks, all checked: no findings\n");
}

TEST(CudartProgram, SaysOnceWhatHappensAtEachLaunch) {
  const ProcessOutcome outcome = run_sample({"race", "32", "3"});
  EXPECT_TRUE(outcome.success);
  EXPECT_THAT(outcome.output, HasSubstr("hone: in race:\nrace: cudaMalloc #1"));
  EXPECT_EQ(outcome.output.find("in race"), outcome.output.rfind("in race"));
  EXPECT_THAT(outcome.output,
              EndsWith("hone: 3 launches of 1 kernel, 3 blocks, all checked: 1 finding\n"));
}

TEST(CudartProgram, FailsForFindingsOnDemand) {
  const ScopedVariable fails("HONE_CUDA_FAIL", "1");
  EXPECT_FALSE(run_sample({"race", "32"}).success);
  EXPECT_TRUE(run_sample({"add", "32"}).success);
}

TEST(CudartProgram, ChecksTheFirstOfEqualLaunches) {
  const ScopedVariable launches("HONE_CUDA_LAUNCHES", "1");
  EXPECT_THAT(
      run_sample({"race", "32", "3"}).output,
      EndsWith("3 launches of 1 kernel, 3 blocks, 1 checked, of equal launches the first ones: "
               "1 finding\n"));
}

TEST(CudartProgram, RunsAllBlocksOnceWhereItChecksSome) {
  const ScopedVariable blocks("HONE_CUDA_BLOCKS", "2");
  EXPECT_EQ(run_sample({"add", "16", "2", "8"}).output,
            "4 571, counter 228\n"
            "hone: 2 launches of 1 kernel, 16 blocks, 4 checked, of large launches a sample: no "
            "findings\n");
}

TEST(CudartProgram, OnlyRunsOnDemand) {
  const ScopedVariable mode("HONE_CUDA_MODE", "run");
  EXPECT_THAT(run_sample({"race", "32"}).output,
              EndsWith("hone: 1 launch of 1 kernel, 1 block, none checked: no findings\n"));
}

TEST(CudartProgram, CountsRequestsByKernelAndShape) {
  const ScopedVariable mode("HONE_CUDA_MODE", "count");
  const std::string text = run_sample({"add", "64", "3"}).output;
  EXPECT_THAT(text, HasSubstr("hone: requests as PTX has them; ptxas may merge or drop some\n\n"
                              "scale_add: grid (1, 1, 1), block (64, 1, 1), 3 launches, each\n"));
  EXPECT_THAT(text, HasSubstr("\nglobal_load_requests                    2  "
                              "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\n"));
  EXPECT_THAT(text, EndsWith("hone: 3 launches of 1 kernel, 3 blocks, all counted: no findings\n"));
}

TEST(CudartProgram, CountsRequestsOfPtxWherePtxasFails) {
  const ScopedVariable mode("HONE_CUDA_MODE", "count"), ptxas("HONE_CUDA_PTXAS", "/bin/false");
  EXPECT_THAT(run_sample({"add", "64"}).output,
              HasSubstr("hone: /bin/false fails, so the accesses of PTX are counted: \n"));
}

TEST(CudartProgram, RefusesSettingsThatAreNone) {
  const ScopedVariable mode("HONE_CUDA_MODE", "fast");
  EXPECT_EQ(run_sample({"add", "32"}).output,
            "hone: HONE_CUDA_MODE=fast is neither `check`, `run` nor `count`\n");
  const ScopedVariable right("HONE_CUDA_MODE", "check"), blocks("HONE_CUDA_BLOCKS", "-3");
  EXPECT_EQ(run_sample({"add", "32"}).output,
            "hone: HONE_CUDA_BLOCKS=-3 is neither a number nor `all`\n");
}

TEST(CudartProgram, IsRunByTheCommand) {
  EXPECT_EQ(run({HONE_PROGRAM, "cuda", "--run", HONE_CUDART_PROGRAM, "add", "64"}).output,
            "1 190, counter 164\n"
            "hone: 1 launch of 1 kernel, 1 block, none checked: no findings\n");
  const ProcessOutcome failed =
      run({HONE_PROGRAM, "cuda", "--fail", HONE_CUDART_PROGRAM, "race", "32"});
  EXPECT_FALSE(failed.success);
}

}  // namespace program_test
}  // namespace hone
