#include "runtime/ptx/check/words.h"

#include "fmt/format.h"
#include "llvm/Support/MathExtras.h"
#include "runtime/ptx/compile/symbols.h"
#include "runtime/ptx/text/demangle.h"

namespace hone::ptx {
namespace {

/// "tile" of "kernel(float*)::tile"
std::string short_name(const std::string& mangled) {
  const std::string name = demangled(mangled);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

std::string named(const Variable& variable, uint64_t begin, uint64_t address) {
  return fmt::format("{}, byte {}", short_name(variable.name), address - begin);
}

}  // namespace

std::string name_of_shared(const Run& run, uint64_t address) {
  const Module& module = *run.program.module;
  const SharedLayout layout = shared_layout(module);
  const auto is_in = [&](uint64_t begin, int64_t bytes) {
    return address - begin < static_cast<uint64_t>(bytes);
  };
  const bool uses_module = uses_module_shared(module, *run.kernel.function, layout);
  for (const Variable& variable : module.variables)
    if (const auto at = layout.of_module.find(variable.name);
        uses_module && at != layout.of_module.end() && is_in(at->second, variable.bytes))
      return named(variable, at->second, address);
  int64_t end = uses_module ? layout.module_bytes : 0;
  for (const Variable& variable : run.kernel.function->variables) {
    if (variable.space != Space::shared || variable.bytes == 0) continue;
    const uint64_t at = llvm::alignTo(end, std::max<int64_t>(variable.alignment, 1));
    if (is_in(at, variable.bytes)) return named(variable, at, address);
    end = static_cast<int64_t>(at) + variable.bytes;
  }
  return fmt::format("byte {} of dynamic shared memory",
                     static_cast<int64_t>(address) - run.dynamic_shared());
}

std::string name_of_global(const Run& run, uint64_t address, int64_t bytes) {
  const Allocation* allocation = run.module.memory().find(address);
  if (!allocation) return fmt::format("address {:#x}", address);
  const auto byte = static_cast<int64_t>(address - allocation->address);
  if (byte % bytes != 0) return fmt::format("{}, byte {}", allocation->name, byte);
  return fmt::format("{}[{}]{}", allocation->name, byte / bytes,
                     bytes == 4 ? "" : fmt::format(" of {} bytes each", bytes));
}

const char* verb_of(const MemoryDetail& detail) {
  switch (detail.kind) {
    case MemoryDetail::Kind::load:
      return "reads";
    case MemoryDetail::Kind::store:
      return "writes";
    default:
      return "updates";
  }
}

bool is_of_other_block(const MemoryAccess& access) {
  return access.space == Space::shared &&
         access.address[std::countr_zero(access.lanes)] >> window::rank_shift != 0;
}

}  // namespace hone::ptx
