#include "runtime/cudart/binaries.h"

#include "runtime/cudart/allocations.h"
#include "runtime/cudart/assemble.h"
#include "runtime/cudart/fat_binary.h"
#include "runtime/ptx/machine/program.h"

namespace hone::cudart {

ptx::LoadedModule& Binary::module(ptx::Memory& memory) {
  if (module_) return *module_;
  try {
    text_ = ptx_of_wrapper(wrapper_);
  } catch (const RuntimeError& error) {
    throw CallError(cudaErrorNoKernelImageForDevice, "{}", error.what());
  }
  try {
    module_ = std::make_unique<ptx::LoadedModule>(text_, memory, assembled(text_, ptxas_));
  } catch (const ptx::PtxError& error) {
    throw CallError(cudaErrorInvalidPtx, "the program's PTX is not understood: {}", error.what());
  }
  return *module_;
}

Binary& Binaries::add(const void* wrapper) {
  return *binaries_.emplace_back(std::make_unique<Binary>(wrapper, ptxas_));
}

void Binaries::add_kernel(Binary& binary, const void* host, const char* name) {
  all_kernels_.push_back(std::make_unique<Kernel>(Kernel{&binary, name}));
  kernels_[host] = all_kernels_.back().get();
}

void Binaries::add_variable(Binary& binary, const void* host, const char* name,
                            void** host_pointer) {
  variables_[host] = {&binary, name, host_pointer};
  has_unplaced_ |= host_pointer != nullptr;
}

void Binaries::place_managed(ptx::Memory& memory) {
  if (!has_unplaced_) return;
  has_unplaced_ = false;
  for (const auto& [host, found] : variables_)
    if (found.host_pointer) *found.host_pointer = bytes_at(variable(host, memory).first);
}

Kernel& Binaries::kernel(const void* host) const {
  const auto found = kernels_.find(host);
  if (found != kernels_.end()) return *found->second;
  for (const auto& kernel : all_kernels_)
    if (kernel.get() == host) return *kernel;
  throw CallError(cudaErrorInvalidDeviceFunction);
}

std::pair<uint64_t, int64_t> Binaries::variable(const void* host, ptx::Memory& memory) const {
  const auto found = variables_.find(host);
  if (found == variables_.end()) throw CallError(cudaErrorInvalidSymbol);
  const auto& [binary, name, host_pointer] = found->second;
  const auto place = binary->module(memory).variable(name);
  if (place.first == 0)
    throw CallError(cudaErrorInvalidSymbol, "the program's PTX has no variable {}", name);
  return place;
}

std::vector<std::pair<uint64_t, int64_t>> Binaries::loaded_variables(ptx::Memory& memory) const {
  std::vector<std::pair<uint64_t, int64_t>> places;
  for (const auto& binary : binaries_) {
    if (!binary->is_loaded()) continue;
    const ptx::LoadedModule& module = binary->module(memory);
    for (const ptx::Variable& declared : module.program().module->variables)
      if (const auto place = module.variable(declared.name); place.first != 0)
        places.push_back(place);
  }
  return places;
}

}  // namespace hone::cudart
