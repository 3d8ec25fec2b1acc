#include "runtime/nvrtc/nvrtc_search.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "fmt/ranges.h"
#include "runtime/environment.h"
#include "runtime/error.h"

namespace hone {
namespace fs = std::filesystem;
namespace {

/// The reason that a library cannot be used as NVRTC, or nothing.
std::optional<std::string> defect(const SharedLibrary& library) {
  for (const char* symbol : {"nvrtcVersion", "nvrtcGetCUBIN", "nvrtcGetSupportedArchs"})
    if (!library.find(symbol))
      return fmt::format("{} has no {}; NVRTC 11.2 or newer is needed", library.path(), symbol);
  return std::nullopt;
}

/// One walk through the places: the library that it finds, or the list of places that it tried.
class Search {
 public:
  explicit Search(const NvrtcPlaces& places) : places_(places) {}

  std::optional<SharedLibrary> run() {
    if (auto library = among_loaded()) return library;
    for (const std::string& root : places_.toolkits)
      if (auto library = in_folders({root + "/lib64", root + "/lib"})) return library;
    if (auto library = by_loader()) return library;
    if (auto library = in_system()) return library;
    return in_wheels();
  }

  /// Opens `path`, and notes why it cannot be used.
  std::optional<SharedLibrary> open(const std::string& path) {
    try {
      SharedLibrary library = SharedLibrary::open(path);
      const auto reason = defect(library);
      if (!reason) return library;
      tried_.push_back(*reason);
    } catch (const RuntimeError& error) {
      tried_.push_back(error.what());
    }
    return std::nullopt;
  }

  /// The first usable library among all names in the folders, in order.
  std::optional<SharedLibrary> in_folders(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders)
      for (const std::string& name : places_.loader_names)
        if (fs::exists(folder + "/" + name))
          if (auto library = open(folder + "/" + name)) return library;
    tried_.push_back(fmt::format("no libnvrtc in {}", fmt::join(folders, ", ")));
    return std::nullopt;
  }

  const std::vector<std::string>& tried() const { return tried_; }

 private:
  std::optional<SharedLibrary> among_loaded() const {
    for (const std::string& name : places_.loader_names) {
      auto library = SharedLibrary::already_loaded(name);
      if (library && !defect(*library)) return library;
    }
    return std::nullopt;
  }

  std::optional<SharedLibrary> by_loader() {
    for (const std::string& name : places_.loader_names)
      if (auto library = open(name)) return library;
    return std::nullopt;
  }

  std::optional<SharedLibrary> in_system() {
    if (places_.system_folder.empty()) return std::nullopt;
    std::vector<std::string> folders;
    for (const std::string& root : versioned_folders(places_.system_folder, "cuda"))
      folders.push_back(root + "/lib64");
    if (!folders.empty()) return in_folders(folders);
    tried_.push_back(fmt::format("no {}/cuda*", places_.system_folder));
    return std::nullopt;
  }

  std::optional<SharedLibrary> in_wheels() {
    if (places_.wheels.empty()) return std::nullopt;
    std::vector<std::string> folders;
    for (const std::string& package : versioned_folders(places_.wheels + "/nvidia", ""))
      folders.push_back(package + "/lib");
    if (!folders.empty()) return in_folders(folders);
    tried_.push_back(fmt::format("no NVIDIA package in {}/nvidia", places_.wheels));
    return std::nullopt;
  }

  const NvrtcPlaces& places_;
  std::vector<std::string> tried_;
};

/// The library that HONE_NVRTC_PATH names. It is what the user asked for, so nothing else will do.
SharedLibrary open_chosen(const NvrtcPlaces& places) {
  Search search(places);
  const bool folder = fs::is_directory(places.chosen);
  auto library = folder ? search.in_folders({places.chosen}) : search.open(places.chosen);
  if (library) return *library;
  throw RuntimeError(
      "HONE_NVRTC_PATH={} is not usable: {}; name libnvrtc.so or its folder, or unset it to search "
      "the usual places",
      places.chosen, fmt::join(search.tried(), "; "));
}

/// The numbers in a folder's name: {13, 0} of "cuda-13.0", none of "cuda".
std::vector<int> version_of(const std::string& path) {
  std::vector<int> numbers;
  bool in_number = false;
  for (const char c : fs::path(path).filename().string()) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) numbers.push_back(0);
    if (digit) numbers.back() = std::min(numbers.back(), 100'000) * 10 + (c - '0');
    in_number = digit;
  }
  return numbers;
}

}  // namespace

NvrtcPlaces NvrtcPlaces::of_this_process() {
  NvrtcPlaces places;
  places.chosen = environment("HONE_NVRTC_PATH").value_or("");
  places.loader_names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = environment(variable)) places.toolkits.push_back(*root);
  places.system_folder = "/usr/local";
#ifdef HONE_CUDA_WHEELS_DIR
  places.wheels = HONE_CUDA_WHEELS_DIR;
#endif
  return places;
}

SharedLibrary find_nvrtc(const NvrtcPlaces& places) {
  if (!places.chosen.empty()) return open_chosen(places);
  Search search(places);
  if (auto library = search.run()) return *library;
  throw RuntimeError(
      "NVRTC, which compiles CUDA at run time, was not found; tried:\n  {}\n"
      "install a CUDA toolkit (11.2 or newer), or `pip install nvidia-cuda-nvrtc` and set "
      "HONE_NVRTC_PATH to libnvrtc.so or its folder",
      fmt::join(search.tried(), "\n  "));
}

std::string find_cuda_headers(const std::string& library_path, const NvrtcPlaces& places) {
  const std::string folder = fs::path(library_path).parent_path().string();
  std::vector<std::string> candidates = {folder + "/../include",
                                         folder + "/../../cuda_runtime/include"};
  for (const std::string& root : places.toolkits) candidates.push_back(root + "/include");
  if (!places.system_folder.empty())
    for (const std::string& root : versioned_folders(places.system_folder, "cuda"))
      candidates.push_back(root + "/include");
  for (const std::string& candidate : candidates)
    if (fs::exists(candidate + "/cuda_fp16.h")) return fs::canonical(candidate).string();
  return "";
}

std::vector<std::string> versioned_folders(const std::string& parent, const std::string& prefix) {
  std::vector<std::string> folders;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(parent, unreadable))
    if (entry.path().filename().string().starts_with(prefix) && fs::is_directory(entry.path()))
      folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end(), [](const std::string& lhs, const std::string& rhs) {
    const auto left = version_of(lhs), right = version_of(rhs);
    return left != right ? left > right : lhs < rhs;
  });
  return folders;
}

}  // namespace hone
