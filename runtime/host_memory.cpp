#include "runtime/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
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

// ---- Pages --------------------------------------------------------------------------------------

namespace {

constexpr size_t zeros_at_once = 4096;
/// Linux refuses more than 65530 to a process.
constexpr size_t most_mappings = 256;

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// A file in memory that lives as long as mappings of it.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("hone", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  bool append(const std::byte* data, size_t bytes) const {
    while (descriptor_ >= 0 && bytes > 0) {
      const ssize_t written = ::write(descriptor_, data, bytes);
      if (written <= 0) return false;
      data += written;
      bytes -= static_cast<size_t>(written);
    }
    return descriptor_ >= 0;
  }

  /// Puts its first bytes in the place of other pages; writes to them do not reach the file.
  void map(std::byte* pages, size_t bytes) const {
    void* const mapped = ::mmap(pages, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, descriptor_, 0);
    if (mapped == MAP_FAILED)
      throw OutOfMemoryError("out of memory on the host: {} bytes of repeated elements are refused",
                             bytes);
  }

 private:
  int descriptor_;
};

void copy_start(std::byte* first, size_t period, size_t bytes) {
  for (size_t copied = period; copied < bytes; copied += period)
    std::memcpy(first + copied, first, std::min(period, bytes - copied));
}

/// False, and nothing is changed, where there is no such file.
bool map_start(std::byte* first, size_t period, size_t bytes) {
  const size_t copies = rounded_up(bytes / period, most_mappings) / most_mappings;
  const MemoryFile file;
  for (size_t n = 0; n < copies; ++n)
    if (!file.append(first, period)) return false;
  for (size_t begin = 0; begin < bytes; begin += copies * period)
    file.map(first + begin, rounded_up(std::min(copies * period, bytes - begin), page_bytes()));
  return true;
}

bool is_zero(const std::byte* bytes, size_t count) {
  static constexpr std::byte zeros[zeros_at_once] = {};
  return std::memcmp(bytes, zeros, count) == 0;
}

}  // namespace

std::shared_ptr<void> map_pages(size_t bytes) {
  void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  return {pages, [bytes](void* memory) { ::munmap(memory, bytes); }};
}

void repeat_start(void* array, size_t bytes, size_t period) {
  if (bytes <= period) return;
  auto* const first = static_cast<std::byte*>(array);
  const bool has_pages = bytes >= least_paged_bytes && period % page_bytes() == 0;
  if (!has_pages || !map_start(first, period, bytes)) copy_start(first, period, bytes);
}

void copy_to_zeros(void* target, const void* source, size_t bytes) {
  const auto* const from = static_cast<const std::byte*>(source);
  auto* const to = static_cast<std::byte*>(target);
  for (size_t begin = 0; begin < bytes; begin += zeros_at_once) {
    const size_t count = std::min(zeros_at_once, bytes - begin);
    if (!is_zero(from + begin, count)) std::memcpy(to + begin, from + begin, count);
  }
}

}  // namespace hone
