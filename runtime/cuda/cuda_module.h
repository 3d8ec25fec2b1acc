// Machine code on a GPU, and how to start it.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/device.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {

/// The number of blocks, of threads in each, and of bytes of dynamic shared memory of each.
struct LaunchDims {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t shared_bytes = 0;
  /// Blocks of a cluster; ones where the launch says nothing, and the kernel itself may.
  std::array<int64_t, 3> cluster = {1, 1, 1};

  int64_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// Sets the shape of a launch in a structure of the driver's.
template <class Parameters>
void set_shape(Parameters& parameters, const LaunchDims& dims) {
  const auto extent = [](int64_t value) { return static_cast<unsigned>(value); };
  parameters.gridDimX = extent(dims.grid[0]);
  parameters.gridDimY = extent(dims.grid[1]);
  parameters.gridDimZ = extent(dims.grid[2]);
  parameters.blockDimX = extent(dims.block[0]);
  parameters.blockDimY = extent(dims.block[1]);
  parameters.blockDimZ = extent(dims.block[2]);
  parameters.sharedMemBytes = extent(dims.shared_bytes);
}

/// A kernel in a module, as a value; it keeps the module loaded.
class CudaFunction {
 public:
  /// The resources that the loaded kernel takes.
  struct Resources {
    int registers = 0;            ///< per thread
    int local_bytes = 0;          ///< per thread: stack and spills
    int static_shared_bytes = 0;  ///< per block
    int max_threads_per_block = 0;
  };

  const std::string& name() const { return name_; }
  const Resources& resources() const { return resources_; }

  /// Starts the kernel on the default stream and does not wait for it. `args` points to each
  /// argument's value. A grid without blocks does nothing. Throws RuntimeError where the dimensions
  /// exceed the device or the kernel, CudaError where the driver refuses.
  void launch(const LaunchDims& dims, llvm::ArrayRef<void*> args) const;
  /// The same of a kernel that waits by itself for the one before it: it may start while that runs.
  void launch_early(const LaunchDims& dims, llvm::ArrayRef<void*> args) const;

  /// Prepares a launch as launch() does, and throws as it does: the kernel can then be started with
  /// these dimensions by other calls of the driver, in the context of the calling thread.
  void prepare(const LaunchDims& dims) const;

  const CudaContext& context() const { return *context_; }
  /// The driver's.
  void* handle() const { return handle_; }
  /// "saxpy with grid (7, 1, 1), block (32, 1, 1) and 64 bytes of shared memory"
  std::string describe(const LaunchDims& dims) const;

  /// The number of blocks of this shape that a multiprocessor holds at once.
  int max_blocks_per_multiprocessor(int64_t threads, int64_t shared_bytes) const;

 private:
  friend class CudaModule;
  CudaFunction(std::shared_ptr<void> module, const CudaContext& context, void* handle,
               std::string name);
  void check(const LaunchDims& dims) const;
  void start(const LaunchDims& dims, llvm::ArrayRef<void*> args, bool is_early) const;
  void allow_shared_bytes(int64_t bytes) const;
  void allow_cluster(const LaunchDims& dims) const;
  void set_attribute(int which, int64_t value, const std::string& subject) const;

  std::shared_ptr<void> module_;
  const CudaContext* context_;
  void* handle_;
  std::string name_;
  Resources resources_;
};

/// Code that is loaded on one GPU.
class CudaModule {
 public:
  /// Loads the cubin, or the PTX where there is none. Throws RuntimeError with the driver's log.
  CudaModule(const Device& device, const Compiled& compiled, std::string name = "kernel");

  /// The kernel of that name. Throws RuntimeError where the module lacks it.
  CudaFunction function(const std::string& name) const;
  /// The address of a __device__ or __constant__ variable. Throws RuntimeError where there is none.
  void* address_of(const std::string& variable) const;

 private:
  const CudaContext* context_;
  std::shared_ptr<void> handle_;
  std::string name_;
};

}  // namespace hone
