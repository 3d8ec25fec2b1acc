// The text that comes before a user's, and headers in the place of those that NVRTC has not got.
#pragma once

#include <map>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace hone::ptx {

/// Types, limits and functions of C and C++ that kernels use, and that nvcc has by its host
/// headers.
const std::string& prelude();

/// The headers of the C and C++ libraries by name. `has_templates`: those of libcu++ stand behind
/// them, which takes a second to compile; else they are empty. The ones for cub/cub.cuh have what
/// works within kernels.
std::map<std::string, std::string> stand_in_headers(bool has_templates);

/// True if a header of the toolkit has something for kernels, and NVRTC compiles it.
bool is_for_kernels(llvm::StringRef header);

}  // namespace hone::ptx
