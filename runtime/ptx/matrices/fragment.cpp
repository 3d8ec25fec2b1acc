#include "runtime/ptx/matrices/fragment.h"

#include "runtime/ptx/machine/access.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/exchange.h"
#include "runtime/ptx/machine/observer.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

/// An element that is moved.
struct Moved {
  int reg, lane;  ///< that have it
  std::byte *in_register, *in_memory;
  Found place;  ///< in memory
};

class Fragment {
 public:
  Fragment(Warp& warp, const Op& op)
      : warp_(warp),
        detail_(warp.block->run.program.matrices[op.detail]),
        bytes_(bytes_of(detail_.spread.type)),
        is_shared_(window::has(window::shared, address_in(warp, detail_.address, first_lane()))) {}

  const Spread& spread() const { return detail_.spread; }
  int64_t bytes() const { return bytes_; }
  const MatrixMove& move() const { return is_shared_ ? detail_.in_shared : detail_.elsewhere; }
  /// The observer that wants to know which values are set.
  Observer* checker() const {
    return warp_.block->run.options.check ? warp_.block->observer.get() : nullptr;
  }
  /// Calls `use(Moved)` for each element, behind the access that moves it.
  template <class Use>
  void for_each_element(const Use& use) const {
    for (const MatrixMove::Piece& piece : move().pieces) {
      const Targets targets = access(piece);
      for_each_lane(piece.active & warp_.active, [&](int lane) {
        for (int n = 0; n < move().elements; ++n)
          use(element(targets, lane, n, piece.slots[lane * move().elements + n]));
      });
    }
  }

 private:
  int first_lane() const { return std::countr_zero(warp_.active); }
  Targets access(const MatrixMove::Piece& piece) const;
  Moved element(const Targets& targets, int lane, int number, int slot) const;

  Warp& warp_;
  const MatrixDetail& detail_;
  int64_t bytes_;
  bool is_shared_;
};

Targets Fragment::access(const MatrixMove::Piece& piece) const {
  Targets targets;
  const LaneMask active = warp_.active;
  warp_.active &= piece.active;
  for_each_lane(warp_.active, [&](int lane) {
    const int place = spread().places[piece.slots[lane * move().elements]];
    const int64_t row = place / spread().columns, column = place % spread().columns;
    const int64_t stride = warp_.at<uint32_t>(detail_.stride)[lane];
    const int64_t at = detail_.is_by_column ? column * stride + row : row * stride + column;
    targets.address[lane] = address_in(warp_, detail_.address, lane) + at * bytes_;
  });
  find_at(warp_, move().access, targets);
  warp_.active = active;
  return targets;
}

Moved Fragment::element(const Targets& targets, int lane, int number, int slot) const {
  const int reg = slot / spread().per_register(), in_register = slot % spread().per_register();
  const Found first = is_shared_ ? shared_place(*warp_.block, targets.address[lane])
                                 : Found{nullptr, targets.address[lane], targets.data[lane]};
  return {reg, in_register / spread().packed,
          warp_.at<std::byte>(spread().registers[reg]) + in_register * bytes_,
          targets.data[lane] + number * bytes_, first.behind(number * bytes_)};
}

/// Registers that have the elements of others once more.
void repeat(Warp& warp, const Fragment& fragment) {
  const Spread& spread = fragment.spread();
  for (int reg = spread.distinct(); reg < static_cast<int>(spread.registers.size()); ++reg)
    std::memcpy(warp.at<std::byte>(spread.registers[reg]),
                warp.at<std::byte>(spread.registers[reg % spread.distinct()]),
                spread.per_register() * fragment.bytes());
}

}  // namespace

void run_load_fragment(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  const Fragment fragment(warp, op);
  Observer* const checker = fragment.checker();
  const Spread& spread = fragment.spread();
  std::vector<LaneMask> unset(spread.distinct());
  fragment.for_each_element([&](const Moved& moved) {
    std::memcpy(moved.in_register, moved.in_memory, fragment.bytes());
    const bool is_set = !checker || checker->are_set(moved.place, fragment.bytes());
    unset[moved.reg] |= LaneMask{!is_set} << moved.lane;
  });
  repeat(warp, fragment);
  if (!checker) return;
  for (size_t reg = 0; reg < spread.registers.size(); ++reg)
    mark_unset(warp, spread.registers[reg], unset[reg % unset.size()], fragment.move().access);
}

void run_store_fragment(Warp& warp, const Op& op) {
  if (!gather(warp, op, op.sources[4])) return;
  const Fragment fragment(warp, op);
  Observer* const checker = fragment.checker();
  fragment.for_each_element([&](const Moved& moved) {
    std::memcpy(moved.in_memory, moved.in_register, fragment.bytes());
    if (!checker) return;
    const LaneMask unset = unset_lanes(warp, fragment.spread().registers[moved.reg]);
    checker->mark_set(moved.place, fragment.bytes(), (unset >> moved.lane & 1) == 0);
  });
}

}  // namespace hone::ptx
