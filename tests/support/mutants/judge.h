// Kernels with mistakes, judged by check mode in many orders of the warps, and by their results.
#pragma once

#include "tests/support/mutants/right_kernels.h"

namespace hone {

struct MistakeJudgement {
  enum class Verdict : uint8_t {
    refused,     ///< by the verifier: no kernel
    found,       ///< in the order in which warps run by themselves, and in a random one
    in_orders,   ///< in some orders alone
    wrong,       ///< other results, and no finding in the first two orders
    equivalent,  ///< no finding, and the same results in all orders
  };

  Verdict verdict = Verdict::equivalent;
  std::string finding;  ///< the kind of the first one, or who refused it: "race"
  std::string text;     ///< of the finding
};

/// Compares kernels with the program that a right one computes.
class Judge {
 public:
  explicit Judge(const RightKernel& right);

  MistakeJudgement judge(const KernelFunction& kernel) const;
  /// The first finding in an order, or "other results"; empty where there is neither.
  std::string finding(const KernelFunction& kernel, uint64_t order) const;

  static constexpr uint64_t orders = 6;  ///< random ones

 private:
  /// Arguments before and after a run of the program.
  struct Data {
    Sizes sizes;
    Buffers inputs, expected;
  };
  struct Run {
    std::string finding, text;  ///< the first one
    bool is_right = false;
  };
  Run run(const KernelFunction& kernel, const Data& data, uint64_t order) const;
  /// For all sizes, up to the first finding.
  Run run_all(const KernelFunction& kernel, uint64_t order) const;

  std::vector<Data> data_;
};

}  // namespace hone
