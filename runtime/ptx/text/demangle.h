#pragma once

#include <string>

namespace hone::ptx {

/// "sq(float)" of "_Z2sqf"; other names stay, also those that are types as such: "f".
std::string demangled(const std::string& name);
/// "tile" of "_ZZ6kernelPfE4tile", which is "kernel(float*)::tile".
std::string plain_name(const std::string& name);

}  // namespace hone::ptx
