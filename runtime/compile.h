// From a scheduled program to something that runs.
//
//   Kernel kernel = compile(schedule);
//   kernel(a, b, c);
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "codegen/contract/launch_contract.h"
#include "ir/interpret/buffer.h"
#include "runtime/array.h"
#include "runtime/cuda/cuda_module.h"
#include "runtime/export.h"
#include "runtime/replaced_source.h"

namespace hone {

struct CompileOptions {
  std::optional<Device> device;  ///< default: a GPU where one answers, else the simulated device
  int index_bits = 0;            ///< 32, 64, or 0: what the constant sizes need
  int sim_threads = 0;           ///< host threads of the simulated device; 0: one per core
};

/// A program that was compiled for one device. A value.
class Kernel {
 public:
  /// Runs on arrays on the kernel's device, in the order of the program's arguments. Sizes are read
  /// off the shapes; `more` gives those that no shape tells. On a GPU it returns before the work is
  /// done: kernels, and the copies of arrays, run one after the other in the order in which they
  /// are asked for (the default stream), so that neither readers of the results nor a further run
  /// have to wait by themselves. Temporaries are kept for the next run, until the last copy of the
  /// kernel is gone. Host threads may run one kernel at the same time. Throws RuntimeError, before
  /// anything runs, where arrays and program do not fit; it says where the call stands.
  void run(llvm::ArrayRef<AnyArray> arrays, const Sizes& more = {},
           Location location = Location::current()) const;

  /// An array, and the place of the call that it is an argument of.
  struct FirstArray {
    template <class Array>
    FirstArray(const Array& array, Location location = Location::current())
        : array(array), location(location) {}
    AnyArray array;
    Location location;
  };

  template <class... More>
  void operator()(const FirstArray& first, const More&... more) const {
    run({first.array, AnyArray(more)...}, {}, first.location);
  }
  void operator()(Location location = Location::current()) const { run({}, {}, location); }

  const Device& device() const;
  /// Kernel IR; for the host, the one serial kernel.
  const Module& module() const;
  /// The facts and steps of a launch: run() goes by it.
  const LaunchContract& contract() const;
  /// The CUDA or C text, one kernel after another.
  const std::string& source() const;
  /// Writes the program, as it was scheduled, as files that need no Hone: see runtime/export.h. Of
  /// a kernel that was compiled for the host too.
  Exported export_to(const std::string& folder, const ExportOptions& options = {},
                     Location location = Location::current()) const;
  /// The functions that are loaded on the GPU, one per kernel; empty on other devices.
  llvm::ArrayRef<CudaFunction> functions() const;

  struct State;
  explicit Kernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  /// A kernel that is moved stays one: both share what was compiled.
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;

 private:
  void launch(llvm::ArrayRef<AnyArray> arrays, const Sizes& more) const;

  std::shared_ptr<const State> state_;
};

/// Compiles for a device. Throws ScheduleError where the schedule cannot run there, RuntimeError
/// where a compiler or the device is missing, CompileError where NVRTC refuses the generated code.
Kernel compile(const Function& function, const CompileOptions& options = {},
               Location location = Location::current());

/// The same for kernels that somebody wrote or changed by hand: `program` has their arguments, and
/// names them in messages. Runs on a GPU or on the simulated device.
Kernel compile(Module module, const Function& program, const CompileOptions& options = {},
               Location location = Location::current());

/// The same on a GPU, with the machine code of `replaced` in place of that of the module's CUDA
/// text: see runtime/replaced_source.h.
Kernel compile(Module module, const Function& program, const Device& gpu,
               const ReplacedSource& replaced, Location location = Location::current());

/// The sizes that the arrays' shapes give the params of a program, and `more`. Throws RuntimeError
/// where they contradict each other, leave a param open, or break an assumption of the program.
Sizes resolve_sizes(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays,
                    const Sizes& more);

/// Throws RuntimeError where arguments of the function, of which it writes one, share memory:
/// unless they are one array, the function may_alias, and each element is read before it is
/// written, by the iteration that writes it.
void check_overlap(const LaunchContract& contract, const Function& function,
                   llvm::ArrayRef<AnyArray> arrays);

/// Throws RuntimeError where a kernel moves vectors of an argument to or from memory at that
/// address, which is not a multiple of their bytes.
void check_alignment(const AlignmentCheck& check, const void* address);

/// The launch shape for these sizes. Throws RuntimeError where a GPU has no such shape, where the
/// sizes are too large for the kernel's indices, where index arithmetic of the kernel's text may
/// leave the bits that it has, and where it divides an index by a number that they make zero.
LaunchDims launch_dims(const KernelContract& kernel, const Sizes& sizes);
LaunchDims launch_dims(const KernelFunction& kernel, const Sizes& sizes);

}  // namespace hone
