// Findings by the accesses that they are about: many of one kind cost little.
#pragma once

#include <map>
#include <tuple>

#include "runtime/sim/finding.h"

namespace hone {

class FoldedFindings {
 public:
  /// Counts a finding; `describe` is called for the first of its kind.
  template <class Describe>
  void add(FindingKind kind, uint32_t access, uint32_t other, const Describe& describe) {
    const auto [known, is_new] = findings_.try_emplace({kind, access, other});
    if (is_new)
      known->second = describe();
    else
      ++known->second.count;
  }

  /// Hands all over.
  void move_to(Findings& findings) {
    for (auto& [key, finding] : findings_) findings.add(std::move(finding));
    findings_.clear();
  }

 private:
  std::map<std::tuple<FindingKind, uint32_t, uint32_t>, Finding> findings_;
};

}  // namespace hone
