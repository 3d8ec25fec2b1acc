// The command `export`, on small ladders.
#include "codegen/export.h"

#include "codegen/lower.h"
#include "command.h"
#include "runtime/files.h"
#include "runtime/npy.h"
#include "runtime/npz.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace {

using testing::HasSubstr;
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

}  // namespace
}  // namespace hone
