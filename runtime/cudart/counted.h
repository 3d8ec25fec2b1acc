// The counts of a program's launches, for its end.
#pragma once

#include <map>
#include <string>

#include "runtime/ptx/device.h"

namespace hone::cudart {

class CountedLaunches {
 public:
  /// A launch with its report of count mode.
  void add(const std::string& kernel, const ptx::LaunchShape& shape, const ptx::Report& report);
  /// For each kernel and shape the counters that are not 0; empty where nothing was launched.
  std::string text() const;

 private:
  /// Launches of one kernel and one shape.
  struct Group {
    CountReport sum, last;
    bool are_equal = true;  ///< all have the counts of the last one
    int64_t launches = 0;
  };

  std::map<std::string, Group> groups_;
  bool are_compiled_ = true;
};

}  // namespace hone::cudart
