#include "runtime/workspace.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

constexpr int64_t alignment = 256;

AnyArray bytes_on(const Device& device, int64_t bytes, Fill fill) {
  return AnyArray(DType::u8, {bytes}, device, fill);
}

}  // namespace

Workspace::Workspace(const Device& device, llvm::ArrayRef<TensorPtr> temporaries,
                     llvm::ArrayRef<TensorPtr> counters)
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
  place(temporaries_, sizes, temporary_memory_, Fill::uninitialized, storages);
  place(counters_, sizes, counter_memory_, Fill::zeros, storages);
  run(storages);
  forget.release();
}

void Workspace::place(const Tensors& tensors, const Sizes& sizes, AnyArray& memory, Fill fill,
                      Storages& storages) const {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 2> parts;  // offset and elements
  int64_t end = 0;
  for (const TensorPtr& tensor : tensors) {
    const int64_t elements = storage_for(*tensor, sizes).elements;
    parts.push_back({end, elements});
    end = static_cast<int64_t>(llvm::alignTo(end + elements * size_of(tensor->type), alignment));
  }
  if (end > memory.size()) {
    memory = bytes_on(device_, 0, fill);  // given back first: both may not fit
    memory = bytes_on(device_, end, fill);
  }
  for (auto [tensor, part] : llvm::zip(tensors, parts))
    storages[tensor.get()] = {static_cast<char*>(memory.data()) + part.first, part.second};
}

}  // namespace hone
