// Facts about a rung's speed without a GPU: counters of the simulated device, the blocks that fit
// on a multiprocessor, and the least time that a GPU needs.
#pragma once

#include "codegen/cost/static_facts.h"
#include "llvm/Support/JSON.h"
#include "runtime/model/occupancy.h"
#include "runtime/model/roofline.h"
#include "runtime/nvrtc/ptxas.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/estimate/estimate.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/cli/measured_launch.h"
#include "tools/cli/profile/compiled_kernel.h"

namespace hone {

/// The target of a profile.
struct ProfileTarget {
  std::string arch;          ///< of the machine code that registers are read off: "sm_90"
  const Gpu* gpu = nullptr;  ///< of the roofline; null where none of that architecture is known
};

/// The target of "--arch" and "--gpu": either one follows from the other; by default the GPU whose
/// limits the simulated device has. Throws UsageError for what is not known, or does not fit.
ProfileTarget chosen_target(const Arguments& arguments);

/// A GPU by name, or the one of a file. Throws UsageError where there is none.
const Gpu& named_gpu(const std::string& name);

/// Registers and spills as the assembler reports them, or why it was not asked.
struct RegisterUse {
  std::optional<PtxasInfo> info;
  std::string missing;
};

struct KernelProfile {
  CountReport counts;  ///< of the kernel as it is written
  StaticFacts facts;
  RegisterUse registers;
  std::optional<CompiledKernel> compiled;  ///< nothing where there was no compiler
  BlockResources block;                    ///< without registers where they are not known
  Occupancy occupancy;
  Work work;                          ///< as compiled, where that is known
  std::optional<EstimatedTime> time;  ///< nothing where there was no compiler, or no GPU is known
  std::vector<MeasuredCounter> measured;  ///< beside those as compiled; empty where nobody asks

  /// Of an access, as compiled where that is known.
  MemoryCounts counts_of(const AccessReport& access) const;
  /// Elements per result, as compiled where that is known.
  SizeFormula per_result(AccessClass access_class) const;
  SizeFormula written_per_result(AccessClass access_class) const;
  /// Instructions of warps, of all blocks, at the counted sizes: of machine code where there is a
  /// time, else of PTX; 0 where they are not known.
  double warp_instructions() const;
};

/// The counts of a kernel, with accesses as compiled where that is known.
CountReport counts_as_compiled(const KernelProfile& kernel);

struct Profile {
  Sizes sizes;
  Sizes usual;  ///< those that the rung is meant for: facts weigh what they do there
  Module module;
  int64_t results = 0;  ///< elements of the outputs
  std::vector<KernelProfile> kernels;
};

/// Of all kernels, one behind the other; nothing where that of one is not known.
std::optional<EstimatedTime> time_of(const Profile& profile);

/// Counts the rung's kernels, or those that take their place, on random inputs. `options` are those
/// of count(). Throws what a run on the simulated device throws.
Profile profile_rung(const RungRef& rung, const Sizes& sizes, uint64_t seed,
                     const CountOptions& options, const ProfileTarget& target,
                     const UserText* edited = nullptr);

/// The options of "--blocks". Throws UsageError where that is no number.
CountOptions chosen_count(const Arguments& arguments);

/// The least that a launch moves and computes. Of global memory, an argument's elements cross DRAM
/// once if the launch touches all of them; its requests cross between L2 and L1 each time.
Work work_of(const KernelProfile& profile, llvm::ArrayRef<SimArgument> arguments,
             const KernelFunction& kernel);

/// Counters, occupancy and roofline of each kernel: those that matter first and are not 0, or all.
std::string to_string(const Profile& profile, const ProfileTarget& target, bool is_all);
/// "as compiled by NVRTC 13.0 for sm_90", or why counts are those of accesses as written.
std::string basis_text(const Profile& profile, const ProfileTarget& target);
llvm::json::Value to_json(const Profile& profile, const ProfileTarget& target);
llvm::json::Value to_json(const Gpu& gpu, const Bound& bound);

}  // namespace hone
