// histogram: counts each byte value. The data decide which element of the result a value counts in:
// threads meet in memory, and the distance of that memory decides the speed.

#include "examples/ladders/ladders.h"
#include "examples/ladders/threads.h"

namespace hone {
namespace {

struct Histogram {
  Expr n;
  Tensor data, H;
  ReduceAxis k;
  Program program;
  Sizes expected;

  Histogram(const Sizes& fixed, const Sizes& expected)
      : n(size_or_param(fixed, "n")),
        data("data", u8, {n}),
        H("H", i32, {256}),
        k("k", n),
        program("histogram", H(data(k)) = sum(k, 1)),
        expected(expected) {}
};

constexpr int64_t threads = 256;

/// Before the blocks count, one kernel sets all counts to 0.
void clear_counts(Schedule& s) { s.bind(s.rename(s.axis("H.0.init"), "bin"), thread.x); }

void global_atomics(Schedule& s, const Histogram& p) {
  auto [b, t] = s.split(p.k, threads, {.names = {"chunk", "element"}});
  s.bind(b, block.x, Combine::atomic);
  s.bind(t, thread.x, Combine::atomic);
  clear_counts(s);
}

/// The threads of a block count in shared memory, and then each adds one count to the result.
void count_in_blocks(Schedule& s, const Histogram& p, const Axis& b, const Axis& t) {
  s.bind(b, block.x, Combine::atomic);
  s.bind(t, thread.x, Combine::atomic);
  s.cache_shared(p.H, b);
  s.bind(s.axis("H.shared.init"), thread.x);
  s.bind(s.axis("H.shared.add"), thread.x);
  clear_counts(s);
}

void shared_atomics(Schedule& s, const Histogram& p) {
  constexpr int64_t items = 16;
  auto [b, part] = s.split(p.k, threads * items, {.names = {"chunk"}});
  auto [item, t] = s.split(part, threads, {.names = {"item", "element"}});
  s.reorder({b, t, item});
  count_in_blocks(s, p, b, t);
}

/// Vectors of sixteen values, four of them in flight. A length that has others comes one by one.
void vectorized(Schedule& s, const Histogram& p) {
  constexpr int64_t items = 4, vector = 16;
  const bool has_vectors = p.expected.at("n") % vector == 0;
  if (has_vectors) s.assume(p.n % vector == 0);
  auto [b, part] = s.split(p.k, threads * items * vector, {.names = {"chunk"}});
  auto [item, row] = s.split(part, threads * vector, {.names = {"item"}});
  auto [t, element] = s.split(row, vector, {.names = {"vector", "element"}});
  s.reorder({b, t, item, element});
  s.unroll(item);
  count_in_blocks(s, p, b, t);
  s.cache_registers(p.data, b, {.vectorize = has_vectors ? vector : 0});
}

Histogram problem(const Sizes& fixed, const Sizes& expected) { return {fixed, expected}; }

}  // namespace

Ladder histogram_ladder() {
  Ladder ladder;
  ladder.name = "histogram";
  ladder.title = "how often each of 256 values occurs";
  ladder.sizes = {{"n", int64_t{1} << 26}};
  ladder.program = [](const Sizes& fixed) { return Histogram(fixed, {}).program; };
  ladder.bytes = [](const Sizes& sizes) { return static_cast<double>(sizes.at("n")); };
  const RungMaker rung(problem);
  ladder.rungs = {
      rung("global-atomics", "a thread per value, counts in global memory",
           "Each thread adds 1 to the count of its value. All threads of the GPU meet in 256 "
           "elements.",
           global_atomics),
      rung("shared-atomics", "a histogram per block",
           {"All threads of the GPU wait for 256 places in memory. Where could they count without "
            "disturbing each other?",
            "The 256 threads of a block count 4096 values in shared memory, which is near, and "
            "which no other block touches. Then each adds one count to the result."},
           shared_atomics, {.builds_on = "global-atomics"}),
      rung("vectorized", "sixteen values an access",
           {"Values are single bytes. How many should a thread load at once?",
            "Sixteen, the widest access, and 64 bytes are in flight before it counts the first. "
            "Each block counts more values, so fewer histograms are added up."},
           vectorized, {.builds_on = "shared-atomics"}),
  };
  return ladder;
}

}  // namespace hone
