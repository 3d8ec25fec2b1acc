#include "runtime/shared_limit.h"

#include "codegen/shared_memory.h"
#include "ir/gpu_limits.h"
#include "runtime/error.h"

namespace hone {

int64_t max_shared_bytes(llvm::StringRef arch) {
  const ArchitectureLimits* limits = find_architecture(arch);
  return limits ? limits->shared_bytes_per_block
                : widest_architecture().static_shared_bytes_per_block;
}

void check_shared_bytes(const KernelFunction& kernel, llvm::StringRef arch) {
  const int64_t bytes = shared_memory(kernel).bytes, limit = max_shared_bytes(arch);
  if (bytes > limit)
    throw RuntimeError("{} needs {} bytes of shared memory, and {} gives a block at most {}",
                       kernel.name, bytes, arch.str(), limit);
}

}  // namespace hone
