// The accesses of the warps of a block to a shared tensor, whatever its layout.
#pragma once

#include <map>

#include "ir/memory/banks.h"

namespace hone {

class WarpTraffic {
 public:
  void add(const SharedAccess& access);

  bool empty() const { return requests() == 0 && one_element_.requests == 0; }
  /// Different instructions whose wavefronts depend on the layout.
  size_t requests() const { return times_.size(); }
  /// The counts where the tensor lies as `tensor` says; of as many instructions as it takes to find
  /// more wavefronts than `most`.
  BankCounts counts(const TensorNode& tensor, int64_t most = INT64_MAX) const;

 private:
  /// An instruction of a warp.
  struct Request {
    int64_t elements = 1;  ///< of a lane
    uint32_t active = 0;
    std::vector<int64_t> indices;  ///< of each lane, one after the other

    auto operator<=>(const Request&) const = default;
  };

  std::map<Request, int64_t> times_;
  BankCounts one_element_;  ///< of warps whose lanes all move the same
};

}  // namespace hone
