#include "runtime/workspace.h"

#include "llvm/ADT/ScopeExit.h"

namespace hone {
namespace {

AnyArray bytes_on(const Device& device, int64_t bytes, Fill fill) {
  return AnyArray(DType::u8, {bytes}, device, fill);
}

}  // namespace

Workspace::Workspace(const Device& device, llvm::ArrayRef<WorkspacePart> temporaries,
                     llvm::ArrayRef<WorkspacePart> counters)
    : device_(device),
      temporaries_(temporaries.begin(), temporaries.end()),
      counters_(counters.begin(), counters.end()),
      temporary_memory_(bytes_on(device, 0, Fill::uninitialized)),
      counter_memory_(temporary_memory_) {}

void Workspace::use(const Sizes& sizes, llvm::function_ref<void(const Storages&)> run) const {
  Storages storages;
  if (temporaries_.empty() && counters_.empty()) return run(storages);
  const std::lock_guard lock(mutex_);
  // Kernels that did not run to their end may leave counters behind that are not zero.
  auto forget =
      llvm::make_scope_exit([&] { counter_memory_ = bytes_on(device_, 0, Fill::uninitialized); });
  storages.temporaries = place(temporaries_, sizes, temporary_memory_, Fill::uninitialized);
  storages.counters = place(counters_, sizes, counter_memory_, Fill::zeros);
  run(storages);
  forget.release();
}

llvm::SmallVector<Storage, 2> Workspace::place(const Parts& parts, const Sizes& sizes,
                                               AnyArray& memory, Fill fill) const {
  const int64_t bytes = value_of(workspace_bytes(parts), sizes);
  if (bytes > memory.size()) {
    memory = bytes_on(device_, 0, fill);  // given back first: both may not fit
    memory = bytes_on(device_, bytes, fill);
  }
  llvm::SmallVector<Storage, 2> storages;
  for (const auto& [tensor, offset, size] : parts)
    storages.push_back({static_cast<char*>(memory.data()) + value_of(offset, sizes),
                        storage_for(*tensor, sizes).elements});
  return storages;
}

}  // namespace hone
