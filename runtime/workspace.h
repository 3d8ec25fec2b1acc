// The memory of a compiled program that no caller gives, for data from kernel to kernel.
#pragma once

#include <mutex>
#include <vector>

#include "codegen/contract/launch_contract.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/array.h"

namespace hone {

/// A tensor's memory, as a kernel takes it.
struct Storage {
  void* data = nullptr;  ///< on the device that the kernel runs on
  int64_t elements = 0;
};

/// Memory for temporaries and counters, kept from run to run: it grows to the size that the largest
/// run needs. Thread-safe.
class Workspace {
 public:
  /// Temporaries hold anything when a run begins. Counters are zero, and each run leaves them so.
  Workspace(const Device& device, llvm::ArrayRef<WorkspacePart> temporaries,
            llvm::ArrayRef<WorkspacePart> counters);

  /// The place of each part, by its number.
  struct Storages {
    llvm::SmallVector<Storage, 2> temporaries, counters;
  };

  /// Calls `run` with memory for these sizes, which no other call has until `run` returns. Of a GPU
  /// that is soon enough: the kernels that `run` gave to the default stream come before those of
  /// the next call. Throws what `run` throws and RuntimeError where there is no such memory.
  void use(const Sizes& sizes, llvm::function_ref<void(const Storages&)> run) const;

 private:
  using Parts = llvm::SmallVector<WorkspacePart, 2>;
  llvm::SmallVector<Storage, 2> place(const Parts& parts, const Sizes& sizes, AnyArray& memory,
                                      Fill fill) const;

  Device device_;
  Parts temporaries_, counters_;
  mutable std::mutex mutex_;
  // Apart, as a temporary of one run would overwrite a counter of the next.
  mutable AnyArray temporary_memory_, counter_memory_;
};

}  // namespace hone
