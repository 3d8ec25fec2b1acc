#include "runtime/model/architecture.h"

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/error.h"

namespace hone {
namespace {

std::string known_names() {
  const auto names = llvm::map_range(known_architectures(), [](const ArchitectureLimits& limits) {
    return fmt::format("sm_{}", limits.capability);
  });
  return fmt::format("{}", fmt::join(names.begin(), names.end(), ", "));
}

}  // namespace

const ArchitectureLimits& architecture_limits(llvm::StringRef arch) {
  if (const ArchitectureLimits* limits = find_architecture(arch)) return *limits;
  throw RuntimeError("what a multiprocessor of {} holds is not known; it is of {}", arch.str(),
                     known_names());
}

}  // namespace hone
