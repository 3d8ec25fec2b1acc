// The device that a kernel of somebody's file runs on: its memory, and the launch.
#pragma once

#include <memory>
#include <optional>

#include "runtime/cuda_text/cuda_text.h"
#include "runtime/device.h"
#include "runtime/ptx/device.h"

namespace hone {

/// A kernel that is loaded on a device. Addresses are those of the device.
class LaunchDevice {
 public:
  virtual ~LaunchDevice() = default;

  /// New memory, until the device ends; `is_unset`: no byte of it holds a value yet. Throws
  /// RuntimeError where there is none.
  virtual uint64_t allocate(int64_t bytes, const std::string& name, bool is_unset) = 0;
  virtual void write(uint64_t address, llvm::ArrayRef<std::byte> bytes) = 0;
  virtual void read(uint64_t address, llvm::MutableArrayRef<std::byte> bytes) const = 0;
  /// The kernel has stored to the memory that begins there; nothing where the device does not know.
  virtual std::optional<bool> is_written(uint64_t address) const = 0;
  /// The address of a variable, by its name in PTX.
  virtual uint64_t variable(const std::string& name) const = 0;
  /// Runs the kernel and waits for it. Of a GPU the report has the number of blocks alone, and
  /// what went wrong is thrown as CudaError.
  virtual ptx::Report launch(const ptx::LaunchShape& shape, llvm::ArrayRef<std::byte> params,
                             const ptx::LaunchOptions& options) = 0;
};

/// The text as PTX is `module`, and has `kernel`. All of it must outlive the device.
std::unique_ptr<LaunchDevice> load_on(const Device& device, const ptx::TranslatedText& text,
                                      const ptx::LoadedModule& module,
                                      const ptx::KernelInfo& kernel);

}  // namespace hone
