#include "runtime/ptx/pace/warp_clock.h"

#include <algorithm>
#include <utility>

namespace hone::ptx {
namespace {

/// Instructions of a loop that machine code has none of.
constexpr size_t longest_part = 1 << 14;

}  // namespace

/// The place of the last load that the operands come from; 0 where there is none in this part.
int64_t WarpClock::load_behind(const Step& step) const {
  int64_t place = 0;
  for (const uint32_t reg : step.reads)
    if (loads_[reg].part == part_number_) place = std::max(place, loads_[reg].place);
  return place;
}

/// Of a loop that is unrolled once more, only the place of the first copy is known. A later copy
/// stands no earlier than loads that it needs; what else it needs, constants may stand for.
void WarpClock::run(const Step& step, double beside) {
  const int64_t load = load_behind(step);
  const int64_t own = step.place >= 0 ? step.place : part_.empty() ? 0 : part_.back().place;
  const int64_t place = std::max(own, load);
  part_.push_back({&step, beside, place});
  for (const uint32_t reg : step.writes)
    loads_[reg] = {part_number_, step.pipe == Pipe::memory ? place : load};
  switch (step.kind) {
    case Step::Kind::plain:
    case Step::Kind::copy:
      if (part_.size() >= longest_part) end_part();
      return;
    case Step::Kind::jump:
      if (++jumps_[&step] % step.copies == 0) end_part();
      return;
    case Step::Kind::barrier:
      end_part();
      return wait_until(std::max(now_, free_[static_cast<size_t>(Pipe::memory)]) + step.latency,
                        step);
    case Step::Kind::commit:
      end_part();
      groups_.push_back(std::exchange(copied_, 0));
      return;
    case Step::Kind::wait:
      end_part();
      return wait_for_copies(step, step.outstanding);
    case Step::Kind::wait_all:
      end_part();
      groups_.push_back(std::exchange(copied_, 0));
      return wait_for_copies(step, 0);
  }
}

void WarpClock::end_part() {
  std::stable_sort(part_.begin(), part_.end(),
                   [](const Waiting& lhs, const Waiting& rhs) { return lhs.place < rhs.place; });
  for (const Waiting& one : part_) start(*one.step, one.beside);
  part_.clear();
  ++part_number_;
}

/// A pipe that is busy holds up what stands behind, but that of memory, which has a queue.
void WarpClock::start(const Step& step, double beside) {
  double ready = now_;
  for (const uint32_t reg : step.reads) ready = std::max(ready, ready_[reg]);
  double& free = free_[static_cast<size_t>(step.pipe)];
  if (step.pipe != Pipe::memory) ready = std::max(ready, free);
  wait_until(ready, step);
  const double begin = std::max(now_, free);
  const double clocks = step.pipe_clocks();
  free = begin + clocks * beside;
  // The warp in the middle of those that stand side by side.
  const double there = begin + clocks * (beside + 1) / 2 + step.latency;
  for (const uint32_t reg : step.writes) ready_[reg] = there;
  if (step.kind == Step::Kind::copy) copied_ = std::max(copied_, there);
  wait_until(now_ + step.slots * std::max(beside / schedulers, 1.0), step);
}

void WarpClock::wait_until(double clock, const Step& step) {
  if (clock <= now_) return;
  spent_[&step] += clock - now_;
  now_ = clock;
}

void WarpClock::wait_for_copies(const Step& step, int64_t outstanding) {
  while (static_cast<int64_t>(groups_.size()) > outstanding) {
    wait_until(groups_.front(), step);
    groups_.pop_front();
  }
}

}  // namespace hone::ptx
