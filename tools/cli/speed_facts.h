// The facts about a rung's speed that explanations are made of: a table.
#pragma once

#include "tools/cli/profile.h"

namespace hone {

/// What the kernels of a profile take at least, one after the other.
Bound bound_of(const Profile& profile, const Gpu& gpu);

/// A profile, and what its facts are about.
struct Subject {
  const Profile& profile;
  Bound bound;

  Subject(const Profile& profile, const Gpu& gpu);

  /// Over all kernels.
  template <class Amount>
  double sum(Amount amount_of) const {
    double total = 0;
    for (const KernelProfile& kernel : profile.kernels)
      total += static_cast<double>(amount_of(kernel.counts));
    return total;
  }

  MemoryCounts counts(AccessClass access_class) const;
  /// The kernel with the fewest resident warps.
  const KernelProfile& emptiest() const;
  double per_result(double amount) const;
  /// Elements that the lanes ask for, of all tensors or of a tensor and its tiles.
  double elements_per_result(AccessClass access_class, llvm::StringRef cached = "") const;
};

/// What a tile is a part of: A of A.shared.
llvm::StringRef cached_name(llvm::StringRef tensor);

struct Fact {
  const char* what;  ///< a plural
  const char* unit;  ///< behind the amounts
  double (*amount)(const Subject&);
  std::string (*text)(const Subject&);  ///< of the amount
  /// What part of the roofline's time the amount is a factor of; null: of none.
  double (*seconds)(const Subject&);
  /// Why the amount is another one than before; empty where the counts do not tell.
  std::string (*reason)(const Subject& before, const Subject& after);
  double nothing = 0;  ///< the amount that is not worth a word
};

llvm::ArrayRef<Fact> speed_facts();

}  // namespace hone
