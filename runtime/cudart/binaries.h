// The kernels and variables of a program, as it registers them when it starts.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cudart/call_error.h"
#include "runtime/ptx/device.h"

namespace hone::cudart {
class Binary;
}

/// A kernel: what cudaKernel_t points to.
struct CUkern_st {
  hone::cudart::Binary* binary = nullptr;
  std::string name;          ///< as PTX has it
  int64_t most_dynamic = 0;  ///< of shared memory, where the program asks for more than the usual
};

namespace hone::cudart {

using Kernel = CUkern_st;

struct Variable {
  Binary* binary = nullptr;
  std::string name;
  void** host_pointer = nullptr;  ///< of a managed variable: where its address goes
};

/// The registration by one call of __cudaRegisterFatBinary.
class Binary {
 public:
  Binary(const void* wrapper, const std::string& ptxas) : wrapper_(wrapper), ptxas_(ptxas) {}

  /// The PTX, loaded at the first use, with its machine code where there is a ptxas. Throws
  /// CallError where it can not be.
  ptx::LoadedModule& module(ptx::Memory& memory);
  bool is_loaded() const { return module_ != nullptr; }
  const std::string& text() const { return text_; }

 private:
  const void* wrapper_;
  const std::string& ptxas_;
  std::string text_;
  std::unique_ptr<ptx::LoadedModule> module_;
};

class Binaries {
 public:
  /// `ptxas` makes the machine code; empty: nothing does.
  explicit Binaries(std::string ptxas) : ptxas_(std::move(ptxas)) {}

  Binary& add(const void* wrapper);
  void add_kernel(Binary& binary, const void* host, const char* name);
  void add_variable(Binary& binary, const void* host, const char* name, void** host_pointer);
  /// Gives managed variables of the program their addresses.
  void place_managed(ptx::Memory& memory);

  /// Of a function of the host's that stands for a kernel, or of a kernel. Throws CallError where
  /// it is neither.
  Kernel& kernel(const void* host) const;
  /// The address and the bytes of a variable, by its stand-in on the host. Throws CallError.
  std::pair<uint64_t, int64_t> variable(const void* host, ptx::Memory& memory) const;
  /// Addresses and bytes of the variables of all modules that are loaded.
  std::vector<std::pair<uint64_t, int64_t>> loaded_variables(ptx::Memory& memory) const;

 private:
  const std::string ptxas_;
  std::vector<std::unique_ptr<Binary>> binaries_;
  std::vector<std::unique_ptr<Kernel>> all_kernels_;
  std::map<const void*, Kernel*> kernels_;
  std::map<const void*, Variable> variables_;
  bool has_unplaced_ = false;
};

}  // namespace hone::cudart
