#include "tools/cli/command/nvcc.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace nvcc_test {
namespace fs = std::filesystem;

/// A folder with a program `nvcc` that prints its version.
std::string folder_with_nvcc(const TemporaryFolder& root, const std::string& version) {
  const std::string folder = root.file("cuda-" + version);
  fs::create_directory(folder);
  std::ofstream(folder + "/nvcc") << "#!/bin/sh\necho 'Cuda compilation tools, release " << version
                                  << ", V" << version << ".88'\n";
  fs::permissions(folder + "/nvcc", fs::perms::owner_all);
  return folder;
}

TEST(Nvcc, IsTheFirstOfCuda13) {
  const TemporaryFolder root;
  const std::string old = folder_with_nvcc(root, "12.9"), wanted = folder_with_nvcc(root, "13.1"),
                    other = folder_with_nvcc(root, "13.0");
  EXPECT_EQ(find_nvcc({"/no/folder", old, wanted, other}), wanted + "/nvcc");
}

TEST(Nvcc, IsMissedWithAListOfWhatWasTried) {
  const TemporaryFolder root;
  const std::string old = folder_with_nvcc(root, "12.9");
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              find_nvcc({"/no/folder", old, old});
            }),
            "nvcc of CUDA 13, which compiles whole CUDA programs, was not found; tried:\n"
            "  no nvcc in /no/folder\n"
            "  " +
                old +
                "/nvcc is of CUDA 12.9, not of 13\n"
                "install a CUDA toolkit of version 13, which needs no GPU, or run `scripts/setup "
                "--nvcc`");
}

TEST(Nvcc, IsLookedForInPathAndToolkits) {
  const TemporaryFolder root;
  const std::string in_path = folder_with_nvcc(root, "13.0");
  const ScopedVariable path("PATH", ("/no/programs:" + in_path).c_str()),
      home("CUDA_HOME", "/home");
  const std::vector<std::string> places = nvcc_places();
  ASSERT_GE(places.size(), 3u);
  EXPECT_EQ(places[0], in_path);
  EXPECT_EQ(places[1], "/home/bin");
  EXPECT_THAT(places.back(), testing::EndsWith("/nvidia/cu13/bin"));
}

TEST(Nvcc, LeavesArchitecturesToTheUser) {
  const std::vector<std::string> own = nvcc_options("/x", {"-O1"}),
                                 theirs = nvcc_options("/x", {"-gencode", "arch=compute_80"});
  EXPECT_THAT(own, testing::Contains("-arch=compute_90"));
  EXPECT_THAT(own, testing::Contains("-L/x"));
  EXPECT_EQ(own.back(), "-O1");
  EXPECT_THAT(theirs, testing::Not(testing::Contains("-arch=compute_90")));
}

TEST(Nvcc, FindsTheRuntimeWhereItIsTold) {
  const TemporaryFolder folder;
  const ScopedVariable chosen("HONE_CUDART_DIR", folder.path().c_str());
  EXPECT_THAT(thrown_message<RuntimeError>([] { find_cudart(); }),
              testing::StartsWith("libcudart.so.13, Hone's own CUDA runtime, is not in " +
                                  folder.path() + " or in /"));
  std::ofstream(folder.file("libcudart.so.13")) << "";
  EXPECT_EQ(find_cudart(), fs::weakly_canonical(folder.path()).string());
}

}  // namespace nvcc_test
}  // namespace hone
