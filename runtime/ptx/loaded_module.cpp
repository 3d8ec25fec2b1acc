#include <cstring>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/compile/compile.h"
#include "runtime/ptx/count/as_compiled.h"
#include "runtime/ptx/device.h"

namespace hone::ptx {
namespace {

bool has_memory(const Variable& variable) {
  return variable.space == Space::global || variable.space == Space::constant;
}

int64_t bytes_of_variable(const Variable& variable) {
  constexpr int64_t handle = 8;
  return variable.is_opaque ? handle : std::max<int64_t>(variable.bytes, 1);
}

Addresses with_functions(const Module& module, Addresses addresses) {
  for (size_t n = 0; n < module.functions.size(); ++n)
    addresses[module.functions[n].name] = address_of_function(n);
  return addresses;
}

void write_initial(const Variable& variable, uint64_t address, const Addresses& addresses) {
  auto* const bytes = reinterpret_cast<uint8_t*>(address);
  std::copy(variable.initial.begin(), variable.initial.end(), bytes);
  for (const Variable::Reference& reference : variable.references) {
    const auto symbol = addresses.find(reference.symbol);
    const uint64_t value =
        (symbol == addresses.end() ? 0 : symbol->second) + static_cast<uint64_t>(reference.addend);
    std::memcpy(bytes + reference.at, &value, sizeof value);
  }
}

KernelInfo kernel_info(const Program& program, const Module& module, size_t number,
                       const SharedLayout& layout) {
  const Function& function = module.functions[number];
  KernelInfo info;
  info.name = function.name;
  for (const Variable& param : function.params) {
    const auto offset = static_cast<int64_t>(place_behind(info.param_bytes, param));
    info.params.push_back({offset, param.bytes, param.alignment});
  }
  info.static_shared = shared_of(module, function, layout).bytes;
  info.shared_alignment = layout.alignment;
  info.local = local_bytes(program, number);
  info.most_threads = function.threads[0] > 0 ? function.threads : function.most_threads;
  info.cluster = function.cluster;
  info.unsupported = unsupported_forms(program, number);
  info.has_grid_barrier = has_grid_barrier(program, number);
  return info;
}

}  // namespace

LoadedModule::LoadedModule(std::string_view ptx, Memory& memory, llvm::ArrayRef<char> cubin)
    : memory_(memory) {
  const auto module = std::make_shared<const Module>(parse(ptx));
  Addresses addresses;
  for (const Variable& variable : module->variables) {
    if (!has_memory(variable) || variable.is_extern) continue;
    const int64_t bytes = bytes_of_variable(variable);
    addresses[variable.name] = memory.allocate(bytes, variable.name, false);
    variables_[variable.name] = {addresses[variable.name], bytes};
  }
  for (const Variable& variable : module->variables)
    if (addresses.count(variable.name) > 0) {
      write_initial(variable, addresses[variable.name], with_functions(*module, addresses));
      memory.find(addresses[variable.name])->is_read_only = variable.space == Space::constant;
    }
  program_ = compile(module, addresses);
  const SharedLayout layout = shared_layout(*module);
  for (size_t n = 0; n < module->functions.size(); ++n)
    if (module->functions[n].is_entry && module->functions[n].has_body)
      kernels_.push_back(kernel_info(*program_, *module, n, layout));
  const MachineCode code = cubin.empty() ? MachineCode() : read_cubin({cubin.data(), cubin.size()});
  compiled_ = std::make_unique<const CompiledProgram>(match_program(*program_, code));
}

LoadedModule::~LoadedModule() {
  for (const auto& [name, place] : variables_) memory_.free(place.first);
}

const KernelInfo* LoadedModule::find(llvm::StringRef name) const {
  const auto found = llvm::find_if(kernels_, [&](const KernelInfo& k) { return name == k.name; });
  return found == kernels_.end() ? nullptr : &*found;
}

std::pair<uint64_t, int64_t> LoadedModule::variable(llvm::StringRef name) const {
  const auto known = variables_.find(name.str());
  return known == variables_.end() ? std::pair<uint64_t, int64_t>() : known->second;
}

}  // namespace hone::ptx
