// Rungs in check mode.
#pragma once

#include <set>

#include "runtime/sim/check.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/problem.h"

namespace hone {

/// What the arguments and temporaries of a lowered rung hold. Outputs hold nothing.
class RungData {
 public:
  RungData(const Module& module, const Problem& problem);

  /// For one of the module's kernels, which are to run in order.
  std::vector<SimArgument> arguments(const KernelFunction& kernel);
  /// The bytes of the outputs, one after the other.
  std::vector<std::byte> results() const;

 private:
  const Module& module_;
  std::map<std::string, AnyArray> arrays_;
  std::set<std::string> outputs_, written_;
};

/// Runs the kernels of a rung in check mode, one after the other.
std::vector<Finding> check_all(const Module& module, const Sizes& sizes, RungData& data,
                               const CheckOptions& options = {});

std::string texts_of(llvm::ArrayRef<Finding> findings);

}  // namespace hone
