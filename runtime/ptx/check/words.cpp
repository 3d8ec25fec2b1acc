#include "runtime/ptx/check/words.h"

#include "fmt/format.h"
#include "runtime/ptx/compile/symbols.h"
#include "runtime/ptx/text/demangle.h"

namespace hone::ptx {
std::string name_of_shared(const Run& run, uint64_t address) {
  const Module& module = *run.program.module;
  const KernelShared shared = shared_of(module, *run.kernel.function, shared_layout(module));
  if (const PlacedVariable* const found = shared.find(address))
    return fmt::format("{}, byte {}", plain_name(found->variable->name), address - found->at);
  return fmt::format("byte {} of dynamic shared memory",
                     static_cast<int64_t>(address) - run.dynamic_shared());
}

std::string name_of_global(const Run& run, uint64_t address, int64_t bytes) {
  const Allocation* allocation = run.module.memory().find(address);
  if (!allocation) return fmt::format("address {:#x}", address);
  const auto byte = static_cast<int64_t>(address - allocation->address);
  if (const int64_t row_bytes = allocation->row_bytes; row_bytes > 0)
    return fmt::format("{}, byte {} of row {}", allocation->name, byte % row_bytes,
                       byte / row_bytes);
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
  uint64_t bits = 0;
  if (access.warp.block->run.cluster_blocks() > 1)
    for_each_lane(access.lanes, [&](int lane) { bits |= access.address[lane]; });
  return access.space == Space::shared && bits >> window::rank_shift != 0;
}

}  // namespace hone::ptx
