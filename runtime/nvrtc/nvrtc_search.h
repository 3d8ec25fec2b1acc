// The places on this machine where NVIDIA's run-time compiler may be.
#pragma once

#include <string>
#include <vector>

#include "runtime/shared_library.h"

namespace hone {

/// The places to look in, in this order. Every empty one is skipped.
struct NvrtcPlaces {
  std::string chosen;                     ///< a file or a folder; if set, nothing else is tried
  std::vector<std::string> loader_names;  ///< "libnvrtc.so.13": already loaded ones come first
  std::vector<std::string> toolkits;      ///< roots of toolkits, before the loader's own search
  std::string system_folder;              ///< holds cuda-13.0, cuda-12.4, ... ; the newest first
  std::string wheels;                     ///< a pip folder: <wheels>/nvidia/*/lib

  /// HONE_NVRTC_PATH, the names of NVRTC 11.2 to 13, CUDA_HOME and CUDA_PATH, /usr/local, and the
  /// wheels that Hone was built with.
  static NvrtcPlaces of_this_process();
};

/// Opens the first usable NVRTC. Throws RuntimeError that lists what was tried and how to get one.
SharedLibrary find_nvrtc(const NvrtcPlaces& places);

/// The folder of cuda_fp16.h that belongs to the library at `library_path`; empty if there is none.
std::string find_cuda_headers(const std::string& library_path, const NvrtcPlaces& places);

/// Folders matching <parent>/<prefix>*, newest version first: cuda-13.0, cuda-12.4, cuda.
std::vector<std::string> versioned_folders(const std::string& parent, const std::string& prefix);

}  // namespace hone
