// softmax and layernorm: each row of a matrix is reduced, and then transformed by the results. The
// number of times that the row is read decides the speed.

#include <limits>

#include "examples/ladders/ladders.h"
#include "examples/ladders/threads.h"

namespace hone {
namespace {

/// The length of a row is a constant where a schedule is to hold it in registers.
Expr row_length(const Sizes& fixed, const Sizes& expected) {
  const auto found = expected.find("N");
  return found == expected.end() ? size_or_param(fixed, "N") : Expr(found->second);
}

struct Softmax {
  Expr M, N;
  Tensor X, Y, largest, scale;
  Axis i, j;
  ReduceAxis k;
  Program program;
  Sizes expected;

  Softmax(const Sizes& fixed, const Sizes& expected)
      : M(size_or_param(fixed, "M")),
        N(row_length(fixed, expected)),
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
        N(row_length(fixed, expected)),
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
    auto [b, t] = s.split(s.axis(tensor, p.i), 128);
    s.bind(b, block.x);
    s.bind(t, thread.x);
    if (tensor.name() != p.Y.name()) s.cache_registers(tensor, t);
  }
}

/// A block per row: its threads reduce the row twice and write it.
template <class Rows>
Axis block_per_row(Schedule& s, const Rows& p, int64_t threads, const Combine& combine,
                   int64_t vector = 1) {
  const Axis row = s.axis(p.Y, p.i);
  const auto statistics = p.statistics();
  for (const Tensor& tensor : llvm::reverse(statistics)) s.compute_at(tensor, row);
  s.bind(row, block.x);
  for (const Tensor& tensor : statistics)
    combine_threads(s, s.axis(tensor, p.k), threads, combine, vector);
  deal_to_threads(s, s.axis(p.Y, p.j), threads, vector);
  return row;
}

constexpr int64_t most_threads = 256;
constexpr Combine by_tree = {Combine::sequential};
constexpr Combine by_warps = {Combine::two_level};

/// As many threads as have work, in whole warps.
int64_t threads_of(int64_t length, int64_t each, int64_t most) {
  int64_t threads = 32;
  while (threads < most && threads * each < length) threads *= 2;
  return threads;
}

template <class Rows>
void block_reduce(Schedule& s, const Rows& p) {
  block_per_row(s, p, most_threads, by_tree);
}

template <class Rows>
void shuffle(Schedule& s, const Rows& p) {
  block_per_row(s, p, most_threads, by_warps);
}

/// A short row has fewer threads with more elements each.
template <class Rows>
int64_t threads_that_hold(const Rows& p, int64_t short_row) {
  const int64_t N = p.expected.at("N");
  return threads_of(N, N <= 2048 ? short_row : 8, 1024);
}

template <class Rows, int64_t short_row>
void registers(Schedule& s, const Rows& p) {
  const Axis row = block_per_row(s, p, threads_that_hold(p, short_row), by_warps);
  s.cache_registers(p.X, row);
}

/// The threads of a row, and the blocks that a multiprocessor holds; 0: as many as there is room
/// for.
struct RowThreads {
  int64_t threads = 0, resident = 0;
};

template <class Rows>
RowThreads vector_threads(const Rows& p, int64_t short_row) {
  return {threads_that_hold(p, short_row)};
}

/// With registers for the weights of 16 elements, these come from memory before the row is reduced.
RowThreads vector_threads(const Layernorm& p, int64_t short_row) {
  constexpr int64_t most = 1024;  // threads, of 64 registers each, that a multiprocessor holds
  const int64_t N = p.expected.at("N");
  if (N <= 2048 || N % 4 != 0) return {threads_that_hold(p, short_row)};
  const int64_t threads = threads_of(N, 16, most);
  return {threads, threads < most ? most / threads : 0};
}

template <class Rows, int64_t short_row>
void vectorized(Schedule& s, const Rows& p) {
  const bool has_vectors = p.expected.at("N") % 4 == 0;
  const auto [threads, resident] = vector_threads(p, short_row);
  const Axis row = block_per_row(s, p, threads, by_warps, has_vectors ? 4 : 1);
  s.cache_registers(p.X, row, {.vectorize = has_vectors ? 4 : 0});
  if (resident > 0) s.launch_bounds(row, resident);
}

/// As many blocks as leave a thread 64 elements or fewer, two at least.
int64_t blocks_that_hold(int64_t length) {
  int64_t blocks = 2;
  while (blocks < 8 && blocks * 32768 < length) blocks *= 2;
  return blocks;
}

/// The parts of a row, and the axis within them, which keeps its name.
std::array<Axis, 2> parts_of(Schedule& s, const Axis& axis, int64_t length) {
  const std::string name = plain_name(axis), of_part = name + "_part";
  return s.split(axis, length, {.names = {of_part.c_str(), name.c_str()}});
}

/// The row is dealt out to the blocks of a cluster, which tell each other what they have reduced
/// their parts to.
template <class Rows>
void clustered(Schedule& s, const Rows& p) {
  const int64_t N = p.expected.at("N"), vector = N % 4 == 0 ? 4 : 1;
  const int64_t blocks = blocks_that_hold(N);
  const int64_t threads = threads_of(N / blocks, 8, 512), step = blocks * threads * vector;
  const int64_t part = (N + step - 1) / step * threads * vector;
  const Axis row = s.axis(p.Y, p.i);
  const auto statistics = p.statistics();
  for (const Tensor& tensor : llvm::reverse(statistics)) s.compute_at(tensor, row);
  s.bind(row, block.x);
  for (const Tensor& tensor : statistics) {
    auto [c, rest] = parts_of(s, s.axis(tensor, p.k), part);
    s.bind(c, cluster.x, CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}});
    combine_threads(s, rest, threads, by_warps, vector);
  }
  auto [c, rest] = parts_of(s, s.axis(p.Y, p.j), part);
  s.bind(c, cluster.x);
  deal_to_threads(s, rest, threads, vector);
  s.cache_registers(p.X, row, {.vectorize = vector == 4 ? 4 : 0});
}

template <class Rows>
Rows of_any_length(const Sizes& fixed, const Sizes&) {
  return {fixed, {}};
}

template <class Rows>
Rows of_fixed_length(const Sizes& fixed, const Sizes& expected) {
  return {fixed, expected};
}

/// `make` is what the rungs that hold no row in registers take.
template <class Rows, int64_t short_row>
Ladder row_ladder(const char* name, const char* title, Rows (*make)(const Sizes&, const Sizes&)) {
  Ladder ladder;
  ladder.name = name;
  ladder.title = title;
  ladder.sizes = {{"M", 16384}, {"N", 8192}};
  ladder.program = [](const Sizes& fixed) { return Rows(fixed, {}).program; };
  ladder.bytes = [](const Sizes& sizes) { return 8.0 * sizes.at("M") * sizes.at("N"); };
  const RungMaker<Rows> rung(make), of_length(of_fixed_length<Rows>);
  ladder.rungs = {
      rung("three-pass", "a thread per row, a kernel per definition",
           "Each definition is a kernel, and each row a thread's: the lanes of a warp read "
           "elements that lie a row apart, and the row is read three times.",
           three_pass<Rows>),
      rung("block-reduce", "a block per row",
           "The threads of a block take neighbouring elements and combine what they have in shared "
           "memory; what the row is reduced to stays in registers. One kernel, which reads the row "
           "three times, mostly from the cache.",
           block_reduce<Rows>, {.builds_on = "three-pass"}),
      rung("shuffle", "shuffles, and one exchange between warps",
           "Lanes combine within their warp, warps leave a value each, and every thread combines "
           "these: one barrier per reduction instead of nine.",
           shuffle<Rows>, {.builds_on = "block-reduce"}),
      of_length("registers", "the row in registers",
                "Each thread keeps its elements: the row is read once.", registers<Rows, short_row>,
                {.builds_on = "shuffle"}),
      of_length("vectorized", "vectors of four",
                "Four neighbours an access, on the way in and on the way out.",
                vectorized<Rows, short_row>, {.builds_on = "registers"}),
      of_length("cluster", "a row in the registers of several blocks",
                "The blocks of a cluster take a part of the row each, and write what they have "
                "reduced it to into each other's shared memory: rows of 65536 elements and more "
                "stay in registers, and are read once.",
                clustered<Rows>, {.builds_on = "vectorized"}),
  };
  return ladder;
}

}  // namespace

Ladder softmax_ladder() {
  // If NVRTC knows the length it unrolls twice as far, and rows of 8192 elements, which come
  // from the cache the second time, take up to 10 % longer.
  Ladder ladder = row_ladder<Softmax, 16>("softmax", "exp(x) / sum(exp(x)) of each row",
                                          of_any_length<Softmax>);
  const RungMaker<OnlineSoftmax> rung(
      [](const Sizes& fixed, const Sizes&) { return OnlineSoftmax(fixed); });
  Rung online = rung(
      "online", "both statistics in one pass",
      "A pair holds the largest value so far and the sum of exp(x - largest); where a larger value "
      "comes, the sum is scaled. One reduction with one barrier: the row is read twice.",
      shuffle<OnlineSoftmax>, {.builds_on = "shuffle"});
  online.program = [](const Sizes& fixed) { return OnlineSoftmax(fixed).program; };
  const auto registers = llvm::find_if(
      ladder.rungs, [](const Rung& candidate) { return candidate.name == "registers"; });
  ladder.rungs.insert(registers, std::move(online));
  return ladder;
}

Ladder layernorm_ladder() {
  return row_ladder<Layernorm, 8>("layernorm", "each row to mean 0 and variance 1, then scaled",
                                  of_fixed_length<Layernorm>);
}

}  // namespace hone
