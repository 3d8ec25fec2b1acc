// C functions as a person writes them, one for each rung that runs on the CPU: the yardstick of the
// C that Hone generates. They take any sizes.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct HandwrittenC {
  std::string rung;                  ///< "matmul/host"
  std::string source;                ///< has a function `hand` of these tensors and these sizes
  std::vector<std::string> tensors;  ///< float pointers
  std::vector<std::string> sizes;    ///< long
};

std::vector<HandwrittenC> handwritten_c();

}  // namespace hone
