#include "tools/cli/command/nvcc.h"

#include <algorithm>
#include <filesystem>

#include "fmt/ranges.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc_search.h"
#include "runtime/process.h"

namespace hone {
namespace fs = std::filesystem;
namespace {

constexpr const char* library_name = "libcudart.so.13";

/// "13.0" of what `nvcc --version` prints; empty where it is no nvcc.
std::string release_of(const std::string& nvcc) {
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-nvcc-"));
  const std::string text = run_program({nvcc, "--version"}, folder.path() + "/answer").output;
  const llvm::StringRef release = llvm::StringRef(text).split("release ").second;
  return release.split(',').first.str();
}

/// The reason that it is not used; empty where it can be.
std::string defect_of(const std::string& nvcc) {
  if (!fs::exists(nvcc)) return "no nvcc in " + fs::path(nvcc).parent_path().string();
  const std::string release = release_of(nvcc);
  if (llvm::StringRef(release).startswith("13.")) return "";
  return fmt::format("{} is of CUDA {}, not of 13", nvcc, release.empty() ? "?" : release);
}

std::string folder_of_this_program() {
  static const char here = 0;
  const std::string path = llvm::sys::fs::getMainExecutable(nullptr, const_cast<char*>(&here));
  return fs::path(path).parent_path().string();
}

}  // namespace

std::vector<std::string> nvcc_places() {
  std::vector<std::string> folders;
  llvm::SmallVector<llvm::StringRef> in_path;
  const std::string path = environment("PATH").value_or("");
  llvm::StringRef(path).split(in_path, ':', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef folder : in_path)
    if (fs::exists((folder + "/nvcc").str())) folders.push_back(folder.str());
  for (const char* root : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto folder = environment(root)) folders.push_back(*folder + "/bin");
  const NvrtcPlaces places = NvrtcPlaces::of_this_process();
  for (const std::string& root : versioned_folders(places.system_folder, "cuda"))
    folders.push_back(root + "/bin");
  folders.push_back(places.wheels + "/nvidia/cu13/bin");
  return folders;
}

std::string find_nvcc(llvm::ArrayRef<std::string> folders) {
  std::vector<std::string> tried;
  for (const std::string& folder : folders) {
    const std::string defect = defect_of(folder + "/nvcc");
    if (defect.empty()) return folder + "/nvcc";
    if (std::ranges::find(tried, defect) == tried.end()) tried.push_back(defect);
  }
  throw RuntimeError(
      "nvcc of CUDA 13, which compiles whole CUDA programs, was not found; tried:\n  {}\n"
      "install a CUDA toolkit of version 13, which needs no GPU, or run `scripts/setup --nvcc`",
      fmt::join(tried, "\n  "));
}

std::string find_ptxas(llvm::ArrayRef<std::string> folders) {
  for (const std::string& folder : folders)
    if (fs::exists(folder + "/ptxas") && defect_of(folder + "/nvcc").empty())
      return folder + "/ptxas";
  return "";
}

std::string find_cudart() {
  const std::string here = folder_of_this_program();
  const std::vector<std::string> folders = {
      environment("HONE_CUDART_DIR").value_or(here + "/cudart"),
      fmt::format("{}/../{}/hone", here, HONE_LIBDIR)};
  for (const std::string& folder : folders)
    if (fs::exists(folder + "/" + library_name)) return fs::weakly_canonical(folder).string();
  throw RuntimeError("{}, Hone's own CUDA runtime, is not in {}", library_name,
                     fmt::join(folders, " or in "));
}

std::vector<std::string> nvcc_options(const std::string& cudart,
                                      llvm::ArrayRef<std::string> given) {
  std::vector<std::string> options = {"-cudart",
                                      "shared",
                                      "-no-compress",
                                      "-lineinfo",
                                      "-L" + cudart,
                                      "-include",
                                      cudart + "/cuda12_names.h"};
  const auto names_architecture = [](llvm::StringRef option) {
    return option.startswith("-arch") || option.startswith("-gencode") ||
           option.startswith("--gpu-") || option.startswith("--generate-code");
  };
  if (std::ranges::none_of(given, names_architecture))
    options.insert(options.end(), {"-arch=compute_90", "-code=compute_90"});
  options.insert(options.end(), given.begin(), given.end());
  return options;
}

}  // namespace hone
