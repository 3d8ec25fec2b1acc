#include "runtime/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "runtime/cuda/cuda_driver.h"

namespace hone {
namespace {

/// Smaller claims are not checked: finding out the free memory costs more than that is worth.
constexpr int64_t much = int64_t{64} << 20;

std::atomic<int64_t> claimed = 0;

/// The first number in a file; nothing for "max".
std::optional<int64_t> number_in(const char* path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

int64_t installed_bytes() {
  return int64_t{::sysconf(_SC_PHYS_PAGES)} * int64_t{::sysconf(_SC_PAGESIZE)};
}

/// The memory that the kernel could give out without swapping.
int64_t free_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    int64_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes << 10;
  }
  return std::numeric_limits<int64_t>::max();
}

}  // namespace

int64_t host_memory_bytes() {
  static const int64_t bytes =
      std::min({installed_bytes(), number_in("/sys/fs/cgroup/memory.max").value_or(INT64_MAX),
                number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes").value_or(INT64_MAX)});
  return bytes;
}

HostMemoryClaim::HostMemoryClaim(int64_t bytes, std::string_view what) { grow(bytes, what); }

void HostMemoryClaim::grow(int64_t bytes, std::string_view what) {
  const int64_t most = host_memory_bytes();
  const int64_t free = bytes < much ? most : std::min(free_bytes(), most);
  if (bytes > free && bytes <= most)
    throw OutOfMemoryError("out of memory on the host: {} bytes wanted for {}, {} of {} are free",
                           bytes, what, free, most);
  int64_t before = claimed.load();
  do {
    if (bytes > most - before)
      throw OutOfMemoryError(
          "out of memory on the host: {} bytes wanted for {}, {} in use, {} installed", bytes, what,
          before, most);
  } while (!claimed.compare_exchange_weak(before, before + bytes));
  bytes_ += bytes;
}

HostMemoryClaim::~HostMemoryClaim() { claimed -= bytes_; }

HostMemoryClaim::HostMemoryClaim(HostMemoryClaim&& other) noexcept
    : bytes_(std::exchange(other.bytes_, 0)) {}

HostMemoryClaim& HostMemoryClaim::operator=(HostMemoryClaim&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace hone
