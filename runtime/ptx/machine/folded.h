// Findings by their kind and the two lines that they are about: many of one kind count as one.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/ptx/machine/report.h"

namespace hone::ptx {

/// Safe to use from several threads.
class FoldedFindings {
 public:
  explicit FoldedFindings(const Module& module) : module_(module) {}

  /// `describe` is called for the first one of its kind and lines.
  template <class Describe>
  void add(FindingKind kind, Place first, Place second, const Describe& describe) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] =
        findings_.try_emplace(Key(kind, std::minmax(number(first), number(second))));
    if (is_new)
      known->second = describe();
    else
      ++known->second.count;
  }

  /// Values that nobody wrote where a race, or use of what an engine has not ended, was found are
  /// no findings of their own. Returns whether there were any.
  bool move_to(std::vector<Report::Finding>& findings) {
    const size_t all = findings.size() + findings_.size();
    for (const auto& [key, finding] : findings_)
      if (!is_explained(finding)) findings.push_back(finding);
    findings_.clear();
    return findings.size() < all;
  }

 private:
  using Key = std::pair<FindingKind, std::pair<uint64_t, uint64_t>>;

  /// Of the line, where it is known; or else of the instruction.
  uint64_t number(Place place) const {
    const Function& function = module_.functions[place.function];
    const int at = function.instructions[place.instruction].location;
    if (at < 0) return uint64_t{1} << 63 | uint64_t{place.function} << 32 | place.instruction;
    const Location& location = module_.locations[at];
    return static_cast<uint64_t>(location.file) << 32 | static_cast<uint32_t>(location.line);
  }
  bool is_explained(const Report::Finding& finding) const {
    const auto explains = [](const auto& entry) {
      const FindingKind kind = entry.first.first;
      return kind == FindingKind::race || kind == FindingKind::unfinished_copy ||
             kind == FindingKind::unfinished_store || kind == FindingKind::unfinished_product;
    };
    return finding.kind == FindingKind::uninitialised_read &&
           std::any_of(findings_.begin(), findings_.end(), explains);
  }

  const Module& module_;
  std::mutex mutex_;
  std::map<Key, Report::Finding> findings_;
};

}  // namespace hone::ptx
