#pragma once

#include <string>

namespace hone::ptx {

/// "sq(float)" of "_Z2sqf"; other names stay, also those that are types as such: "f".
std::string demangled(const std::string& name);

}  // namespace hone::ptx
