// Who has touched which elements since the last wait for each other.
#pragma once

#include <array>
#include <optional>

#include "ir/opcodes/opcodes.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// An update is an atomic one.
enum class Touch : uint8_t { read, write, update };

/// Some of those who did something: two of different parts, where there are several.
class Parties {
 public:
  void add(int64_t who, int64_t part) {
    if (last_ && *last_ / part != who / part) other_ = last_;
    last_ = who;
  }

  std::optional<int64_t> besides(int64_t who, int64_t part) const {
    return last_ && *last_ / part == who / part ? other_ : last_;
  }

 private:
  std::optional<int64_t> last_, other_;
};

/// Those that have touched an element since the last wait of all. So many with consecutive numbers
/// are one part, and do not race.
class Touches {
 public:
  /// The other party, where it makes a race.
  std::optional<int64_t> add(int64_t who, Touch touch, int64_t part = 1) {
    parties_[static_cast<int>(touch)].add(who, part);
    for (const Touch other : {Touch::write, Touch::update, Touch::read})
      if (other != touch || touch == Touch::write)
        if (const auto party = parties_[static_cast<int>(other)].besides(who, part)) return party;
    return std::nullopt;
  }

 private:
  std::array<Parties, 3> parties_;
};

/// The touches of all elements, by tensor, element, and how many barriers came before.
class Log {
 public:
  Touches& at(llvm::StringRef tensor, int64_t element, int64_t barriers) {
    const uint64_t id = ids_.try_emplace(tensor, ids_.size()).first->second;
    return touches_[{id << 32 | static_cast<uint64_t>(barriers), element}];
  }

 private:
  llvm::DenseMap<llvm::StringRef, uint64_t> ids_;
  llvm::DenseMap<std::pair<uint64_t, int64_t>, Touches> touches_;
};

/// The barriers that a thread has come to, by the threads that wait there: those of the block, of a
/// warpgroup or more, of a warp or more.
using BarrierCounts = std::array<int64_t, 3>;

inline void count(const Stmt& barrier, BarrierCounts& counts) {
  const bool is_of_warp = is<op::barrier_of_warp>(barrier);
  counts[0] += !is_of_warp && !is<op::barrier_of_warpgroup>(barrier);
  counts[1] += !is_of_warp;
  counts[2] += 1;
}

/// The touches of the threads of a block. Two threads have waited for each other where both have
/// come to a barrier of a warp, warpgroup or block that they have in common.
class BlockLog {
 public:
  /// `has_parts`: some barriers are of warps or warpgroups. Otherwise all threads are like those of
  /// different warpgroups.
  explicit BlockLog(bool has_parts) : has_parts_(has_parts) {}

  std::optional<int64_t> add(llvm::StringRef memory, int64_t element, const BarrierCounts& counts,
                             int64_t thread, Touch touch) {
    if (!has_parts_) return logs_[0].at(memory, element, counts[0]).add(thread, touch);
    constexpr int64_t sizes[] = {int64_t{1} << 32, warpgroup, warp}, parts[] = {warpgroup, warp, 1};
    for (size_t scope = 0; scope < logs_.size(); ++scope) {
      const int64_t time = counts[scope] * groups + thread / sizes[scope];
      if (const auto other =
              logs_[scope].at(memory, element, time).add(thread, touch, parts[scope]))
        return other;
    }
    return std::nullopt;
  }

 private:
  static constexpr int64_t warp = 32, warpgroup = 128;
  static constexpr int64_t groups = 32;  ///< warps that a block has at most
  const bool has_parts_;
  std::array<Log, std::tuple_size_v<BarrierCounts>> logs_;
};

inline bool is_barrier_of_part(const Stmt& stmt) {
  return is<op::barrier_of_warp>(stmt) || is<op::barrier_of_warpgroup>(stmt);
}

}  // namespace hone
