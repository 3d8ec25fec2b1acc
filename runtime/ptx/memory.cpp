#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/host_memory.h"
#include "runtime/ptx/device.h"

namespace hone::ptx {
namespace {

constexpr int64_t page = 4096, alignment = 512;
/// Between allocations: what runs past one does not reach the next.
constexpr int64_t guard = int64_t{1} << 24;
constexpr size_t most_remembered = 1000;

int64_t round_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::string bytes_text(int64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace

struct Memory::State {
  struct Piece {
    Allocation allocation;
    void* mapping = nullptr;  ///< null of memory that is somebody else's
    int64_t mapped = 0;

    void unmap() const {
      if (mapping) munmap(mapping, mapped);
    }
  };

  mutable std::shared_mutex mutex;
  std::map<uint64_t, Piece> pieces;  ///< by address
  std::deque<Piece> freed;  ///< the last ones, without their flags; their addresses stay taken

  /// The piece that begins at the address or before it; null where none does.
  Piece* before(uint64_t address) {
    const auto next = pieces.upper_bound(address);
    return next == pieces.begin() ? nullptr : &std::prev(next)->second;
  }
  Piece* behind(uint64_t address) {
    const auto next = pieces.upper_bound(address);
    return next == pieces.end() ? nullptr : &next->second;
  }
};

Memory::Memory() : state_(std::make_unique<State>()) {}

Memory::~Memory() {
  for (const auto& [address, piece] : state_->pieces) piece.unmap();
  for (const State::Piece& piece : state_->freed) piece.unmap();
}

/// The end of the memory is that of its last page, but for its alignment.
uint64_t Memory::allocate(int64_t bytes, std::string name, bool is_unset) {
  const int64_t used = round_up(std::max<int64_t>(bytes, 1), page), mapped = used + 2 * guard;
  void* const mapping =
      mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes < 0 || mapping == MAP_FAILED)
    throw RuntimeError("no memory for {} ({})", name, bytes_text(bytes));
  const auto address = reinterpret_cast<uint64_t>(mapping) + guard;
  if (mprotect(reinterpret_cast<void*>(address - near_bytes), used + 2 * near_bytes,
               PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, mapped);
    throw RuntimeError("no memory for {} ({})", name, bytes_text(bytes));
  }
  const std::unique_lock lock(state_->mutex);
  State::Piece& piece = state_->pieces[address];
  piece.allocation = {std::move(name), address, bytes};
  if (is_unset) piece.allocation.unset.assign(bytes, 1);
  piece.mapping = mapping;
  piece.mapped = mapped;
  return address;
}

int64_t Memory::bytes_of(llvm::StringRef name) const {
  const std::shared_lock lock(state_->mutex);
  int64_t bytes = 0, found = 0;
  for (const auto& [address, piece] : state_->pieces)
    if (name == piece.allocation.name) {
      bytes = piece.allocation.bytes;
      ++found;
    }
  return found == 1 ? bytes : 0;
}

void Memory::adopt(void* data, int64_t bytes, std::string name) {
  const std::unique_lock lock(state_->mutex);
  const auto address = reinterpret_cast<uint64_t>(data);
  state_->pieces[address].allocation = {std::move(name), address, bytes};
}

bool Memory::free(uint64_t address) {
  const std::unique_lock lock(state_->mutex);
  const auto known = state_->pieces.find(address);
  if (known == state_->pieces.end()) return false;
  State::Piece& piece = known->second;
  piece.allocation.unset = {};
  if (piece.mapping)
    mmap(piece.mapping, piece.mapped, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  state_->freed.push_back(std::move(piece));
  state_->pieces.erase(known);
  if (state_->freed.size() > most_remembered) {
    state_->freed.front().unmap();
    state_->freed.pop_front();
  }
  return true;
}

uint64_t Memory::allocate_copy(const void* data, int64_t bytes, std::string name, bool is_unset) {
  const uint64_t address = allocate(bytes, std::move(name), is_unset);
  copy_to_zeros(std::bit_cast<void*>(address), data, bytes);
  return address;
}

Allocation* Memory::find(uint64_t address) {
  const std::shared_lock lock(state_->mutex);
  State::Piece* const piece = state_->before(address);
  return piece && address - piece->allocation.address <
                      static_cast<uint64_t>(piece->allocation.bytes)
             ? &piece->allocation
             : nullptr;
}

const Allocation* Memory::find(uint64_t address) const {
  return const_cast<Memory*>(this)->find(address);
}

bool Memory::is_near(uint64_t address, int64_t bytes) const {
  const std::shared_lock lock(state_->mutex);
  const auto has_near = [&](const State::Piece* piece) {
    if (!piece || !piece->mapping) return false;
    const uint64_t first = piece->allocation.address - near_bytes;
    const int64_t all = piece->allocation.bytes + 2 * near_bytes;
    return address >= first && address - first + bytes <= static_cast<uint64_t>(all);
  };
  return has_near(state_->before(address)) || has_near(state_->behind(address));
}

std::string Memory::describe(uint64_t address) const {
  if (address < static_cast<uint64_t>(page))
    return fmt::format("the null pointer, and {} more", bytes_text(static_cast<int64_t>(address)));
  if (const Allocation* allocation = find(address))
    return fmt::format("byte {} of {} ({}), and bytes behind its end",
                       address - allocation->address, allocation->name,
                       bytes_text(allocation->bytes));
  const std::shared_lock lock(state_->mutex);
  for (const auto& [freed, mapping, mapped] : llvm::reverse(state_->freed))
    if (address - freed.address < static_cast<uint64_t>(freed.bytes))
      return fmt::format("byte {} of {}, which was freed", address - freed.address, freed.name);
  const State::Piece* const before = state_->before(address);
  const State::Piece* const behind = state_->behind(address);
  const uint64_t past =
      before ? address - before->allocation.address - before->allocation.bytes : ~uint64_t{0};
  const uint64_t ahead = behind ? behind->allocation.address - address : ~uint64_t{0};
  const State::Piece* const near = past <= ahead ? before : behind;
  constexpr uint64_t far = guard;
  if (!near || std::min(past, ahead) > far)
    return fmt::format("address {:#x}, where no memory is", address);
  return fmt::format("{} {} the {} of {} ({})",
                     bytes_text(static_cast<int64_t>(std::min(past, ahead))),
                     past <= ahead ? "behind" : "before", past <= ahead ? "end" : "begin",
                     near->allocation.name, bytes_text(near->allocation.bytes));
}

void Memory::trust_writes() {
  const std::unique_lock lock(state_->mutex);
  for (auto& [address, piece] : state_->pieces)
    if (piece.allocation.is_written) piece.allocation.unset.clear();
}

void Memory::mark_set(uint64_t address, int64_t bytes) {
  Allocation* const allocation = find(address);
  if (!allocation || allocation->unset.empty()) return;
  const auto first = static_cast<int64_t>(address - allocation->address);
  const int64_t end = std::min(first + bytes, allocation->bytes);
  std::fill(allocation->unset.begin() + first, allocation->unset.begin() + end, 0);
}

}  // namespace hone::ptx
