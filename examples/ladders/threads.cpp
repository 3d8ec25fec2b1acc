#include "examples/ladders/threads.h"

namespace hone {

namespace {

/// The axis of the threads, which take `vector` elements at a time, in turns, and that of the
/// elements of one.
std::array<Axis, 2> taken_in_turns(Schedule& s, const Axis& axis, int64_t threads, int64_t vector) {
  auto [turn, rest] = s.split(axis, threads * vector);
  if (vector == 1) {
    s.reorder({rest, turn});
    return {rest, rest};
  }
  auto [t, element] = s.split(rest, vector);
  s.reorder({t, turn, element});
  return {t, element};
}

}  // namespace

void combine_threads(Schedule& s, const Axis& axis, int64_t threads, const Combine& combine,
                     int64_t vector) {
  if (vector == 1 && is_int(axis.extent(), threads)) return s.bind(axis, thread.x, combine);
  s.bind(taken_in_turns(s, axis, threads, vector)[0], thread.x, combine);
}

void deal_to_threads(Schedule& s, const Axis& axis, int64_t threads, int64_t vector) {
  auto [t, element] = taken_in_turns(s, axis, threads, vector);
  s.bind(t, thread.x);
  if (vector > 1) s.vectorize(element);
}

}  // namespace hone
