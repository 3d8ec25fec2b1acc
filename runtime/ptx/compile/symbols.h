// The places of the variables of a module.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/ptx/text/module.h"

namespace hone::ptx {

/// Of variables of a module in global and constant memory, the address in the host.
using Addresses = std::map<std::string, uint64_t>;

/// The value of a pointer to the function of that number.
uint64_t address_of_function(size_t number);

/// The place of a symbol.
struct Symbol {
  enum class Kind : uint8_t {
    address,         ///< of global, constant or shared memory, or of a function: a number
    dynamic_shared,  ///< behind the static shared memory of the kernel that runs
    local,           ///< from the begin of the frame's local variables
    kernel_param,    ///< a byte of the parameters
    area,            ///< of a call's parameter, in the registers of the frame
  };

  Kind kind = Kind::address;
  Space space = Space::global;
  uint64_t value = 0;  ///< the number, or bytes from that begin
  uint32_t area = 0;   ///< the offset of the area in the frame
  int64_t bytes = 0;   ///< of an area, for each lane
};

/// Places a variable behind `end`, at a multiple of its alignment, and moves `end` behind it.
uint64_t place_behind(int64_t& end, const Variable& variable);

struct PlacedVariable {
  const Variable* variable = nullptr;
  uint64_t at = 0;
};

/// The shared memory that kernels have in common: variables of the module, and of functions that
/// are no kernels.
struct SharedLayout {
  std::map<std::string, PlacedVariable> of_module;
  int64_t module_bytes = 0;
  int64_t alignment = 16;  ///< of dynamic shared memory
};
SharedLayout shared_layout(const Module& module);

/// The static shared memory of a kernel: the common part, where it or a function that it calls uses
/// some, and its own variables behind that.
struct KernelShared {
  std::vector<PlacedVariable> variables;
  int64_t bytes = 0;

  /// The one that has the byte; null where that is dynamic shared memory.
  const PlacedVariable* find(uint64_t place) const;
};
KernelShared shared_of(const Module& module, const Function& kernel, const SharedLayout& layout);

}  // namespace hone::ptx
