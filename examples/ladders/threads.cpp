#include "examples/ladders/threads.h"

#include <algorithm>

namespace hone {

std::string plain_name(const Axis& axis) {
  std::string name = axis.name();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

namespace {

/// The axis of the threads, which take `vector` elements at a time, in turns, and that of the
/// elements of one. Their names begin with that of the axis: k_thread, k_element.
std::array<Axis, 2> taken_in_turns(Schedule& s, const Axis& axis, int64_t threads, int64_t vector) {
  const std::string name = plain_name(axis), of_thread = name + "_thread";
  if (vector == 1) {
    auto [turn, t] = s.split(axis, threads, {.names = {name.c_str(), of_thread.c_str()}});
    s.reorder({t, turn});
    return {t, t};
  }
  auto [turn, rest] = s.split(axis, threads * vector, {.names = {name.c_str()}});
  const std::string of_element = name + "_element";
  auto [t, element] = s.split(rest, vector, {.names = {of_thread.c_str(), of_element.c_str()}});
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
