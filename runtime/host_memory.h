// The memory of the host, which Linux gives out twice: a process that uses more than there is gets
// killed. Code that takes much of it claims it first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace hone {

/// Bytes that the process may have: those installed, or fewer where its control group has a limit.
int64_t host_memory_bytes();

/// Bytes of the host, for as long as the claim lives. A default-constructed one has none.
class HostMemoryClaim {
 public:
  HostMemoryClaim() = default;
  /// Throws OutOfMemoryError where all claims of the process would be more than there is, or this
  /// one is more than is free. `what` names the thing that wants it: "f32[4096, 4096]".
  HostMemoryClaim(int64_t bytes, std::string_view what);
  ~HostMemoryClaim();
  HostMemoryClaim(HostMemoryClaim&& other) noexcept;
  HostMemoryClaim& operator=(HostMemoryClaim&& other) noexcept;

  void grow(int64_t bytes, std::string_view what);

 private:
  int64_t bytes_ = 0;
};

// ---- Pages: each takes room when it is touched first -----------------------------------------

/// Arrays of so many bytes have pages of their own.
inline constexpr size_t least_paged_bytes = size_t{4} << 20;

/// Zeroed memory of whole pages; null where the system refuses it.
std::shared_ptr<void> map_pages(size_t bytes);

/// Repeats the first `period` bytes of an array's memory in all others. In a large array they are
/// the same pages, each until it is written, so it takes the room of what is touched alone: its
/// memory is that of map_pages(). Throws OutOfMemoryError.
void repeat_start(void* array, size_t bytes, size_t period);

/// Copies to memory that is zeroed, without touching those of its pages that stay so.
void copy_to_zeros(void* target, const void* source, size_t bytes);

}  // namespace hone
