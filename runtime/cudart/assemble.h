// Machine code of a program's PTX, for count mode.
#pragma once

#include <string>
#include <vector>

namespace hone::cudart {

/// What `ptxas` makes of the PTX, with lines; nothing where there is no ptxas. Says why where it
/// fails, and then there is nothing either.
std::vector<char> assembled(const std::string& ptx, const std::string& ptxas);

}  // namespace hone::cudart
