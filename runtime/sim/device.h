// The simulated device: runs kernel IR on the host with a GPU's semantics. Blocks are spread over
// host threads; within a block each operation runs over all threads at once, in lockstep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "ir/interpret/buffer.h"
#include "runtime/error.h"

namespace hone {

struct SimProgram;

/// A mistake that no correct kernel makes: an access outside of a tensor, a barrier that not all
/// threads reach, a division by zero. Names the access, the element, the block, the thread and the
/// statement.
class SimError : public RuntimeError {
  using RuntimeError::RuntimeError;
};

/// The elements of a tensor that hold no value yet: check mode hands them on from kernel to kernel.
struct UnsetElements {
  std::vector<uint8_t> flags;  ///< by element: 1 where it holds none
  bool is_temporary = false;   ///< nobody wants what is there in the end
};

/// A tensor in host memory, as read_element and write_element have it (ir/scalar/scalar.h).
struct SimArgument {
  std::string name;
  void* data = nullptr;
  int64_t elements = 0;
  bool uninitialised = false;      ///< an output, no element of which holds a value before the run
  UnsetElements* unset = nullptr;  ///< those that hold none, where that is more than one kernel's
};

struct SimOptions {
  int threads = 0;  ///< of the host; 0: one per core
  bool check_bounds = true;
  /// Of the order in which parts of a block take turns, between any two statements that are
  /// watched; 0: they take turns where they wait, one after the other.
  uint64_t order = 0;
  /// Trips through loops that one block may make before it counts as hung.
  int64_t step_budget = int64_t{1} << 32;
};

/// A kernel that is ready to run. A value; copies share the compiled program.
class SimKernel {
 public:
  explicit SimKernel(const KernelFunction& kernel);

  /// Runs the whole grid; a grid with an extent of 0 does nothing. `arguments` are those of the
  /// kernel, in order. Throws SimError: of the failing blocks the one with the lowest number
  /// counts, however many host threads there are; what the arguments then hold is undefined. Throws
  /// RuntimeError where sizes, arguments and launch shape are not what the kernel or a GPU takes.
  void run(const Sizes& sizes, llvm::ArrayRef<SimArgument> arguments,
           const SimOptions& options = {}) const;

 private:
  std::shared_ptr<const SimProgram> program_;
};

}  // namespace hone
