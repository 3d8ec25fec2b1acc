// Lesson 12: own operators, and softmax in one pass.
//
// A reduction is an identity and a way to combine two values. `sum` and `max` are two of them; a
// program may bring its own, also over pairs of values. One that is declared associative takes all
// the steps that sums take. Softmax needs the largest value of a row and the sum of exponentials,
// which are two passes over the row; as one reduction of pairs they are one.

#include <limits>

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

void softmax_in_two_passes();
void softmax_in_one_pass();
void show_one_pass(const Program& softmax, const Schedule& s);

/// A warp per row: the lanes take neighbouring elements, and combine what they have by shuffles.
void bind_row(Schedule& s, const Axis& k) {
  auto [turn, lane] = s.split(k, 32);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, Combine::shuffle);
}

int main() {
  // The largest absolute value of each row, by an operator of one's own: f(x, y) = max(|x|, |y|).
  Param M("M"), N("N");
  Tensor X("X", f32, {M, N}), largest("largest", f32, {M});
  Axis i("i", M);
  ReduceAxis k("k", N);
  const auto combine = [](const Expr& x, const Expr& y) { return max(abs(x), abs(y)); };
  const auto program = [&](const OperatorOptions& options) {
    return Program("absmax", largest(i) = reduce({k}, 0.0, X(i, k), combine, options));
  };

  // Threads regroup what they combine, which only an associative operator takes. To declare it is
  // a promise; it is tried on numbers of all sizes.
  Schedule strict(program({.name = "absmax"}));
  auto [turn, lane] = strict.split(k, 32);
  try {
    strict.bind(lane, thread.x, Combine::shuffle, Location());
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.message());
  }
  //| two iterations of k.1 may touch one element: one writes largest[i], one reads largest[i]

  const Program absmax = program({.name = "absmax", .associative = true});
  Schedule s(absmax);
  s.bind(i, block.x);
  bind_row(s, k);
  fmt::print("{}\n", s);
  //| operator absmax(lhs: f32, rhs: f32) = max(abs(lhs[]), abs(rhs[])) identity 0.0
  //| func absmax[M, N](X: f32[M, N], largest: f32[M]) {
  //|   for i in 0..M @block.x {
  //|     largest[i] = 0.0
  //|     reduce k.1 in 0..32 @thread.x combine(shuffle) {
  //|       reduce k.0 in 0..(N + 31) / 32 {
  //|         if (k.0*32 + k.1 < N) {
  //|           largest[i] absmax= X[i, k.0*32 + k.1]
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  try_out(absmax, s, {{"M", 3}, {"N", 100}});
  //| M=3 N=100: right results, no findings
  //|   global load   X              12 requests, 3.5 sectors each
  //|   global store  largest         3 requests, 1 sector each

  softmax_in_two_passes();
  softmax_in_one_pass();
}

// Y(i, j) = exp(X(i, j) - largest(i)) / sum(k, exp(X(i, k) - largest(i)))
void softmax_in_two_passes() {
  Param M("M"), N("N");
  Tensor X("X", f32, {M, N}), Y("Y", f32, {M, N}), largest("largest", f32, {M}),
      total("total", f32, {M});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", N);
  Program softmax("softmax", largest(i) = max(k, X(i, k)),
                  total(i) = sum(k, exp(X(i, k) - largest(i))),
                  Y(i, j) = exp(X(i, j) - largest(i)) / total(i));

  // A block has a row. `compute_at` brings what the row needs of the statistics into its kernel,
  // the second first, as it reads the first.
  Schedule s(softmax);
  const Axis row = s.axis(Y, i);
  s.bind(row, block.x);
  s.compute_at(total, row);
  s.compute_at(largest, row);
  bind_row(s, s.axis(total, k));
  bind_row(s, s.axis(largest, k));
  auto [turn, lane] = s.split(s.axis(Y, j), 32);
  s.bind(lane, thread.x);
  try_out(softmax, s, {{"M", 3}, {"N", 100}});
  //| M=3 N=100: right results, no findings
  //|   global load   X              36 requests, 3.5 sectors each
  //|   global store  Y              12 requests, 3.5 sectors each
}

void softmax_in_one_pass() {
  // A pair stands for some values: their largest, and the sum of their exponentials relative to it.
  // Two pairs merge; the sum that belongs to the smaller of the two is scaled down.
  const auto merge = [](const Expr& x, const Expr& y) {
    const Expr larger = max(first(x), first(y));
    return pair(larger, second(x) * exp(first(x) - larger) + second(y) * exp(first(y) - larger));
  };
  Param M("M"), N("N");
  Tensor X("X", f32, {M, N}), Y("Y", f32, {M, N}),
      statistic("statistic", tuple_of({f32, f32}), {M});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", N);
  Program softmax(
      "softmax",
      statistic(i) = reduce({k}, pair(std::numeric_limits<float>::lowest(), 0.0),
                            pair(X(i, k), 1.0), merge, {.name = "merge", .associative = true}),
      Y(i, j) = exp(X(i, j) - first(statistic(i))) / second(statistic(i)));

  Schedule s(softmax);
  const Axis row = s.axis(Y, i);
  s.bind(row, block.x);
  s.compute_at(statistic, row);
  bind_row(s, s.axis(statistic, k));
  auto [turn, lane] = s.split(s.axis(Y, j), 32);
  s.bind(lane, thread.x);
  show_one_pass(softmax, s);
}

void show_one_pass(const Program& softmax, const Schedule& s) {
  fmt::print("{}\n", s);
  //| operator merge(lhs: (f32, f32), rhs: (f32, f32)) = (max(lhs[].first, rhs[].first), lhs[].second * exp(lhs[].first - max(lhs[].first, rhs[].first)) + rhs[].second * exp(rhs[].first - max(lhs[].first, rhs[].first))) identity (-3.4028235e+38, 0.0)
  //| func softmax[M, N](X: f32[M, N], Y: f32[M, N]) {
  //|   for i.Y in 0..M @block.x {
  //|     alloc statistic: (f32, f32)[] @registers
  //|     statistic[] = (-3.4028235e+38, 0.0)
  //|     reduce k.1 in 0..32 @thread.x combine(shuffle) {
  //|       reduce k.0 in 0..(N + 31) / 32 {
  //|         if (k.0*32 + k.1 < N) {
  //|           statistic[] merge= (X[i.Y, k.0*32 + k.1], 1.0)
  //|         }
  //|       }
  //|     }
  //|     for j.0 in 0..(N + 31) / 32 {
  //|       for j.1 in 0..32 @thread.x {
  //|         if (j.0*32 + j.1 < N) {
  //|           Y[i.Y, j.0*32 + j.1] = exp(X[i.Y, j.0*32 + j.1] - statistic[].first) / statistic[].second
  //|         }
  //|       }
  //|     }
  //|   }
  //| }

  // Two loads of each element instead of three: one for the statistic, one for the result.
  try_out(softmax, s, {{"M", 3}, {"N", 100}});
  //| M=3 N=100: right results, no findings
  //|   global load   X              24 requests, 3.5 sectors each
  //|   global store  Y              12 requests, 3.5 sectors each
}

// Exercises:
//   hone exercise 12.1    the range of each row in one pass
//   hone exercise 12.2    normalised rows in one kernel
