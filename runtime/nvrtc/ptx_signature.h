// The parameters of the kernels in PTX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct PtxSignature {
  std::string name;
  std::vector<int> param_bytes;  ///< of each parameter
};

/// Of the kernels of a text, in its order.
std::vector<PtxSignature> read_signatures(std::string_view ptx);

}  // namespace hone
