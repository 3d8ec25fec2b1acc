// Nodes that know the number of their handles.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>

namespace hone {

/// The base of a node behind llvm::IntrusiveRefCntPtr. Threads may share nodes; as long as the
/// process has one thread, counting takes no atomic operations.
template <class Node>
class RefCounted {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that LLVM calls
  void Retain() const {
    if (__libc_single_threaded) [[likely]]
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      count_.fetch_add(1, std::memory_order_relaxed);
  }

  void Release() const {
    if (drop() == 0) delete static_cast<const Node*>(this);
  }
  // NOLINTEND(readability-identifier-naming)

 protected:
  RefCounted() = default;
  RefCounted(const RefCounted& /*other*/) {}  ///< a copy has handles of its own
  RefCounted& operator=(const RefCounted&) = delete;
  ~RefCounted() = default;

 private:
  /// Returns the number that is left.
  int drop() const {
    if (!__libc_single_threaded) [[unlikely]]
      return count_.fetch_sub(1, std::memory_order_acq_rel) - 1;
    const int left = count_.load(std::memory_order_relaxed) - 1;
    count_.store(left, std::memory_order_relaxed);
    return left;
  }

  mutable std::atomic<int> count_ = 0;
};

}  // namespace hone
