// Machine code of a program's PTX, for count mode.
#pragma once

#include <string>
#include <vector>

namespace hone::cudart {

/// The cubin that `ptxas` makes of the PTX, with lines; empty where there is no ptxas, and where it
/// fails, which is told with the reason.
std::vector<char> assembled(const std::string& ptx, const std::string& ptxas);

}  // namespace hone::cudart
