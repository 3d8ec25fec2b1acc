// A libcuda whose GPU is this process's memory: for what a test cannot get from a real one, such as
// errors at will, and for machines without a GPU.
#pragma once

#include <array>
#include <memory>

#include "runtime/cuda/cuda_driver.h"
#include "runtime/device.h"

namespace hone {

/// A driver of its own, with two GPUs named "Fake GPU" of architecture sm_90: 1 MiB of memory,
/// 100000 bytes of shared memory per block. Kernels do nothing; the function "missing" does not
/// exist.
class FakeCuda {
 public:
  FakeCuda();

  const CudaDriver& driver() const { return *driver_; }
  Device device(int ordinal = 0) const { return Device(driver_->context(ordinal)); }

  /// Makes the next call of a function ("cuMemAlloc_v2") fail with `result`. After an error of a
  /// kernel (700 to 719) every call fails, as on a real GPU.
  void fail(const char* function, int result);

  /// Makes the GPU count, or the result of cuInit, what it is not: for drivers made afterwards.
  void set_device_count(int count);

  /// Of kernels, alone or in graphs.
  int launches() const;
  int graph_launches() const;
  /// Of those kernels, the ones that may start before the one before them has ended.
  int early_launches() const;
  /// The number of graphs that are not destroyed; instances of a graph count too.
  int live_graphs() const;
  /// Grid, block and dynamic shared bytes of the last launch.
  std::array<unsigned, 7> last_launch() const;
  /// Blocks of a cluster of the last launch that said how many; zeros before one.
  std::array<unsigned, 3> last_cluster() const;
  /// The value of what every module has as a variable, but by the name "missing".
  int variable() const;
  /// The number of allocations of memory so far, and of times that the host waited for the GPU.
  int allocations() const;
  int synchronizations() const;
  /// The number of allocations that are not freed.
  int live_allocations() const;
  /// The limit of dynamic shared memory that was last set for a function.
  int dynamic_shared_limit() const;

  const SharedLibrary& library() const { return library_; }

 private:
  int read_int(const char* variable) const;

  SharedLibrary library_;
  std::unique_ptr<CudaDriver> driver_;
};

}  // namespace hone
