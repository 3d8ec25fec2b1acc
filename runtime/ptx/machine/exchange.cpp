#include "runtime/ptx/machine/exchange.h"

#include <algorithm>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/machine/combine.h"
#include "runtime/ptx/machine/control.h"
#include "runtime/ptx/machine/report.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

const ExchangeDetail& exchange_of(const Warp& warp, const Op& op) {
  return warp.block->run.program.exchanges[op.detail];
}

/// The lanes that the active ones name.
LaneMask named_lanes(const Warp& warp, Ref members) {
  if (!members.exists()) return warp.active;
  LaneMask named = 0;
  const auto* mask = warp.at<uint32_t>(members);
  for_each_lane(warp.active, [&](int lane) { named |= mask[lane]; });
  return named;
}

/// Those that wait at the op at hand are one with those that come to it.
void take_gathered(Warp& warp) {
  llvm::erase_if(warp.others, [&](const Split& other) {
    if (other.state != Split::State::gathering || other.frame != warp.at_hand.frame ||
        other.next != warp.here())
      return false;
    warp.at_hand.lanes |= other.lanes;
    return true;
  });
  warp.active = warp.at_hand.lanes;
}

void report_missing(Warp& warp, LaneMask missing) {
  report(
      warp, std::countr_zero(warp.active),
      {FindingKind::divergent_shuffle,
       fmt::format("the mask names lanes {:#010x}, which never come", missing), "waits for lanes",
       "All lanes that a mask names must come to the same instruction, or have ended."});
}

void check_own_lane(Warp& warp, Ref members) {
  const auto* mask = warp.at<uint32_t>(members);
  for (int lane = 0; lane < lanes; ++lane)
    if ((warp.active >> lane & 1) != 0 && (mask[lane] >> lane & 1) == 0)
      return report(warp, lane,
                    {FindingKind::divergent_shuffle,
                     fmt::format("lane {} comes with a mask of {:#010x}, in which it is not", lane,
                                 mask[lane]),
                     "exchanges values"});
}

}  // namespace

bool gather(Warp& warp, const Op&, Ref members) {
  if (!members.exists()) return true;
  warp.part();
  LaneMask missing = named_lanes(warp, members) & ~warp.active & warp.live;
  if (missing != 0) {
    take_gathered(warp);
    missing = named_lanes(warp, members) & ~warp.active & warp.live;
  }
  if (missing != 0 && !warp.is_forced) {
    warp.wait(Split::State::gathering);
    return false;
  }
  if (missing != 0) report_missing(warp, missing);
  check_own_lane(warp, members);
  return true;
}

// ---- Barriers of a warp -------------------------------------------------------------------------

namespace {

bool is_at_warp_barrier(const Split& split) {
  return split.state == Split::State::gathering &&
         split.frame->code->ops[split.next].execute == run_warp_barrier;
}

}  // namespace

/// Lanes may come to it at several places.
void run_warp_barrier(Warp& warp, const Op& op) {
  warp.part();
  LaneMask here = warp.active;
  for (const Split& other : warp.others)
    if (is_at_warp_barrier(other)) here |= other.lanes;
  const LaneMask named = named_lanes(warp, op.sources[0]);
  const LaneMask missing = named & ~here & warp.live;
  if (missing != 0 && !warp.is_forced) return warp.wait(Split::State::gathering);
  if (missing != 0) report_missing(warp, missing);
  check_own_lane(warp, op.sources[0]);
  for (Split& other : warp.others)
    if (is_at_warp_barrier(other)) {
      other.state = Split::State::ready;
      ++other.next;
    }
  if (Observer* observer = warp.block->observer.get()) observer->synchronise(warp, here);
}

// ---- Shuffles -----------------------------------------------------------------------------------

ShuffleSource shuffle_source(ShuffleMode mode, int lane, uint32_t b, uint32_t c) {
  const int value = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int most = (lane & segment) | (clamp & ~segment);
  const int least = lane & segment;
  const int from = mode == ShuffleMode::up     ? lane - value
                   : mode == ShuffleMode::down ? lane + value
                   : mode == ShuffleMode::bfly ? lane ^ value
                                               : least | (value & ~segment);
  const bool is_in_range = mode == ShuffleMode::up ? from >= most : from <= most;
  return {is_in_range ? from : lane, is_in_range};
}

void run_shuffle(Warp& warp, const Op& op) {
  const ExchangeDetail& detail = exchange_of(warp, op);
  if (!gather(warp, op, detail.members)) return;
  warp.block->counts.shuffles += {1, std::popcount(warp.active)};
  const auto mode = static_cast<ShuffleMode>(detail.mode);
  const auto *value = warp.at<uint32_t>(op.sources[0]), *b = warp.at<uint32_t>(op.sources[1]),
             *c = warp.at<uint32_t>(op.sources[2]);
  std::array<ShuffleSource, lanes> from;
  LaneMask unset = 0, in_range = 0;
  const LaneMask unset_before = unset_lanes(warp, op.sources[0]);
  for_each_lane(warp.active, [&](int lane) {
    from[lane] = shuffle_source(mode, lane, b[lane], c[lane]);
    const bool takes_part = (warp.active >> from[lane].lane & 1) != 0;
    const bool is_unset = !takes_part || (unset_before >> from[lane].lane & 1) != 0;
    unset |= LaneMask{is_unset} << lane;
    in_range |= LaneMask{from[lane].is_in_range} << lane;
  });
  const uint32_t origin =
      unset_before != 0 ? origin_of_unset(warp, op.sources[0]) : origin_is_exchange | op.detail;
  if (op.destination.exists())
    write_lanes<uint32_t>(warp, op.destination,
                          [&](int lane) { return value[from[lane].lane & 31]; });
  if (detail.second.exists())
    write_predicate(warp, detail.second, [&](int lane) { return (in_range >> lane & 1) != 0; });
  if (warp.block->run.options.check) mark_unset(warp, op.destination, unset, origin);
}

// ---- Votes --------------------------------------------------------------------------------------

void run_vote(Warp& warp, const Op& op) {
  const ExchangeDetail& detail = exchange_of(warp, op);
  if (!gather(warp, op, detail.members)) return;
  LaneMask holds = warp.predicate(op.sources[0]);
  if (detail.is_negated) holds = ~holds;
  const auto result = [&](LaneMask group) {
    const LaneMask in_group = holds & group;
    switch (static_cast<VoteMode>(detail.mode)) {
      case VoteMode::all:
        return in_group == group;
      case VoteMode::any:
        return in_group != 0;
      default:
        return in_group == 0 || in_group == group;
    }
  };
  const auto group_of = [&](int lane) {
    return detail.members.exists() ? warp.at<uint32_t>(detail.members)[lane] & warp.active
                                   : warp.active;
  };
  if (static_cast<VoteMode>(detail.mode) == VoteMode::ballot)
    return write_lanes<uint32_t>(warp, op.destination,
                                 [&](int lane) { return holds & group_of(lane); });
  write_predicate(warp, op.destination, [&](int lane) { return result(group_of(lane)); });
}

namespace {

template <class T>
void match(Warp& warp, const Op& op, const ExchangeDetail& detail) {
  const T* const value = warp.at<T>(op.sources[0]);
  const auto* members = warp.at<uint32_t>(detail.members);
  std::array<LaneMask, lanes> same{};
  LaneMask whole = 0;
  for_each_lane(warp.active, [&](int lane) {
    for_each_lane(warp.active & members[lane],
                  [&](int other) { same[lane] |= LaneMask{value[other] == value[lane]} << other; });
    whole |= LaneMask{same[lane] == (warp.active & members[lane])} << lane;
  });
  const bool needs_all = detail.mode == 1;
  write_lanes<uint32_t>(warp, op.destination, [&](int lane) {
    return needs_all && (whole >> lane & 1) == 0 ? 0 : same[lane];
  });
  if (detail.second.exists())
    write_predicate(warp, detail.second, [&](int lane) { return (whole >> lane & 1) != 0; });
}

}  // namespace

void run_match(Warp& warp, const Op& op) {
  const ExchangeDetail& detail = exchange_of(warp, op);
  if (!gather(warp, op, detail.members)) return;
  if (bytes_of(detail.type) == 8) return match<uint64_t>(warp, op, detail);
  match<uint32_t>(warp, op, detail);
}

void run_elect(Warp& warp, const Op& op) {
  const ExchangeDetail& detail = exchange_of(warp, op);
  if (!gather(warp, op, detail.members)) return;
  const int elected = std::countr_zero(warp.active);
  if (op.destination.exists())
    write_lanes<uint32_t>(warp, op.destination,
                          [&](int) { return static_cast<uint32_t>(elected); });
  if (detail.second.exists())
    write_predicate(warp, detail.second, [&](int lane) { return lane == elected; });
}

void run_active_mask(Warp& warp, const Op& op) {
  write_lanes<uint32_t>(warp, op.destination, [&](int) { return warp.active; });
}

// ---- Reductions ---------------------------------------------------------------------------------

namespace {

template <class T, class Combine>
void run_reduction(Warp& warp, const Op& op) {
  const ExchangeDetail& detail = exchange_of(warp, op);
  if (!gather(warp, op, detail.members)) return;
  const T* const value = warp.at<T>(op.sources[0]);
  T result = value[std::countr_zero(warp.active)];
  for_each_lane(warp.active & (warp.active - 1),
                [&](int lane) { result = Combine{}(result, value[lane], value[lane]); });
  write_lanes<T>(warp, op.destination, [&](int) { return result; });
}

template <class Combine>
Op::Execute by_sign(Type type) {
  if (type == Type::f32) return run_reduction<float, Combine>;
  return is_signed(type) ? run_reduction<int32_t, Combine> : run_reduction<uint32_t, Combine>;
}

}  // namespace

Op::Execute reduction_op(llvm::StringRef operation, Type type) {
  return llvm::StringSwitch<Op::Execute>(operation)
      .Case("add", run_reduction<uint32_t, combine::Add>)
      .Case("and", run_reduction<uint32_t, combine::And>)
      .Case("or", run_reduction<uint32_t, combine::Or>)
      .Case("xor", run_reduction<uint32_t, combine::Xor>)
      .Case("min", by_sign<combine::Min>(type))
      .Case("max", by_sign<combine::Max>(type))
      .Default(nullptr);
}

}  // namespace hone::ptx
