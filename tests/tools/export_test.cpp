// The command `export`, on small ladders.
#include "codegen/export/export.h"

#include "codegen/lower.h"
#include "command.h"
#include "runtime/files.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace export_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of(const std::string& path) {
  return read_small_file(path, 1 << 20).value_or("there is no " + path);
}

TEST(Export, WritesFilesAndTellsTheirNames) {
  const TemporaryFolder folder;
  const CommandResult result = hone({"export", "axpy/blocks", "--to", folder.file("a/b")});
  EXPECT_EQ(result.status, 0);
  std::string names;
  for (const char* suffix : {".cu", ".h", ".json", ".py"})
    names += folder.file("a/b") + "/axpy" + suffix + "\n";
  EXPECT_THAT(result.printed, StartsWith(names));
  EXPECT_THAT(text_of(folder.file("a/b/axpy.h")),
              HasSubstr("inline Status launch(cudaStream_t stream, const float* X, const float* Y, "
                        "float* Z, Size N) {"));
}

TEST(Export, TakesSizesNameAndWidth) {
  const TemporaryFolder folder;
  const CommandResult result = hone({"export", "matmul/threads", "-D", "K=7", "--name", "product",
                                     "--index-bits=64", "--to", folder.path()});
  EXPECT_EQ(result.status, 0) << result.complained;
  const std::string header = text_of(folder.file("product.h"));
  EXPECT_THAT(header, HasSubstr("// product_kernel: grid ((N + 3) / 4, (M + 3) / 4, 1), block (4, "
                                "4, 1), no shared memory, 64-bit indices\n"));
  EXPECT_THAT(header, HasSubstr("float* C, Size M, Size N) {"));
  EXPECT_THAT(text_of(folder.file("product.cu")), HasSubstr("\nproduct_kernel(const float* "));
}

/// axpy with a rung whose callers promise what the expected size is a multiple of.
Ladder promising_axpy() {
  Ladder ladder = small_axpy();
  ladder.rungs.back().build = [](const Sizes& fixed, const Sizes& expected) {
    const Axpy p(fixed);
    Schedule s(p.program);
    if (!as_int(p.N) && expected.at("N") % 8 == 0) s.assume(p.N % 8 == 0);
    return s;
  };
  return ladder;
}

/// The promise is gone where the expected size does not keep it, and the size stays a param.
TEST(Export, BuildsForSizesThatAreExpected) {
  const TemporaryFolder folder;
  const auto header = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"export", "axpy/blocks", "--to", folder.path()});
    const CommandResult result = hone_on({promising_axpy()}, options);
    EXPECT_EQ(result.status, 0) << result.complained;
    return text_of(folder.file("axpy.h"));
  };
  const std::string promise = "// promised: N % 8 == 0\n", param = "float* Z, Size N) {";
  EXPECT_THAT(header({}), AllOf(HasSubstr(promise), HasSubstr(param)));
  EXPECT_THAT(header({"--expect", "N=7"}), AllOf(Not(HasSubstr(promise)), HasSubstr(param)));
  EXPECT_THAT(header({"-D", "N=8"}), AllOf(Not(HasSubstr(promise)), Not(HasSubstr(param))));
  expect_usage_error({"export", "axpy/blocks", "--to", "/tmp", "-D", "N=7", "--expect=N=8"},
                     "the size N is a constant by -D, and a param by --expect");
  expect_usage_error({"export", "axpy/blocks", "--to", "/tmp", "--expect=P=8"},
                     "there is no size 'P' in axpy; did you mean 'N'?");
}

TEST(Export, IsRefusedWithoutAFolderAndForTheHost) {
  expect_usage_error({"export", "axpy/blocks"}, "export writes to a folder; name it with --to");
  expect_usage_error({"export", "axpy/serial", "--to", "/tmp"},
                     "axpy/serial runs on the host; what is exported runs on a GPU");
  expect_usage_error({"export", "axpy/blocks", "--to", "/tmp", "--index-bits", "16"},
                     "--index-bits is 32 or 64, got '16'");
  expect_failure({"export", "axpy/blocks", "--to", "/tmp", "--name", "a.b"},
                 "'a.b' cannot name what is exported: a name is made of letters, digits and '_', "
                 "and does not begin with a digit; choose another name");
  const TemporaryFolder folder;
  write_new_file(folder.file("file"), "");
  expect_failure({"export", "axpy/blocks", "--to", folder.file("file")},
                 folder.file("file") + " is no folder");
}

/// The compiler cannot be asked here how many registers a thread takes.
TEST(Export, BoundsBlocksThatMayLackRegisters) {
  const Module module = lower(small_axpy().rungs[1].build({}, {}));
  EXPECT_THAT(export_cuda(module), HasSubstr("__global__ void\naxpy("));
  EXPECT_THAT(export_cuda(module, [](const KernelFunction&) { return true; }),
              HasSubstr("__global__ void __launch_bounds__(128)\naxpy("));
}

TEST(Export, WritesALibraryOfOneSource) {
  const TemporaryFolder folder;
  const CommandResult result =
      hone({"export", "matmul/threads", "--minimal", "--to", folder.path()});
  EXPECT_EQ(result.complained, "");
  std::string names;
  for (const char* name : {"CMakeLists.txt", "matmul.cu", "matmul.h", "matmul.py"})
    names += folder.file(name) + "\n";
  EXPECT_EQ(result.printed, names);
  EXPECT_THAT(text_of(folder.file("matmul.py")),
              HasSubstr("def matmul(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:"));
}

TEST(Run, TakesInputsFromAnArchive) {
  const TemporaryFolder folder;
  write_npz(folder.file("xy.npz"),
            {{"X", Array<float>({1, 2}, {2})}, {"Y", Array<float>({10, 20}, {2})}});
  const std::string x = "X=" + folder.file("xy.npz"), y = "Y=" + folder.file("xy.npz");
  const std::string z = folder.file("z.npy");
  const CommandResult result = hone(
      {"run", "axpy/blocks", "--device=sim", "--input", x, "--input", y, "--output", "Z=" + z});
  EXPECT_EQ(result.status, 0) << result.complained;
  EXPECT_THAT(Array<float>(read_npy(z)).to_vector(), testing::ElementsAre(12, 24));
}

}  // namespace export_test
}  // namespace hone
