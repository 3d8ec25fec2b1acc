#include "runtime/nvrtc/nvrtc_search.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace nvrtc_search_test {
namespace fs = std::filesystem;

/// Names no loader knows, so that this machine's own NVRTC stays out of the search.
NvrtcPlaces nowhere() {
  NvrtcPlaces places;
  places.loader_names = {"libhone-no-such-nvrtc.so.2", "libhone-no-such-nvrtc.so.1"};
  return places;
}

std::string refusal(const NvrtcPlaces& places) {
  return thrown_message<RuntimeError>([&] { find_nvrtc(places); });
}

TEST(NvrtcSearch, ListsWhatItTriedAndHowToGetNvrtc) {
  const TemporaryFolder folder;
  NvrtcPlaces places = nowhere();
  places.toolkits = {"/no/toolkit"};
  places.system_folder = folder.path();
  places.wheels = "/no/wheels";
  EXPECT_EQ(
      refusal(places),
      "NVRTC, which compiles CUDA at run time, was not found; tried:\n"
      "  no libnvrtc in /no/toolkit/lib64, /no/toolkit/lib\n"
      "  libhone-no-such-nvrtc.so.2: cannot open shared object file: No such file or "
      "directory\n"
      "  libhone-no-such-nvrtc.so.1: cannot open shared object file: No such file or "
      "directory\n"
      "  no " +
          folder.path() +
          "/cuda*\n"
          "  no NVIDIA package in /no/wheels/nvidia\n"
          "install a CUDA toolkit (11.2 or newer), or `pip install nvidia-cuda-nvrtc` and set "
          "HONE_NVRTC_PATH to libnvrtc.so or its folder");
}

TEST(NvrtcSearch, TriesNothingElseWhereTheChosenOneIsUnusable) {
  NvrtcPlaces places = NvrtcPlaces::of_this_process();
  places.chosen = "/no/libnvrtc.so";
  EXPECT_EQ(
      refusal(places),
      "HONE_NVRTC_PATH=/no/libnvrtc.so is not usable: /no/libnvrtc.so: cannot open shared "
      "object file: No such file or directory; name libnvrtc.so or its folder, or unset it to "
      "search the usual places");
  const TemporaryFolder folder;
  places.chosen = folder.path();
  EXPECT_EQ(refusal(places),
            "HONE_NVRTC_PATH=" + folder.path() + " is not usable: no libnvrtc in " + folder.path() +
                "; name libnvrtc.so or its folder, or unset it to search the usual "
                "places");
}

TEST(NvrtcSearch, RefusesALibraryThatIsNotNvrtc) {
  NvrtcPlaces places = nowhere();
  places.chosen = "libm.so.6";
  EXPECT_THAT(refusal(places),
              testing::ContainsRegex("HONE_NVRTC_PATH=libm.so.6 is not usable: [^ ]*libm.so.6 has "
                                     "no nvrtcVersion; NVRTC 11.2 or newer is needed; name"));
}

TEST(NvrtcSearch, AsksTheEnvironment) {
  const ScopedVariable chosen("HONE_NVRTC_PATH", "/chosen");
  const ScopedVariable home("CUDA_HOME", "/home"), path("CUDA_PATH", "/path");
  const NvrtcPlaces places = NvrtcPlaces::of_this_process();
  EXPECT_EQ(places.chosen, "/chosen");
  EXPECT_THAT(places.toolkits, testing::ElementsAre("/home", "/path"));
}

TEST(NvrtcSearch, OrdersFoldersByVersion) {
  const TemporaryFolder folder;
  for (const char* name : {"cuda", "cuda-9.2", "cuda-12.4", "cuda-12.10", "lib", "cuda-13.0"})
    fs::create_directory(folder.file(name));
  write_new_file(folder.file("cuda-99"), "not a folder");
  EXPECT_THAT(
      versioned_folders(folder.path(), "cuda"),
      testing::ElementsAre(folder.file("cuda-13.0"), folder.file("cuda-12.10"),
                           folder.file("cuda-12.4"), folder.file("cuda-9.2"), folder.file("cuda")));
}

/// Each place, with this machine's NVRTC put there.
class NvrtcPlacement : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  /// A folder of the temporary one with a link to NVRTC.
  std::string place(const std::string& relative) {
    const fs::path link = fs::path(folder_.file(relative)) / places_.loader_names.back();
    fs::create_directories(link.parent_path());
    fs::create_symlink(fs::canonical(nvrtc_info()->path), link);
    return link.string();
  }

  TemporaryFolder folder_;
  NvrtcPlaces places_ = nowhere();
};

TEST_F(NvrtcPlacement, IsFoundByFileAndByFolder) {
  places_.chosen = nvrtc_info()->path;
  EXPECT_EQ(find_nvrtc(places_).path(), nvrtc_info()->path);
  places_.chosen = fs::path(place("chosen")).parent_path();
  EXPECT_EQ(find_nvrtc(places_).path(), nvrtc_info()->path);
}

TEST_F(NvrtcPlacement, IsFoundInAToolkit) {
  place("toolkit/lib");
  places_.toolkits = {"/no/toolkit", folder_.file("toolkit")};
  EXPECT_EQ(find_nvrtc(places_).path(), nvrtc_info()->path);
}

TEST_F(NvrtcPlacement, IsFoundAmongTheSystemsToolkits) {
  place("local/cuda-13.0/lib64");
  places_.system_folder = folder_.file("local");
  EXPECT_EQ(find_nvrtc(places_).path(), nvrtc_info()->path);
}

TEST_F(NvrtcPlacement, IsFoundAmongWheels) {
  place("wheels/nvidia/cu13/lib");
  places_.wheels = folder_.file("wheels");
  EXPECT_EQ(find_nvrtc(places_).path(), nvrtc_info()->path);
}

TEST_F(NvrtcPlacement, HasItsHeadersBesideIt) {
  fs::create_directories(folder_.file("cuda/include"));
  write_new_file(folder_.file("cuda/include/cuda_fp16.h"), "");
  EXPECT_EQ(find_cuda_headers(folder_.file("cuda/lib64/libnvrtc.so"), places_), "");
  fs::create_directories(folder_.file("cuda/lib64"));
  EXPECT_EQ(find_cuda_headers(folder_.file("cuda/lib64/libnvrtc.so"), places_),
            fs::canonical(folder_.file("cuda/include")));
}

}  // namespace nvrtc_search_test
}  // namespace hone
