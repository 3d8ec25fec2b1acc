// All that the CUDA runtime knows of the program that it runs in.
#pragma once

#include <map>
#include <mutex>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "runtime/cudart/allocations.h"
#include "runtime/cudart/binaries.h"
#include "runtime/cudart/counted.h"
#include "runtime/cudart/findings.h"
#include "runtime/cudart/settings.h"
#include "runtime/cudart/textures.h"
#include "runtime/cudart/work.h"

namespace hone::cudart {

/// The numbers of the summary at the end.
struct Counts {
  int64_t launches = 0, sampled_launches = 0;
  int64_t repeated_launches = 0;  ///< that were not checked, as equal ones were
  int64_t missing_launches = 0;   ///< of kernels that the simulated device does not run
  int64_t blocks = 0, checked_blocks = 0;
  int64_t checked_instructions = 0;  ///< of threads
  std::set<std::string> kernels;
};

struct State {
  std::recursive_mutex mutex;
  Settings settings;
  ptx::Memory memory;
  Allocations allocations{memory, settings.checks};
  Binaries binaries{settings.ptxas};
  Findings findings;
  Counts counts;
  CountedLaunches counted;  ///< in count mode
  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Graph> graphs;
  Handles<ExecutableGraph> executables;
  Handles<Array> arrays;
  std::map<uint64_t, BoundImage> images;  ///< texture and surface objects, by handle
  Stream default_stream;
  unsigned long long streams_made = 0;
  /// By kernel and shape: launches that were checked.
  std::map<std::string, int64_t> equal_launches;
  /// The mistake that ended a kernel: the device does no more work until it is reset.
  cudaError_t failure = cudaSuccess;
  /// The same once a call has waited: calls fail with it from then on.
  cudaError_t lost = cudaSuccess;

  State();
  /// The state of the process. It is never destroyed, as programs call the runtime until they end.
  static State& of_process();

  Stream& stream(cudaStream_t handle);
  /// Does the work, unless a kernel has failed.
  void run(const Work& work);
  /// Runs the work now, or captures it.
  void enqueue(cudaStream_t stream, cudaGraphNodeType type, Work work);
};

/// The body of a call of the runtime: alone in the process, with its errors as the program sees
/// them. It is not run where a kernel has failed before.
cudaError_t call(llvm::function_ref<void(State&)> body);
/// The same of a call that waits for the device, and so knows of kernels that have just failed.
cudaError_t waiting_call(llvm::function_ref<void(State&)> body);
/// The same where an earlier failure changes nothing.
cudaError_t call_always(llvm::function_ref<void(State&)> body);
/// The error of the thread's last call that failed; `forgets`: cudaSuccess from then on.
cudaError_t last_error(bool forgets);
/// The answer of functions that the simulated device has not got: they say so.
int refuse_by_name(const char* function);

/// "3 launches of 2 kernels ...": the line at the end of a program.
std::string summary_of(const State& state);

/// Throws CallError where it is null.
template <class Pointer>
Pointer* given(Pointer* pointer) {
  if (!pointer) throw CallError(cudaErrorInvalidValue);
  return pointer;
}

}  // namespace hone::cudart
