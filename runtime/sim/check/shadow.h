// The last accesses to a byte of memory: races are found with these. Exact for "two threads,
// nothing that orders them, at least one writes": of a granule the last write is kept, and the
// reads that are not past. The same holds of atomic updates, which do not race with one another.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "runtime/host_memory.h"

namespace hone {

/// An access by a thread at a time of its agent's clock, which grows with each barrier: the greater
/// one is the later one of an agent. 0 is none; times count from 1.
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
};

/// The accesses that come before what a thread does now, where the block is one agent: those below
/// the floor.
struct OneAgentOrder {
  static constexpr bool is_of_block = true;
  uint64_t floor = 0;

  bool is_past(Stamp stamp) const { return stamp.bits < floor; }
};

/// The same where warps are agents: those below the floor of theirs.
struct WarpOrder {
  static constexpr bool is_of_block = false;
  const uint64_t* floors = nullptr;  ///< by agent
  int shift = 0;                     ///< from the number of a lane to that of its agent

  int agent_of(Stamp stamp) const { return stamp.lane() >> shift; }
  bool is_past(Stamp stamp) const { return stamp.bits < floors[agent_of(stamp)]; }
};

/// True if they race: `order`, as `mine` sees it, has nothing between the two threads' accesses.
template <class Order>
bool meet(Stamp earlier, Stamp mine, const Order& order) {
  return !order.is_past(earlier) && earlier.lane() != mine.lane();
}

/// Accesses of one kind. Of an agent's at one time two are kept, by different lanes where there are
/// some: an order between one of them and a later access holds for all.
struct StampSet {
  using Others = std::vector<Stamp>;

  Stamp first, second;

  /// Accesses that are past are forgotten.
  void record(Stamp mine, const OneAgentOrder& order, Others* /*needs none*/) {
    if (order.is_past(first))
      first = mine;
    else if (order.is_past(second) && meet(first, mine, order))
      second = mine;
  }
  /// `others` are those that have no place here.
  void record(Stamp mine, const WarpOrder& order, Others* others) {
    Alike alike;
    if (keeps(first, mine, order, alike) || keeps(second, mine, order, alike)) return;
    for (Stamp& known : *others)
      if (alike.count == 2 || keeps(known, mine, order, alike)) break;
    if (alike.is_kept) return;
    if (alike.count < 2)
      others->push_back(mine);
    else if (alike.earlier)
      *alike.earlier = mine;
  }
  /// One by another lane that nothing orders with mine.
  template <class Order>
  Stamp meeting(Stamp mine, const Order& order, const Others* others) const {
    if (meet(first, mine, order)) return first;
    if (meet(second, mine, order)) return second;
    if (!Order::is_of_block)
      for (const Stamp stamp : *others)
        if (meet(stamp, mine, order)) return stamp;
    return {};
  }

 private:
  /// The stamps of an agent.
  struct Alike {
    int count = 0;
    Stamp* earlier = nullptr;  ///< one that is not of the time at hand
    bool is_kept = false;
  };

  /// True if `mine` needs no other place: it takes that of `known`, or `known` is as good.
  static bool keeps(Stamp& known, Stamp mine, const WarpOrder& order, Alike& alike) {
    const bool is_same_lane = known.lane() == mine.lane();
    const bool is_earlier = known.interval() < mine.interval();
    if (order.is_past(known) || (is_same_lane && is_earlier)) {
      known = mine;
      return alike.is_kept = true;
    }
    if (order.agent_of(known) == order.agent_of(mine)) {
      ++alike.count;
      if (is_earlier) alike.earlier = &known;
    }
    return alike.is_kept = is_same_lane;
  }
};

/// The accesses to a granule that have no place in its cell.
struct OtherStamps {
  StampSet::Others reads, updates, looks;
};

/// The state of a granule.
struct ShadowCell {
  Stamp write;
  StampSet reads, updates;
  StampSet looks;             ///< strong reads, which race with plain writes alone
  uint32_t value = 0;         ///< of the last write, where somebody compares them
  bool is_set = false;        ///< holds a value of the tensor that lies there
  bool is_under_way = false;  ///< the last write is one of an engine, and goes on
  uint32_t others = 0;        ///< the number of its OtherStamps, from 1; 0: none yet

  /// The access that a read by `mine` races with; none if there is none. `more` are the cell's,
  /// null where the block is one agent.
  template <class Order>
  Stamp record_read(Stamp mine, const Order& order, OtherStamps* more) {
    reads.record(mine, order, more ? &more->reads : nullptr);
    if (meet(write, mine, order)) return write;
    if (order.is_past(updates.first) && !more) return {};
    return updates.meeting(mine, order, more ? &more->updates : nullptr);
  }

  /// The same for a write. Another write counts before updates, and those before reads.
  template <class Order>
  Stamp record_write(Stamp mine, const Order& order, const OtherStamps* more) {
    const Stamp last = write;
    write = mine;
    if (meet(last, mine, order)) return last;
    const Stamp update = updates.meeting(mine, order, more ? &more->updates : nullptr);
    if (update.exists()) return update;
    const Stamp read = reads.meeting(mine, order, more ? &more->reads : nullptr);
    return read.exists() ? read : looks.meeting(mine, order, more ? &more->looks : nullptr);
  }

  /// The same for a strong read.
  template <class Order>
  Stamp record_look(Stamp mine, const Order& order, OtherStamps* more) {
    looks.record(mine, order, more ? &more->looks : nullptr);
    return meet(write, mine, order) ? write : Stamp();
  }

  /// The same for an atomic update.
  template <class Order>
  Stamp record_update(Stamp mine, const Order& order, OtherStamps* more) {
    updates.record(mine, order, more ? &more->updates : nullptr);
    return meet(write, mine, order) ? write
                                    : reads.meeting(mine, order, more ? &more->reads : nullptr);
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
