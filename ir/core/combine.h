// The ways in which the iterations of a reduction, which run at the same time, put their results
// together.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// The group within which results meet, from the smallest to the largest.
enum class CombineUnit : uint8_t {
  lanes,    ///< those of the lanes of a warp
  warps,    ///< those of the warps of a block
  block,    ///< those of all threads of a block
  cluster,  ///< those of the blocks of a cluster
  grid,     ///< all that there are
};

enum class CombineMeans : uint8_t {
  shuffle,
  interleaved_modulo,   ///< a tree in shared memory: t adds t + s where t % 2s == 0; s grows
  interleaved_strided,  ///< the same elements, by threads that follow each other
  sequential,           ///< a tree in shared memory: t < s adds t + s; s shrinks
  atomic,               ///< each result on its own
  ticket,               ///< the one that comes last combines them all
  exchange,             ///< each tells all others, and all combine them in the same order
};

struct CombineLevel {
  CombineUnit unit = CombineUnit::lanes;
  CombineMeans means = CombineMeans::shuffle;
  bool unrolled = false;  ///< a tree's levels are written out

  constexpr bool is_tree() const {
    return means >= CombineMeans::interleaved_modulo && means <= CombineMeans::sequential;
  }
  constexpr bool operator==(const CombineLevel&) const = default;
};

/// Short names for lists of levels. Trees and shuffles are for threads of a block, `last_block` is
/// for blocks.
struct Combine {
  enum class Method : uint8_t {
    none,
    interleaved_modulo,   ///< block: a tree
    interleaved_strided,  ///< block: a tree
    sequential,           ///< block: a tree
    shuffle,              ///< lanes: shuffle
    two_level,            ///< lanes: shuffle, warps: shuffle
    atomic,               ///< grid: atomic
    last_block,           ///< grid: ticket
  };
  using enum Method;

  Method method = none;
  bool unrolled = false;   ///< a tree's levels are written out
  bool last_warp = false;  ///< the last 32 elements of a tree are combined by shuffles; the results
                           ///< of blocks, by the first warp of the last block alone
};

/// The levels of a reduction, in the order in which they run. The results of a level go on to the
/// next one; the last level leaves one result.
class CombineLevels {
 public:
  constexpr CombineLevels() = default;
  CombineLevels(const Combine& combine);
  CombineLevels(Combine::Method method, bool unrolled = false, bool last_warp = false)
      : CombineLevels(Combine{method, unrolled, last_warp}) {}
  CombineLevels(std::initializer_list<CombineLevel> levels) {
    for (const CombineLevel& level : levels) add(level);
  }

  static constexpr size_t most = 3;
  bool is_full() const { return count_ == most; }
  constexpr void add(const CombineLevel& level) { levels_[count_++] = level; }

  explicit operator bool() const { return count_ > 0; }
  llvm::ArrayRef<CombineLevel> list() const { return {levels_.data(), count_}; }
  const CombineLevel* at(CombineUnit unit) const;
  bool has(CombineUnit unit, CombineMeans means) const;

  /// The tree that threads add up in shared memory; null where there is none.
  const CombineLevel* tree() const;
  /// Threads of a block, or blocks of a cluster, exchange values: all of them have to be there.
  bool is_exchange() const { return count_ > 0 && levels_[0].unit <= CombineUnit::cluster; }
  /// It is the blocks of a cluster that do.
  bool is_of_cluster() const { return at(CombineUnit::cluster) != nullptr; }
  /// Some of the values are exchanged between the lanes of a warp.
  bool uses_warps() const { return at(CombineUnit::lanes) != nullptr; }
  /// Lanes come last: of a tree, or of blocks.
  bool ends_in_warp() const { return count_ > 1 && levels_[count_ - 1].unit == CombineUnit::lanes; }
  /// Results go to memory by updates of their own.
  bool is_atomic() const { return has(CombineUnit::grid, CombineMeans::atomic); }
  /// The last block combines the results of all.
  bool is_left_to_last() const { return has(CombineUnit::grid, CombineMeans::ticket); }

  constexpr bool operator==(const CombineLevels&) const = default;

 private:
  std::array<CombineLevel, most> levels_ = {};
  uint8_t count_ = 0;
};

llvm::StringRef name(CombineUnit unit);
llvm::StringRef name(CombineMeans means);
std::optional<CombineUnit> parse_combine_unit(llvm::StringRef word);
std::optional<CombineMeans> parse_combine_means(llvm::StringRef word);

/// As in the text: "sequential, unrolled, last_warp", or "lanes: shuffle, warps: sequential" where
/// the list has no short name.
std::string to_string(const CombineLevels& levels);
std::optional<Combine::Method> parse_combine(llvm::StringRef word);

/// The short name of a list; nothing where it has none.
std::optional<Combine> short_name(const CombineLevels& levels);

/// The reason that no loop combines so: "its levels go from grid to lanes"; nothing where some may.
std::optional<std::string> combine_problem(const CombineLevels& levels);

}  // namespace hone
