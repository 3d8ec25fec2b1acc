// The rows of a ladder: what became of each rung, as a line of a table.
#pragma once

#include <string>
#include <vector>

#include "ir/interpret/buffer.h"

namespace hone {

/// The result of a rung; times are 0 where there are none.
struct Outcome {
  std::string rung, device, check, problem;
  Sizes sizes;
  std::string time = "-";   ///< also one that was not waited for
  double milliseconds = 0;  ///< of a device whose times say something
  double gflops = 0, gb_per_s = 0, share_of_peak = 0;
  double over_first = 0, over_before = 0;  ///< factors of speed
  std::vector<double> counters = {};       ///< shown_counters, of the simulated device
};

/// Widths of the columns that hold text; columns of numbers have fixed widths.
struct Widths {
  size_t rung = 4, device = 6, size = 4;
};

/// Columns of numbers that a table has: those that say something of one of its rungs.
struct NumberColumns {
  bool time = true;
  bool rates = true;  ///< of operations and bytes, and factors of speed
  bool counters = false;
};

/// Lines of a table.
class LadderRows {
 public:
  LadderRows(const Widths& widths, const NumberColumns& columns)
      : widths_(widths), columns_(columns) {}

  std::string titles() const;
  std::string line(const Outcome& outcome) const;

 private:
  std::string line(llvm::ArrayRef<std::string> texts, llvm::ArrayRef<std::string> numbers) const;

  Widths widths_;
  NumberColumns columns_;
};

}  // namespace hone
