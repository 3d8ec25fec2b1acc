// The turns of the warps of a block: groups part and join again, and one group runs at a time,
// until it has to wait.

#include <bit>

#include "runtime/sim/report.h"
#include "runtime/sim/worker.h"

namespace hone {
namespace {

WarpBits warp_bit(const LaneGroup& group, int lane) {
  return WarpBits{1} << group.thread(lane) / warp_lanes;
}

bool waits_at_block(const LaneGroup& group, const SimProgram& program) {
  return group.state == LaneGroup::State::waiting &&
         program.barriers[group.barrier].scope.kind == BarrierScope::Kind::block;
}

}  // namespace

// ---- One group ----------------------------------------------------------------------------------

void Worker::enter(const Instruction& opener, uint32_t code, int64_t trips, bool waits) {
  const Code& body = program.codes[code];
  frames.push_back({&opener, body.data(), end, trips, mask_number(), waits});
  next = body.data();
  end = next + body.size();
}

/// The current code has ended: runs it again, or the next one. Returns false if there is none.
bool Worker::go_on() {
  if (frames.empty()) {
    state = State::ended;
    return false;
  }
  Frame& frame = frames.back();
  if (--frame.trips_left > 0) {
    ++*at<int64_t>(frame.opener->destination);
    --steps_left;
    next = frame.begin;
    return true;
  }
  const bool waits = frame.waits;
  leave_frame();
  if (waits) yield();
  return true;
}

void Worker::run_turn() {
  for (;;) {
    while (next != end) {
      const Instruction& instruction = *next++;
      instruction.execute(*this, instruction);
    }
    if (stopped_end_) {
      end = std::exchange(stopped_end_, nullptr);
      return;
    }
    if (!go_on()) return;
  }
}

/// Ends the turn behind the instruction at hand.
void Worker::stop(State state_then) {
  state = state_then;
  stopped_end_ = std::exchange(end, next);
}

void Worker::yield() {
  if (!others.empty()) stop(State::ready);
}

/// Between 0 and `limit`, by SplitMix64.
uint64_t Worker::random(uint64_t limit) {
  uint64_t bits = random_ += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return (bits ^ bits >> 31) % limit;
}

void Worker::let_others_run() {
  constexpr uint64_t mean_statements = 4;
  if (random(mean_statements) != 0) return;
  if (const int places = (lanes - 1) / warp_lanes; places > 0)
    part(static_cast<int>(1 + random(places)) * warp_lanes);
  yield();
}

// ---- The groups of a block ----------------------------------------------------------------------

void Worker::run_turns() {
  const Code& code = program.codes[program.block_code];
  next = code.data();
  end = next + code.size();
  frames.clear();
  mask = &masks.front();
  state = State::ready;
  stopped_end_ = nullptr;
  random_ = launch.options.order * 0x2545f4914f6cdd1d + static_cast<uint64_t>(block_number);
  do run_turn();
  while (take_turn());
}

/// The number of the next one of `others` that can run.
std::optional<size_t> Worker::next_turn() {
  llvm::SmallVector<size_t, 32> ready;
  for (size_t n = 0; n < others.size(); ++n)
    if (others[n].state == State::ready) ready.push_back(n);
  if (ready.empty()) return std::nullopt;
  return ready[is_in_random_order() ? random(ready.size()) : 0];
}

/// Brings the last operation that has been asked for, or any one. Those that wait for it look
/// again.
bool Worker::bring_operation() {
  const size_t count = engines.asked.size();
  if (count == 0) return false;
  bring(*this, is_in_random_order() ? random(count) : count - 1);
  if (state == State::at_phases) state = State::ready;
  return true;
}

/// The turn goes round. Returns false if the block has come to its end.
bool Worker::take_turn() {
  if (state == State::gathering) join_gathered();
  if (is_in_random_order() && !engines.asked.empty() && random(2) == 0) bring_operation();
  std::optional<size_t> chosen = next_turn();
  while (!chosen && state != State::ready) {
    if (state == State::ended && others.empty()) return false;
    if (!bring_operation()) report_stuck(*this);
    chosen = next_turn();
  }
  if (!chosen) return true;
  LaneGroup before = std::exchange(static_cast<LaneGroup&>(*this), std::move(others[*chosen]));
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(*chosen));
  if (before.state != State::ended) others.push_back(std::move(before));
  if (!is_in_random_order() || random(2) == 0) join_others();
  return true;
}

/// Neighbours that stand at the same place in the same state run together.
void Worker::join_others() {
  for (size_t n = 0; n < others.size();) {
    LaneGroup& other = others[n];
    const bool precedes = other.first_lane + other.lanes == first_lane;
    const bool follows = first_lane + lanes == other.first_lane;
    if (other.state != state || !(precedes || follows) || !stand_together(*this, other)) {
      ++n;
      continue;
    }
    if (precedes) std::swap(static_cast<LaneGroup&>(*this), other);
    append(*this, other, last_stamp);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
    n = 0;
  }
}

/// With more warps, an instruction of a warpgroup may have all that it needs.
void Worker::join_gathered() {
  const int before = lanes;
  join_others();
  if (lanes != before) state = State::ready;
}

/// The parts behind the first one.
std::vector<LaneGroup> Worker::part(LaneGroup& group, llvm::ArrayRef<int> starts) {
  std::vector<LaneGroup> parts;
  for (size_t n = 0; n < starts.size(); ++n) {
    const int end_lane = n + 1 < starts.size() ? starts[n + 1] : group.lanes;
    parts.push_back(part_of(program, group, starts[n], end_lane - starts[n], last_stamp));
  }
  group = part_of(program, group, 0, starts.front(), last_stamp);
  return parts;
}

void Worker::part(llvm::ArrayRef<int> starts) {
  for (LaneGroup& later : part(*this, starts)) others.push_back(std::move(later));
}

// ---- Waits --------------------------------------------------------------------------------------

void Worker::wait_at(uint32_t number) {
  state = State::waiting;
  barrier = number;
  come_to(number);
  stop(state);
}

void Worker::wait_at_phase(const Instruction& instruction) {
  next = &instruction;
  stop(State::at_phases);
}

void Worker::gather(const Instruction& instruction) {
  next = &instruction;
  stop(State::gathering);
}

void Worker::wake() {
  for (LaneGroup& other : others)
    if (other.state == State::at_phases) other.state = State::ready;
}

/// Warps of which some lanes are missing never come.
void Worker::come_to(uint32_t number) {
  const BarrierScope& scope = program.barriers[number].scope;
  const int64_t threads = threads_at(scope);
  WarpBits released = 0;
  for (int first = 0; first < lanes; first += warp_lanes) {
    const int last = std::min(first + warp_lanes, lanes);
    BarrierObject& object = barriers[barrier_for(scope, thread(first) / warp_lanes)];
    if (object.warps != 0 && object.threads != threads)
      report_barrier_counts(*this, number, object.threads);
    object.threads = threads;
    if (mask->count(first, last) < last - first) continue;
    object.warps |= warp_bit(*this, first);
    if (!llvm::is_contained(object.statements, number)) object.statements.push_back(number);
    if (std::popcount(object.warps) * int64_t{warp_lanes} != threads) continue;
    if (scope.kind == BarrierScope::Kind::block) check_place();
    if (observer) observer->synchronise(*this, object.statements, object.warps);
    released |= object.warps;
    object = {0, {}, threads};
  }
  if (released != 0) release(released);
}

size_t Worker::barrier_for(const BarrierScope& scope, int warp) const {
  using Kind = BarrierScope::Kind;
  if (scope.kind != Kind::warpgroup && scope.kind != Kind::named) return scope.id;
  const auto warps = static_cast<int>(llvm::divideCeil(launch.block_lanes(), warp_lanes));
  const int block = warp / warps;
  if (scope.kind == Kind::named) return block * BarrierScope::first_of_warpgroups + scope.id;
  constexpr int in_group = warpgroup_size / warp_lanes;
  return launch.cluster() * BarrierScope::first_of_warpgroups +
         block * llvm::divideCeil(warps, in_group) + warp % warps / in_group;
}

int64_t Worker::threads_at(const BarrierScope& scope) const {
  if (scope.kind == BarrierScope::Kind::warpgroup) return warpgroup_size;
  return scope.kind == BarrierScope::Kind::named ? scope.threads : all_threads();
}

/// The threads of a block come to one barrier of its program, not to several.
void Worker::check_place() const {
  for (const LaneGroup& other : others)
    if (waits_at_block(other, program) && !stand_together(*this, other)) report_stuck(*this);
}

void Worker::release(WarpBits warps) {
  std::vector<LaneGroup> parts;
  for (LaneGroup& other : others)
    if ((other.warps() & warps) != 0) release(other, warps, parts);
  release(*this, warps, parts);
  for (LaneGroup& later : parts) others.push_back(std::move(later));
}

/// Adds the parts that the group falls into, but for the first one.
void Worker::release(LaneGroup& group, WarpBits warps, std::vector<LaneGroup>& parts) {
  const auto is_released = [&](int lane) { return (warp_bit(group, lane) & warps) != 0; };
  llvm::SmallVector<int, 8> starts;
  for (int first = warp_lanes; first < group.lanes; first += warp_lanes)
    if (is_released(first) != is_released(first - warp_lanes)) starts.push_back(first);
  const auto set_state = [&](LaneGroup& part) {
    if ((part.warps() & warps) != 0) part.state = State::ready;
  };
  if (!starts.empty())
    for (LaneGroup& later : part(group, starts)) {
      set_state(later);
      parts.push_back(std::move(later));
    }
  set_state(group);
}

}  // namespace hone
