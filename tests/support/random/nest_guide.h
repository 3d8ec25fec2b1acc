// The parts of schedules of one nest: its axes and tensors, and steps that name them.
#pragma once

#include <vector>

#include "tests/support/random/step_draw.h"

namespace hone {

class NestGuide {
 protected:
  using Names = llvm::SmallVector<std::string, 6>;

  /// Chooses a nest of the function, which has at least one.
  NestGuide(Random& random, const Function& function);

  Step& add(llvm::StringRef primitive, llvm::ArrayRef<std::string> axes);
  Step& add(llvm::StringRef primitive, const std::string& tensor, llvm::ArrayRef<std::string> axes);
  /// Mostly.
  void bind(const std::string& axis, Kind kind, uint8_t dim);
  /// With a random strategy.
  void combine(const std::string& axis, Kind kind, uint8_t dim);
  Tail tail();
  /// Tail::pad, at so many percent: instructions of warps take no guards.
  Tail padded(int percent) {
    return random_.chance(random_.is_for_products() ? 99 : percent) ? Tail::pad : tail();
  }
  void split(const std::string& axis, int64_t size, Tail how = Tail::guard);
  std::string any_of(const Names& names) { return names[random_.below(names.size())]; }

  Random& random_;
  const Function& function_;
  std::vector<Step> steps_;
  Names spatial_, reductions_;  ///< of the nest
  TensorPtr result_;            ///< the tensor that it writes
  bool scatters_ = false;       ///< it writes where data say
  llvm::SmallVector<TensorPtr, 4> operands_;

 private:
  void add_axis(const For& loop);
};

/// Reduction axes split, fused, put in any order and bound to any index, each with a strategy of
/// its own.
std::vector<Step> combined_schedule(Random& random, const Function& function);

/// Tiles in shared memory that warps of their own fill.
std::vector<Step> roles_schedule(Random& random, const Function& function);

/// Tiles that an instruction of a warp multiplies; nothing where no definition is a product for
/// one.
std::vector<Step> tensor_schedule(Random& random, const Function& function);

/// The same by warpgroups, whose tensor cores read tiles in shared memory; results go to memory
/// while the next ones are computed.
std::vector<Step> warpgroup_schedule(Random& random, const Function& function);

/// Results that warps store by stmatrix, four, two or one matrix at a time; nothing where the
/// result has no two bytes.
std::vector<Step> matrix_store_schedule(Random& random, const Function& function);

/// An axis dealt out to the blocks of a cluster and their threads, which reduce it together.
std::vector<Step> clustered_schedule(Random& random, const Function& function);

/// Sums in parts, which the blocks of a cluster compute, and add up from each other's shared
/// memory.
std::vector<Step> shared_parts_schedule(Random& random, const Function& function);

/// Axes fused and split, so that each thread has a run of elements along them, in registers.
std::vector<Step> fused_schedule(Random& random, const Function& function);

}  // namespace hone
