// The memory that a program has from the CUDA runtime.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runtime/ptx/device.h"

namespace hone::cudart {

/// Addresses of the device are those of the host.
inline std::byte* bytes_at(uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// The kinds of memory: of the device alone, of a graph, of both, the host's, and the host's own
/// that is registered. A graph's is there at each of its launches, whoever frees it in between.
enum class Origin { device, graph, managed, host, registered };

class Allocations {
 public:
  struct Entry {
    std::string name;  ///< "cudaMalloc #3"
    uint64_t address = 0;
    int64_t bytes = 0;
    Origin origin = Origin::device;
  };

  /// `follows_unset`: which bytes of the device hold no value yet is remembered.
  Allocations(ptx::Memory& memory, bool follows_unset)
      : memory_(memory), follows_unset_(follows_unset) {}

  /// Throws CallError where there is not so much memory.
  uint64_t allocate(int64_t bytes, Origin origin, const char* call);
  void adopt(void* data, int64_t bytes, const char* call);
  void release(const Entry& entry);
  void release_all();

  /// The allocation that has the byte; null where none has. Variables are not among them.
  const Entry* find(uint64_t address) const;
  std::vector<Entry> entries() const;
  int64_t bytes() const { return bytes_; }

  /// Of this machine, in bytes.
  static int64_t memory_of_host();

 private:
  std::string next_name(const char* call);

  ptx::Memory& memory_;
  bool follows_unset_;
  std::map<uint64_t, Entry> entries_;
  std::map<std::string, int> counts_;
  int64_t bytes_ = 0;
};

}  // namespace hone::cudart
