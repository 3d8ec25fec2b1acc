// The bits of a rung's results: the orders of its sums, and whether other runs, sizes and schedules
// lead to the same bits.
#pragma once

#include "ir/analysis/sum_order.h"
#include "llvm/Support/JSON.h"
#include "tools/cli/judge/problem.h"

namespace hone {

/// A comparison of results at some sizes, bit by bit, on inputs that have all digits.
struct BitsAtSizes {
  Sizes sizes;
  int64_t elements = 0, different = 0;
};

/// Both have results of the same names.
BitsAtSizes compare_bits(const Results& results, const Results& others, const Sizes& sizes);

/// Of a rung next to another one, or next to the program.
struct BitsComparison {
  std::vector<BitsAtSizes> at;
  std::vector<std::string> refused;  ///< why the rung does not run at others of the sizes
  std::string since;  ///< "step 3: s.bind(k, block.x);", which changes the bits; empty: not known

  int64_t elements() const;
  int64_t different() const;
};

struct NumbersReport {
  std::vector<SumOrder> orders;
  /// The steps that let parts be added as they come, as Provenance tells them.
  std::vector<std::string> arrivals;
  /// Params that orders depend on, and those that they do not.
  std::vector<std::string> depends_on, free_of;
  bool is_chosen_by_size = false;  ///< the schedule is another one at some of the sizes
  BitsComparison comparison;
};

/// Compares the rung with `other`, and where that is null with the ladder's program, at sizes
/// around the small ones that the simulated device takes, or at `given` alone. Throws RuntimeError
/// where the rung runs at none of them.
NumbersReport numbers_of(const RungRef& rung, const RungRef* other, const Sizes& given,
                         uint64_t seed);

/// The report as text; `what` is the name of what the rung is compared with: "the program".
std::string to_string(const NumbersReport& report, const std::string& what);
llvm::json::Object to_json(const NumbersReport& report);

}  // namespace hone
