#include "examples/ladders/threads.h"

namespace hone {

void combine_threads(Schedule& s, const Axis& axis, int64_t threads, const Combine& combine,
                     int64_t vector) {
  if (vector == 1 && is_int(axis.extent(), threads)) return s.bind(axis, thread.x, combine);
  auto [turn, rest] = s.split(axis, threads * vector);
  if (vector == 1) {
    s.reorder({rest, turn});
    return s.bind(rest, thread.x, combine);
  }
  auto [t, element] = s.split(rest, vector);
  s.reorder({t, turn, element});
  s.bind(t, thread.x, combine);
}

void deal_to_threads(Schedule& s, const Axis& axis, int64_t threads, int64_t vector) {
  auto [turn, rest] = s.split(axis, threads * vector);
  if (vector == 1) return s.bind(rest, thread.x);
  auto [t, element] = s.split(rest, vector);
  s.bind(t, thread.x);
  s.vectorize(element);
}

}  // namespace hone
