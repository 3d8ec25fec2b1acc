// Counters of a rung beside those of the rung that it builds on, with the meaning of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "tools/cli/profile/profile.h"

namespace hone {

/// A number that the page shows of a rung.
struct CounterMeaning {
  std::string_view name;     ///< as the table of a page has it: "global load sectors"
  std::string_view meaning;  ///< a sentence
  /// Of all kernels of a rung; nothing where there is no such number of several, or it is not
  /// known.
  std::optional<double> (*value)(const Profile&);
};

/// All of them, in the order in which they are shown.
llvm::ArrayRef<CounterMeaning> counter_meanings();

struct CounterChange {
  const CounterMeaning* counter;
  std::optional<double> before;  ///< nothing where there is no rung to compare with
  double after = 0;

  /// Differs by more than a hundredth.
  bool is_change() const;
};

/// The counters that are not 0 in both, as compiled where that is known. `before` may be null.
std::vector<CounterChange> counter_changes(const Profile* before, const Profile& after);

/// "1,048,576", "2.5": as a person reads it.
std::string amount_text(double amount);
/// "32x less", "1.5x more", "new", "gone"; empty where there is no change.
std::string change_text(const CounterChange& change);

}  // namespace hone
