// Who touched a byte of memory last: the state that races are found with. Exact for "two threads,
// no barrier between them, at least one writes": of a granule the last write is kept, and two reads
// by different threads of its last interval with any. The same holds of atomic updates, which do
// not race with one another.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "runtime/host_memory.h"

namespace hone {

/// An access by a lane in an interval between barriers: the greater one is of the later interval. 0
/// is none; intervals count from 1.
struct Stamp {
  static constexpr int lane_bits = 11, access_bits = 21;
  static constexpr uint64_t lane_mask = (1u << lane_bits) - 1;
  static constexpr uint64_t access_mask = (1u << access_bits) - 1;

  uint64_t bits = 0;

  static Stamp of(uint64_t interval, uint32_t access, int lane) {
    return {interval << (lane_bits + access_bits) | uint64_t{access} << lane_bits |
            static_cast<uint64_t>(lane)};
  }
  bool exists() const { return bits != 0; }
  int lane() const { return static_cast<int>(bits & lane_mask); }
  uint32_t access() const { return static_cast<uint32_t>(bits >> lane_bits & access_mask); }
  uint64_t interval() const { return bits >> (lane_bits + access_bits); }

  /// Whether both are accesses of different lanes in the interval that `floor` starts.
  bool meets(Stamp other, uint64_t floor) const {
    return bits >= floor && ((bits ^ other.bits) & lane_mask) != 0;
  }
};

/// Accesses of one kind, two by different lanes where there are some.
struct StampPair {
  Stamp first, second;

  /// Accesses before the interval that `floor` starts are forgotten.
  void record(Stamp mine, uint64_t floor) {
    if (first.bits < floor)
      first = mine;
    else if (second.bits < floor && first.meets(mine, floor))
      second = mine;
  }
  /// One by another lane.
  Stamp meeting(Stamp mine, uint64_t floor) const {
    return first.meets(mine, floor) ? first : second.meets(mine, floor) ? second : Stamp();
  }
};

/// The state of a granule.
struct ShadowCell {
  Stamp write;
  StampPair reads, updates;
  bool is_set = false;  ///< holds a value of the tensor that lies there

  /// The access that a read by `mine` races with; none if there is none.
  Stamp record_read(Stamp mine, uint64_t floor) {
    reads.record(mine, floor);
    if (write.meets(mine, floor)) return write;
    return updates.first.bits < floor ? Stamp() : updates.meeting(mine, floor);
  }

  /// The same for a write. Another write counts before updates, and those before reads.
  Stamp record_write(Stamp mine, uint64_t floor) {
    const Stamp last = write;
    write = mine;
    if (last.meets(mine, floor)) return last;
    const Stamp update = updates.meeting(mine, floor);
    return update.exists() ? update : reads.meeting(mine, floor);
  }

  /// The same for an atomic update.
  Stamp record_update(Stamp mine, uint64_t floor) {
    updates.record(mine, floor);
    return write.meets(mine, floor) ? write : reads.meeting(mine, floor);
  }

  bool is_touched() const {
    return write.exists() || reads.first.exists() || updates.first.exists();
  }
};

/// Cells of an address space that a block uses little of, in pages.
class PagedShadow {
 public:
  static constexpr int64_t page_cells = 64;

  ShadowCell& operator[](int64_t number) {
    const int64_t page = number / page_cells;
    if (page != last_) select(page);
    return (*cells_)[number % page_cells];
  }

  /// Calls `use(number, cell)` for the cells that were touched.
  template <class Use>
  void for_each(const Use& use) const {
    for (const auto& [page, at] : numbers_)
      for (int64_t n = 0; n < page_cells; ++n)
        if (const ShadowCell& cell = (*pages_[at])[n]; cell.is_touched())
          use(page * page_cells + n, cell);
  }

  void clear() {
    numbers_.clear();
    last_ = -1;
  }

 private:
  using Page = std::array<ShadowCell, page_cells>;
  void select(int64_t page);

  HostMemoryClaim claim_;
  llvm::DenseMap<int64_t, size_t> numbers_;
  std::vector<std::unique_ptr<Page>> pages_;  ///< also those that are free
  int64_t last_ = -1;
  Page* cells_ = nullptr;
};

}  // namespace hone
