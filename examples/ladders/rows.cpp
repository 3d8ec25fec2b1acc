// softmax and layernorm: each row of a matrix is reduced, and then transformed by the results. The
// number of times that the row is read decides the speed.

#include <limits>

#include "examples/ladders/ladders.h"
#include "examples/ladders/threads.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

struct Softmax {
  Expr M, N;
  Tensor X, Y, largest, scale;
  Axis i, j;
  ReduceAxis k;
  Program program;
  Sizes expected;

  Softmax(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        X("X", f32, {M, N}),
        Y("Y", f32, {M, N}),
        largest("largest", f32, {M}),
        scale("scale", f32, {M}),
        i("i", M),
        j("j", N),
        k("k", N),
        program("softmax", largest(i) = max(k, X(i, k)),
                scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i))),
                Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)),
        expected(expected) {}

  /// The tensors that are reduced, in the order in which they are computed.
  std::array<Tensor, 2> statistics() const { return {largest, scale}; }
};

/// The largest value and the sum of exp(value - largest), of the values that two pairs stand for.
Expr merge(const Expr& lhs, const Expr& rhs) {
  const Expr largest = max(first(lhs), first(rhs));
  const auto scaled = [&](const Expr& part) { return second(part) * exp(first(part) - largest); };
  return pair(largest, scaled(lhs) + scaled(rhs));
}

/// Of no values. The largest is not infinite: the difference of two such is a number.
Expr nothing_merged() { return pair(std::numeric_limits<float>::lowest(), 0.0); }

/// Softmax by one reduction, of pairs.
struct OnlineSoftmax {
  Expr M, N;
  Tensor X, Y, statistic;
  Axis i, j;
  ReduceAxis k;
  Program program;

  explicit OnlineSoftmax(const Sizes& fixed)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        X("X", f32, {M, N}),
        Y("Y", f32, {M, N}),
        statistic("statistic", f32_f32, {M}),
        i("i", M),
        j("j", N),
        k("k", N),
        program("softmax",
                statistic(i) = reduce({k}, nothing_merged(), pair(X(i, k), 1.0), merge,
                                      {.name = "merge", .associative = true}),
                Y(i, j) = exp(X(i, j) - first(statistic(i))) * (1.0 / second(statistic(i)))) {}

  std::array<Tensor, 1> statistics() const { return {statistic}; }
};

struct Layernorm {
  Expr M, N;
  Tensor X, gamma, beta, Y, mean, variance;
  Axis i, j;
  ReduceAxis k;
  Program program;
  Sizes expected;

  Layernorm(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        X("X", f32, {M, N}),
        gamma("gamma", f32, {N}),
        beta("beta", f32, {N}),
        Y("Y", f32, {M, N}),
        mean("mean", f32, {M}),
        variance("variance", f32, {M}),
        i("i", M),
        j("j", N),
        k("k", N),
        program("layernorm", mean(i) = sum(k, X(i, k)) / cast(f32, N),
                variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / cast(f32, N),
                Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-5) * gamma(j) + beta(j)),
        expected(expected) {}

  std::array<Tensor, 2> statistics() const { return {mean, variance}; }
};

/// A thread per row, a kernel per definition.
template <class Rows>
void three_pass(Schedule& s, const Rows& p) {
  for (const Tensor& tensor : {p.statistics()[0], p.statistics()[1], p.Y}) {
    const std::string chunk = tensor.name() + "_chunk", row = tensor.name() + "_row";
    auto [b, t] = s.split(s.axis(tensor, p.i), 128, {.names = {chunk.c_str(), row.c_str()}});
    s.bind(b, block.x);
    s.bind(t, thread.x);
    if (tensor.name() != p.Y.name()) s.cache_registers(tensor, t);
  }
}

constexpr Combine by_tree = {Combine::sequential};
constexpr Combine by_warps = {Combine::two_level};

/// The threads that a row is dealt to.
struct RowShape {
  int64_t threads = 256, vector = 1;  ///< of a block; and the neighbours that a thread takes
  int64_t part = 0;                   ///< of a row, that each block of a cluster has; 0: all
  Combine combine = by_warps;
  bool in_registers = false;
  int64_t resident = 0;  ///< blocks that a multiprocessor holds; 0: as many as there is room for
};

/// The part of a row that a block has, which keeps the axis's name. The blocks of a cluster tell
/// each other what they have reduced their parts to.
Axis part_of_block(Schedule& s, const Axis& axis, const RowShape& shape,
                   const CombineLevels& levels = {}) {
  if (shape.part == 0) return axis;
  const std::string name = plain_name(axis), of_part = name + "_part";
  auto [c, rest] = s.split(axis, shape.part, {.names = {of_part.c_str(), name.c_str()}});
  s.bind(c, cluster.x, levels);
  return rest;
}

/// The threads of a block, or of the blocks of a cluster, reduce a row twice and write it.
template <class Rows>
void deal_rows(Schedule& s, const Rows& p, const RowShape& shape) {
  const Axis row = s.axis(p.Y, p.i);
  const auto statistics = p.statistics();
  for (const Tensor& tensor : llvm::reverse(statistics)) s.compute_at(tensor, row);
  s.bind(row, block.x);
  const CombineLevels by_exchange = {{CombineUnit::cluster, CombineMeans::exchange}};
  for (const Tensor& tensor : statistics)
    combine_threads(s, part_of_block(s, s.axis(tensor, p.k), shape, by_exchange), shape.threads,
                    shape.combine, shape.vector);
  deal_to_threads(s, part_of_block(s, s.axis(p.Y, p.j), shape), shape.threads, shape.vector);
  if (shape.in_registers)
    s.cache_registers(p.X, row, {.vectorize = shape.vector > 1 ? shape.vector : 0});
  if (shape.resident > 0) s.launch_bounds(row, shape.resident);
}

/// As many threads as have work, in whole warps.
int64_t threads_of(int64_t length, int64_t each, int64_t most) {
  int64_t threads = 32;
  while (threads < most && threads * each < length) threads *= 2;
  return threads;
}

template <class Rows>
void block_reduce(Schedule& s, const Rows& p) {
  deal_rows(s, p, {.combine = by_tree});
}

template <class Rows>
void shuffle(Schedule& s, const Rows& p) {
  deal_rows(s, p, {});
}

/// A short row has fewer threads with more elements each.
template <class Rows>
int64_t threads_that_hold(const Rows& p, int64_t short_row) {
  const int64_t N = p.expected.at("N");
  return threads_of(N, N <= 2048 ? short_row : 8, 1024);
}

template <class Rows, int64_t short_row>
void registers(Schedule& s, const Rows& p) {
  deal_rows(s, p, {.threads = threads_that_hold(p, short_row), .in_registers = true});
}

/// Threads of 64 registers each that a multiprocessor holds.
constexpr int64_t most_threads = 1024;

/// Runs of four, where rows have them.
template <class Rows>
int64_t widest_vector(const Rows& p) {
  return p.expected.at("N") % 4 == 0 ? 4 : 1;
}

template <class Rows>
RowShape vector_shape(const Rows& p, int64_t short_row) {
  return {
      .threads = threads_that_hold(p, short_row), .vector = widest_vector(p), .in_registers = true};
}

/// With registers for the weights of 16 elements, these come from memory before the row is reduced.
RowShape vector_shape(const Layernorm& p, int64_t short_row) {
  const int64_t N = p.expected.at("N");
  RowShape shape = vector_shape<Layernorm>(p, short_row);
  if (N <= 2048 || shape.vector == 1) return shape;
  shape.threads = threads_of(N, 16, most_threads);
  shape.resident = shape.threads < most_threads ? most_threads / shape.threads : 0;
  return shape;
}

template <class Rows, int64_t short_row>
void vectorized(Schedule& s, const Rows& p) {
  deal_rows(s, p, vector_shape(p, short_row));
}

/// As many blocks as leave a thread 64 elements or fewer, two at least.
int64_t blocks_that_hold(int64_t length) {
  int64_t blocks = 2;
  while (blocks < 8 && blocks * 32768 < length) blocks *= 2;
  return blocks;
}

/// Parts of a row of whole vectors for all threads of each block.
int64_t part_of(int64_t length, int64_t blocks, const RowShape& shape) {
  const int64_t run = shape.threads * shape.vector;
  return llvm::divideCeil(length, blocks * run) * run;
}

template <class Rows>
void clustered(Schedule& s, const Rows& p) {
  const int64_t N = p.expected.at("N"), blocks = blocks_that_hold(N);
  RowShape shape = {
      .threads = threads_of(N / blocks, 8, 512), .vector = widest_vector(p), .in_registers = true};
  shape.part = part_of(N, blocks, shape);
  deal_rows(s, p, shape);
}

/// Rows stay in registers where a thread has 64 elements or fewer; with "resident" blocks it has 64
/// registers.
template <class Rows>
void rows_by_choice(Schedule& s, const Rows& p, tune::Choices& choices) {
  const int64_t N = p.expected.at("N"), blocks = choices.choice("blocks", {1, 2, 4});
  RowShape shape = {.threads = choices.choice("threads", {32, 64, 128, 256, 512, 1024})};
  const int64_t widths[] = {1, 2, 4};
  shape.vector = choices.choice("vector", llvm::ArrayRef(widths, widest_vector(p) == 4 ? 3 : 1));
  const int64_t holds[] = {0, 1};
  const bool has_room = N <= blocks * shape.threads * 64;
  shape.in_registers = choices.choice("in_registers", llvm::ArrayRef(holds, has_room ? 2 : 1)) == 1;
  if (shape.in_registers && shape.threads < most_threads)
    shape.resident = choices.choice("resident", {0, most_threads / shape.threads});
  if (blocks > 1) shape.part = part_of(N, blocks, shape);
  deal_rows(s, p, shape);
}

template <class Rows>
Rows of_rows(const Sizes& fixed, const Sizes& expected) {
  return {fixed, expected};
}

/// The length of a row is a constant of the rungs that hold one in registers. `constants`: those of
/// the others.
template <class Rows, int64_t short_row>
Ladder row_ladder(const char* name, const char* title,
                  const std::vector<std::string>& constants = {}) {
  Ladder ladder;
  ladder.name = name;
  ladder.title = title;
  ladder.sizes = {{"M", 16384}, {"N", 8192}};
  ladder.program = [](const Sizes& fixed) { return Rows(fixed, {}).program; };
  ladder.bytes = [](const Sizes& sizes) { return 8.0 * sizes.at("M") * sizes.at("N"); };
  const RungMaker<Rows> rung(of_rows<Rows>);
  const std::vector<std::string> length = {"N"};
  ladder.rungs = {
      rung("three-pass", "a thread per row, a kernel per definition",
           "Each definition is a kernel, and each row a thread's: the lanes of a warp read "
           "elements that lie a row apart, and the row is read three times.",
           three_pass<Rows>, {.constants = constants}),
      rung("block-reduce", "a block per row",
           {"The lanes of a warp read elements that lie a row apart. Which threads should share a "
            "row, so that neighbours read neighbours?",
            "The threads of a block take neighbouring elements and combine what they have in "
            "shared memory; what the row is reduced to stays in registers. One kernel, which reads "
            "the row three times, mostly from the cache."},
           block_reduce<Rows>, {.builds_on = "three-pass", .constants = constants}),
      rung("shuffle", "shuffles, and one exchange between warps",
           {"A tree over 256 threads takes nine barriers. How many do their warps need?",
            "Lanes combine within their warp, warps leave a value each, and every thread combines "
            "these: one barrier per reduction instead of nine."},
           shuffle<Rows>, {.builds_on = "block-reduce", .constants = constants}),
      rung("registers", "the row in registers",
           {"Each pass reads the row again. Where could it stay?",
            "Each thread keeps its elements in registers: the row is read once."},
           registers<Rows, short_row>, {.builds_on = "shuffle", .constants = length}),
      rung.tunable(
          rung("vectorized", "vectors of four",
               {"Each access moves one element. Can it move four?",
                "A thread loads and stores four neighbours by one access."},
               vectorized<Rows, short_row>, {.builds_on = "registers", .constants = length}),
          rows_by_choice<Rows>),
      rung("cluster", "a row in the registers of several blocks",
           {"A row of 65536 elements does not fit into the registers of a block. What else could "
            "hold it?",
            "The blocks of a cluster take a part of the row each, and write the result of their "
            "part into each other's shared memory: rows of 65536 elements and more stay in "
            "registers, and are read once."},
           clustered<Rows>, {.builds_on = "vectorized", .constants = length}),
  };
  return ladder;
}

}  // namespace

Ladder softmax_ladder() {
  // If NVRTC knows the length it unrolls twice as far, and rows of 8192 elements, which come
  // from the cache the second time, take up to 10 % longer.
  Ladder ladder = row_ladder<Softmax, 16>("softmax", "exp(x) / sum(exp(x)) of each row");
  const RungMaker<OnlineSoftmax> rung(
      [](const Sizes& fixed, const Sizes&) { return OnlineSoftmax(fixed); });
  Rung online = rung(
      "online", "both statistics in one pass",
      {"The sum of the exponentials needs the maximum first. Can one pass find both?",
       "Yes: a pair holds the largest value so far and the sum of exp(x - largest); where a larger "
       "value comes, the sum is scaled. One reduction with one barrier: the row is read twice."},
      shuffle<OnlineSoftmax>, {.builds_on = "shuffle"});
  online.program = [](const Sizes& fixed) { return OnlineSoftmax(fixed).program; };
  const auto registers = llvm::find_if(
      ladder.rungs, [](const Rung& candidate) { return candidate.name == "registers"; });
  ladder.rungs.insert(registers, std::move(online));
  return ladder;
}

Ladder layernorm_ladder() {
  return row_ladder<Layernorm, 8>("layernorm", "each row to mean 0 and variance 1, then scaled",
                                  {"N"});
}

}  // namespace hone
