// NVIDIA's driver, opened when it is first asked for: contexts, errors, and the state that errors
// leave.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device_properties.h"
#include "runtime/error.h"
#include "runtime/shared_library.h"

namespace hone {

struct CudaApi;
class CudaDriver;

/// A call to the driver that failed.
class CudaError : public RuntimeError {
 public:
  CudaError(const std::string& message, int code) : RuntimeError("{}", message), code_(code) {}

  /// The CUresult: 700 for an illegal address.
  int code() const { return code_; }

 private:
  int code_;
};

/// There is not enough memory on the device, which goes on working.
class OutOfMemoryError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// True for the errors after which a context answers every call with the same error: an illegal
/// address, a failed launch, an assertion in a kernel, an uncorrectable memory error.
bool is_sticky_cuda_error(int code);

/// One GPU and its primary context, which other libraries in the process share. Thread-safe.
class CudaContext {
 public:
  CudaContext(const CudaDriver& driver, int ordinal);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  int ordinal() const { return ordinal_; }
  const DeviceProperties& properties() const { return properties_; }
  const CudaApi& api() const;

  /// Makes the context that of the calling thread. Throws CudaError with the original cause where
  /// an earlier error has killed the context.
  void enter() const;

  /// Throws CudaError unless `result` is success. `call` names the driver's function, `subject`
  /// the thing that it was about. A sticky error kills the context for good. The error of a kernel
  /// shows in a later call, so the message names the kernels that were under way.
  void check(int result, std::string_view call, std::string_view subject = {}) const;

  /// Notes that a kernel is under way until the next synchronize().
  void launched(const std::string& kernel) const;

  /// Waits for all work of the context.
  void synchronize() const;

  bool alive() const;

  /// Bytes that are free on the device, those of other processes taken into account.
  size_t free_memory() const;

  /// Memory of `bytes` > 0, aligned to 256 bytes. Throws OutOfMemoryError.
  void* allocate(size_t bytes) const;
  /// Gives memory back. Never throws: a dead context has lost its memory already.
  void release(void* memory) const noexcept;
  /// Unloads a module. Never throws, for the same reason.
  void unload(void* module) const noexcept;
  void copy_to_device(void* device, const void* host, size_t bytes) const;
  void copy_to_host(void* host, const void* device, size_t bytes) const;
  void copy_on_device(void* to, const void* from, size_t bytes) const;
  void fill(void* memory, unsigned char byte, size_t bytes) const;

 private:
  std::string kernels_under_way() const;
  void finished() const;

  const CudaDriver& driver_;
  int ordinal_;
  void* handle_ = nullptr;
  DeviceProperties properties_;

  mutable std::mutex mutex_;
  mutable std::vector<std::string>
      under_way_;  ///< kernels since the last synchronize(), none twice
  mutable std::string cause_of_death_;
  mutable int code_of_death_ = 0;
};

/// The driver library and the GPUs that it answers for.
class CudaDriver {
 public:
  /// Initialises the driver in `library`. Throws RuntimeError where it is a stub, is too old, or
  /// finds no GPU.
  explicit CudaDriver(const SharedLibrary& library);
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  /// The driver of this process: HONE_LIBCUDA_PATH, or libcuda.so.1. Throws RuntimeError that says
  /// why there is none, the same at each call.
  static const CudaDriver& of_this_process();

  const CudaApi& api() const { return *api_; }
  const std::string& path() const { return path_; }
  /// The CUDA version that the driver supports: 13000 for 13.0.
  int version() const { return version_; }
  int device_count() const { return static_cast<int>(contexts_.size()); }

  /// The context of a GPU, made when it is first asked for. Throws RuntimeError where there is no
  /// such GPU.
  const CudaContext& context(int ordinal) const;

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
  std::string describe(int code) const;

 private:
  std::unique_ptr<CudaApi> api_;
  std::string path_;
  int version_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<CudaContext>> contexts_;
};

}  // namespace hone
