#include "runtime/cudart/allocations.h"

#include <unistd.h>

#include "runtime/cudart/call_error.h"

namespace hone::cudart {

int64_t Allocations::memory_of_host() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::string Allocations::next_name(const char* call) {
  return fmt::format("{} #{}", call, ++counts_[call]);
}

uint64_t Allocations::allocate(int64_t bytes, Origin origin, const char* call) {
  if (bytes < 0 || bytes > memory_of_host() - bytes_) throw CallError(cudaErrorMemoryAllocation);
  const std::string name = next_name(call);
  constexpr int64_t most_followed = int64_t{1} << 30;
  const bool is_followed = follows_unset_ && origin == Origin::device && bytes <= most_followed;
  const uint64_t address = memory_.allocate(bytes, name, is_followed);
  entries_[address] = {name, address, bytes, origin};
  bytes_ += bytes;
  return address;
}

void Allocations::adopt(void* data, int64_t bytes, const char* call) {
  const std::string name = next_name(call);
  memory_.adopt(data, bytes, name);
  const auto address = reinterpret_cast<uint64_t>(data);
  entries_[address] = {name, address, bytes, Origin::registered};
}

void Allocations::release(const Entry& entry) {
  if (entry.origin != Origin::registered) bytes_ -= entry.bytes;
  const uint64_t address = entry.address;
  memory_.free(address);
  entries_.erase(address);
}

void Allocations::release_all() {
  for (const Entry& entry : entries())
    if (entry.origin != Origin::registered) release(entry);
}

const Allocations::Entry* Allocations::find(uint64_t address) const {
  auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return nullptr;
  const Entry& entry = (--after)->second;
  return address - entry.address < static_cast<uint64_t>(entry.bytes) ? &entry : nullptr;
}

std::vector<Allocations::Entry> Allocations::entries() const {
  std::vector<Entry> all;
  for (const auto& [address, entry] : entries_) all.push_back(entry);
  return all;
}

}  // namespace hone::cudart
