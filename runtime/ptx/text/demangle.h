#pragma once

#include <string>

namespace hone::ptx {

/// "sq(float)" of "_Z2sqf"; other names stay.
std::string demangled(const std::string& name);

}  // namespace hone::ptx
