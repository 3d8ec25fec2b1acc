// The splits of a warp: lanes that stand at different places of the program. The one that stands
// first in the program runs until it comes to where others stand, so that they join there: blocks
// of a function are ordered so that loops and branches end behind what is in them.

#include <algorithm>
#include <tuple>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/stepper.h"
#include "runtime/ptx/machine/unset.h"

namespace hone::ptx {
namespace {

/// Jumps back of a split that looks at what others write, before these get their turn.
constexpr int most_spins = 64;
/// The price of such a jump, in jumps.
constexpr int64_t price_of_look = 1 << 12;

auto rank(const Split& split) {
  return std::tuple(split.patience, -split.frame->depth, split.next);
}

bool stand_together(const Split& lhs, const Split& rhs) {
  return lhs.next == rhs.next && lhs.frame == rhs.frame;
}

bool is_ready_split(const Split& split) { return split.state == Split::State::ready; }

}  // namespace

/// All of the splits have found that they wait for others.
bool Warp::has_yielded() const {
  return yielded > 0 && yielded >= llvm::count_if(others, is_ready_split);
}

uint32_t Warp::here() const {
  return static_cast<uint32_t>(next - at_hand.frame->code->ops.data()) - 1;
}

bool Warp::is_ready() const { return llvm::any_of(others, is_ready_split); }

// ---- Turns --------------------------------------------------------------------------------------

/// The best of those that stand by comes to hand.
bool Warp::take_next() {
  Split* best = nullptr;
  for (Split& split : others)
    if (is_ready_split(split) && (!best || rank(split) < rank(*best))) best = &split;
  if (!best) return false;
  at_hand = std::move(*best);
  others.erase(others.begin() + (best - others.data()));
  bases[0] = at_hand.frame->registers.get();
  next = at_hand.frame->code->ops.data() + at_hand.next;
  return true;
}

void Warp::stand_by() {
  at_hand.next = here();
  others.push_back(std::move(at_hand));
  is_stopped = true;
}

template <bool is_checked, bool is_stepped>
void Warp::run_ops() {
  int64_t executed = 0, operations = 0, lanes_of_operations = 0;
  while (!is_stopped) {
    const Op& op = *next++;
    active = at_hand.lanes;
    if (op.guard.exists())
      active &= op.is_guard_negated ? ~predicate(op.guard) : predicate(op.guard);
    if constexpr (is_checked) look_at_guard(*this, op);
    if constexpr (is_stepped) stepper->before(*this, op);
    if (active == 0) continue;
    const int lanes_here = std::popcount(active);
    executed += lanes_here;
    operations += op.is_counted ? 1 : 0;
    lanes_of_operations += op.is_counted ? lanes_here : 0;
    op.execute(*this, op);
    if constexpr (is_checked) follow_unset(*this, op);
    if constexpr (is_stepped) stepper->after(*this, op);
  }
  block->instructions += executed;
  block->counts.warp_instructions += operations;
  block->counts.lanes += lanes_of_operations;
}

void Warp::run(int64_t steps) {
  steps_left = steps;
  yielded = 0;
  while (steps_left > 0 && !has_yielded() && take_next()) {
    is_stopped = false;
    const bool is_checked = block->observer && block->run.options.check;
    if (stepper)
      is_checked ? run_ops<true, true>() : run_ops<false, true>();
    else
      is_checked ? run_ops<true, false>() : run_ops<false, false>();
  }
}

// ---- Control ------------------------------------------------------------------------------------

/// A jump back: lanes that wait for others to act must let them.
void Warp::look_back() {
  steps_left -= has_looked ? price_of_look : 1;
  spins += has_looked && !others.empty() ? 1 : 0;
  is_spinning = has_looked;
  has_looked = false;
  const bool has_waited = std::exchange(yields, false);
  yielded += has_waited ? 1 : 0;
  const bool lets_others_run = (spins > most_spins || has_waited) && is_ready();
  if (lets_others_run) {
    ++at_hand.patience;
    spins = 0;
  }
  if (!lets_others_run && !has_waited && steps_left > 0) return;
  ++next;  // as stand_by has the op at hand behind it
  stand_by();
}

void Warp::jump(uint32_t op) {
  const bool is_back = op <= here();
  next = at_hand.frame->code->ops.data() + op;
  if (is_back) look_back();
}

void Warp::part(LaneMask parted, uint32_t op) {
  if (parted == 0) return;
  at_hand.lanes &= ~parted;
  Split split = at_hand;
  split.lanes = parted;
  split.next = op;
  others.push_back(std::move(split));
}

void Warp::part() { part(at_hand.lanes & ~active, here() + 1); }

void Warp::branch(uint32_t op) {
  const LaneMask rest = at_hand.lanes & ~active;
  ++block->counts.branches;
  if (rest != 0) ++block->counts.divergent_branches;
  if (rest == 0) return jump(op);
  if (op > here()) return part(active, op);
  part(rest, here() + 1);
  jump(op);
}

void Warp::meet() {
  at_hand.next = here();
  llvm::erase_if(others, [&](const Split& other) {
    if (!is_ready_split(other) || !stand_together(other, at_hand)) return false;
    at_hand.lanes |= other.lanes;
    at_hand.patience = std::min(at_hand.patience, other.patience);
    return true;
  });
  const bool is_ahead = llvm::any_of(others, [&](const Split& other) {
    return is_ready_split(other) && rank(other) < rank(at_hand);
  });
  if (is_ahead) stand_by();
}

// ---- Calls --------------------------------------------------------------------------------------

void Warp::enter(std::shared_ptr<Frame> frame) {
  at_hand.frame = std::move(frame);
  bases[0] = at_hand.frame->registers.get();
  next = at_hand.frame->code->ops.data();
}

void Warp::end() {
  live &= ~at_hand.lanes;
  is_stopped = true;
  for (Split& other : others)
    if (other.state == Split::State::gathering) other.state = Split::State::ready;
  block->look_at_barriers();
}

// ---- Waits --------------------------------------------------------------------------------------

/// Those that wait at the same place already are one with it.
void Warp::wait(Split::State state, int barrier) {
  at_hand.state = state;
  at_hand.barrier = barrier;
  stand_by();
}

bool Warp::is_gathering() const {
  return llvm::any_of(others,
                      [](const Split& split) { return split.state == Split::State::gathering; });
}

void Warp::release_gathered() {
  is_forced = true;
  for (Split& split : others)
    if (split.state == Split::State::gathering) split.state = Split::State::ready;
}

}  // namespace hone::ptx
