// The memory of the host, which Linux gives out twice: a process that uses more than there is gets
// killed. Code that takes much of it claims it first.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace hone
