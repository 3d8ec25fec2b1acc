#include "runtime/shared_limit.h"

#include "codegen/shared_memory.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

/// From the tables of compute capabilities in the CUDA programming guide: what a multiprocessor has
/// but for 1 KB that the system keeps for each block.
int64_t limit_of_capability(int capability) {
  switch (capability) {
    case 75:
      return 64 << 10;
    case 80:
    case 87:
      return 163 << 10;
    case 86:
    case 89:
    case 120:
    case 121:
      return 99 << 10;
    case 90:
    case 100:
    case 103:
    case 110:
      return 227 << 10;
    default:
      return most_static_shared_bytes;
  }
}

}  // namespace

int64_t max_shared_bytes(llvm::StringRef arch) {
  int capability = 0;
  const llvm::StringRef number = arch.split('_').second.take_while(llvm::isDigit);
  return number.getAsInteger(10, capability) ? most_static_shared_bytes
                                             : limit_of_capability(capability);
}

void check_shared_bytes(const KernelFunction& kernel, llvm::StringRef arch) {
  const int64_t bytes = shared_memory(kernel).bytes, limit = max_shared_bytes(arch);
  if (bytes > limit)
    throw RuntimeError("{} needs {} bytes of shared memory, and {} gives a block at most {}",
                       kernel.name, bytes, arch.str(), limit);
}

}  // namespace hone
