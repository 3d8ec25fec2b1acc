// Checks that hold for every schedule that was accepted.
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "dsl/schedule.h"
#include "runtime/compile.h"
#include "tests/support/random/random_program.h"

namespace hone {

/// One of the checks found a difference. `check` is its name, as in "round trip".
class CheckFailure : public std::runtime_error {
 public:
  CheckFailure(std::string check, const std::string& message)
      : std::runtime_error(message), check_(std::move(check)) {}
  const std::string& check() const { return check_; }

 private:
  std::string check_;
};

struct GpuCheck {
  int index_bits = 0;  ///< of CompileOptions
  /// Also run the kernels in check mode, which has to find no mistake: as they stand, and in the
  /// form of C.
  bool in_check_mode = false;
};

/// The result of lowering for the GPU. A refusal has a reason: "parallel", "block size".
struct GpuResult {
  std::string refusal, refusal_message;
  bool has_grid = false, has_block = false;
  bool has_barrier = false, has_registers = false, has_shared = false, has_vectors = false;
  bool has_atomics = false, has_shuffles = false, has_arrivals = false;
  bool has_tests = false;  ///< of mbarriers
  bool has_async_copies = false, has_bulk_copies = false, has_bulk_stores = false;
  bool has_clusters = false, has_mbarriers = false;
  std::set<std::string> warp_instructions;  ///< their words; of a wgmma, with any columns
  bool has_engines() const {
    return has_async_copies || has_bulk_copies || has_bulk_stores || has_mbarriers;
  }
  std::string source;  ///< CUDA
};

/// Notes what the kernels of the module have.
void describe(const Module& module, GpuResult& result);

/// Compares functions with the program that they schedule, for those of its sizes that a function
/// takes. All checks throw CheckFailure.
class ProgramChecker {
 public:
  /// Runs the program without a schedule on all of its sizes, and compares with the reference.
  ProgramChecker(const RandomProgram& program, uint64_t seed);

  /// After step `number`: well-formed, reads back as it prints, and computes the same for one of
  /// the sizes.
  void check_step(const Function& function, size_t number) const;

  /// Computes the same for all sizes, and a new schedule on which the trace is replayed is equal,
  /// as steps and as text.
  void check_end(const Schedule& schedule) const;

  /// The simulated device computes the same for all sizes, no kernel has a race, and the CUDA text
  /// comes out the same twice.
  GpuResult check_gpu(const Function& function, const GpuCheck& options) const;

  /// The GPU computes the same for all sizes. Refused where nothing moves past the threads, and
  /// blocks are no clusters: there is little that a GPU takes otherwise than the simulated device.
  GpuResult check_on_gpu(const Function& function, int index_bits) const;

  /// The C compiler's code computes the same for all sizes; false where C lacks a type.
  bool check_host(const Function& function) const;

 private:
  struct Run {
    Sizes sizes;
    Buffers before, after;
  };

  const RandomProgram& program_;
  const uint64_t seed_;
  std::vector<Run> runs_;

  /// Those whose sizes are as the function was told to assume.
  std::vector<const Run*> runs_of(const Function& function) const;
  /// What `run` says of the compiled function, which is refused where a GPU cannot have it.
  GpuResult judge(const Function& function, const CompileOptions& options, const char* check,
                  llvm::function_ref<void(const Kernel&, GpuResult&)> run) const;
  void check_replay(const Schedule& schedule, llvm::function_ref<void(Schedule&)> replay) const;
  void check_run(const Kernel& kernel, const Function& function, const Run& run,
                 const char* check) const;
  void check_runs(const Kernel& kernel, const Function& function, const GpuCheck& options) const;
  void check_in_check_mode(const Module& module, const Function& function, const Run& run) const;
  /// Loops that run as C counts them compute the same, and are as free of mistakes.
  void check_c_form(const Module& module, const Function& function, const Run& run) const;
  /// Checks that the interpreter ran the program as its definitions say.
  void check_reference(const Run& run) const;
  void check_interpreter(const Function& function, const Run& run) const;
  void expect_equal(const Function& function, const Run& run, const Buffers& buffers,
                    const char* check) const;
};

}  // namespace hone
