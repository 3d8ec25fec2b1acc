// Every rung of every ladder as the parameter of a test, and what its results ought to be.
#pragma once

#include <gtest/gtest.h>

#include <iosfwd>

#include "examples/ladders/ladders.h"
#include "runtime/compile.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {

struct RungCase {
  const Ladder& ladder;  ///< which lives as long as the process
  const Rung& rung;

  bool is_for_gpu() const { return rung.target == RungTarget::gpu; }
  /// "matmul/shared-32"
  std::string name() const { return ladder.name + "/" + rung.name; }
};
void PrintTo(const RungCase& rung_case, std::ostream* out);

std::vector<RungCase> all_rungs();
/// Those whose kernels run on a GPU.
std::vector<RungCase> gpu_rungs();

/// "matmul_shared_32": the name of the test with this parameter.
std::string test_name(const testing::TestParamInfo<RungCase>& info);

/// The arrays of a program, filled with numbers between -1 and 1, or with any integers. Gaps
/// between rows of floats are NaN.
std::vector<AnyArray> random_arrays(const Function& function, const Sizes& sizes,
                                    const Device& device);

/// True if C has the types of all tensors.
bool is_for_c(const Function& function);

/// The kernel as NVRTC compiles it for sm_90.
Compiled compiled_for_sm_90(const KernelFunction& kernel);

/// Runs rungs of a ladder next to its program without a schedule, which the host's compiler makes
/// fast, once for all rungs and sizes; the interpreter runs one with types that C lacks.
class PlainProgram {
 public:
  explicit PlainProgram(const Ladder& ladder);

  /// Expects the rung to compute what the program does, for each of `all_sizes`, which lack
  /// pitches, from random numbers, floats between -1 and 1; and to keep what lies between rows.
  /// Floats may be rounded otherwise.
  void expect_same(const Rung& rung, const std::vector<Sizes>& all_sizes,
                   const Device& device) const;
  /// The same of the simulated device, where loops run as C counts them.
  void expect_same_in_c_form(const Rung& rung, const std::vector<Sizes>& all_sizes) const;
  /// The same of the interpreter, bit by bit where additions keep their order.
  void expect_same_values(const Rung& rung, const std::vector<Sizes>& all_sizes) const;

 private:
  void expect_same(const Rung& rung, const std::vector<Sizes>& all_sizes,
                   llvm::function_ref<Kernel(const Schedule&)> compiled) const;
  std::vector<double> output(const Sizes& sizes) const;

  Schedule plain_;
  std::optional<Kernel> kernel_;  ///< where C has its types
};

}  // namespace hone
