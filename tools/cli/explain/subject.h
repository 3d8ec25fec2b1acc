// The profile that facts about speed are read from: amounts of all kernels, and per result.
#pragma once

#include "tools/cli/profile/profile.h"

namespace hone {

/// The least time that the kernels of a profile take, one after the other.
Bound bound_of(const Profile& profile, const Gpu& gpu);

/// A profile, and what its facts are about. Accesses are as compiled, where that is known.
struct Subject {
  const Profile& profile;
  const Gpu& gpu;

  /// Over all kernels.
  template <class Amount>
  double sum(Amount amount_of) const {
    double total = 0;
    for (const KernelProfile& kernel : profile.kernels)
      total += static_cast<double>(amount_of(kernel));
    return total;
  }

  MemoryCounts counts(AccessClass access_class) const;
  /// Of the accesses of a class, each as many as there are at the usual sizes.
  double cost(AccessClass access_class) const;
  double least_cost(AccessClass access_class) const;
  /// The kernel that moves most.
  const KernelProfile& largest() const;
  double per_result(double amount) const;
  /// The factor from the counted amount to that of as many results at the usual sizes, for an
  /// amount that a thread has.
  double growth(const KernelProfile& kernel, const SizeFormula& per_thread, double counted) const;
  /// The same of an amount that grows as the formula does.
  double growth(const KernelProfile& kernel, const SizeFormula& per_thread) const;
  /// Elements that the lanes ask for, of all tensors or of a tensor and its tiles.
  double elements_per_result(AccessClass access_class, llvm::StringRef cached = "") const;
};

/// The tensor that a tile is a part of: A of A.shared.
llvm::StringRef cached_name(llvm::StringRef tensor);

/// 0 where there is nothing to divide by.
double ratio(double dividend, double divisor);

}  // namespace hone
