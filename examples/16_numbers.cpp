// Lesson 16: numbers.
//
// Two right kernels for one program may differ in the last bits of their results. Each addition of
// floats rounds, and how much that changes depends on the sum so far: so the order of the terms
// decides about the bits. A schedule may change the order. This lesson adds four numbers in three
// orders, reads the orders of schedules, and has a schedule keep them.

#include "dsl/schedule.h"
#include "runtime/compile.h"

using namespace hone;

/// S[i] = sum of A[i, k] over k
struct RowSums {
  Param M = Param("M"), N = Param("N");
  Tensor A = Tensor("A", f32, {M, N}), S = Tensor("S", f32, {M});
  Axis i = Axis("i", M);
  ReduceAxis k = ReduceAxis("k", N);
  Program program = Program("row_sums", S(i) = sum(k, A(i, k)));
};

/// The sum of 10^8, 1, -10^8 and 1. Neighbours of 10^8 are 8 apart in a float: a 1 is lost in it.
float result_of(const Schedule& s) {
  const Array<float> row({1e8F, 1, -1e8F, 1}, {1, 4}), sums({1});
  compile(s, {.device = Device::simulated()})(row, sums);
  return sums.to_vector()[0];
}

void print_orders(const Schedule& s) {
  for (const SumOrder& order : s.numbers()) fmt::print("{}\n", to_string(order));
}

void show(const char* name, const Schedule& s) {
  fmt::print("{}: {}\n", name, result_of(s));
  print_orders(s);
}

/// Two threads share a sum: one takes the terms 0, 2, ..., and the other 1, 3, ...
Schedule every_second_term(const RowSums& p, const Combine& combine) {
  Schedule s(p.program);
  s.bind(p.i, block.x);
  auto [turn, t] = s.split(p.k, 2);
  s.reorder({t, turn});
  s.bind(t, thread.x, combine);
  return s;
}

/// One takes the first half of the terms, and the other the second.
Schedule two_halves(const RowSums& p) {
  Schedule s(p.program);
  s.bind(p.i, block.x);
  auto [t, term] = s.split_into(p.k, 2);
  s.bind(t, thread.x, {Combine::sequential});
  return s;
}

void show_demands(const RowSums& p);
void show_arrival(const RowSums& p);

int main() {
  const RowSums p;

  // The program adds one term after the other. The first 1 is lost in 10^8; what is left is the
  // second one.
  Schedule in_order(p.program);
  in_order.bind(p.i, thread.x);
  show("in order", in_order);
  //| in order: 1
  //| S += A, in f32
  //|   k: N terms in order

  // Two threads take every second term each: 10^8 - 10^8, and 1 + 1. Nothing is lost here.
  show("every second term", every_second_term(p, {Combine::sequential}));
  //| every second term: 2
  //| S += A, in f32
  //|   k.0: (N + 1) / 2 terms in order
  //|   k.1: 2 parts at once, by sequential

  // With a half each, 10^8 + 1 and -10^8 + 1, both ones are lost.
  show("two halves", two_halves(p));
  //| two halves: 0
  //| S += A, in f32
  //|   k.1: (N + 1) / 2 terms in order
  //|   k.0: 2 parts at once, by sequential

  // All three are right: the error that is to be expected of a sum grows with its largest terms.
  show_demands(p);
  show_arrival(p);
}

/// Prints why a step is refused.
template <class Step>
void expect_refusal(Step step) {
  try {
    step();
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.what());
    return;
  }
  std::exit(EXIT_FAILURE);
}

void show_demands(const RowSums& p) {
  // A schedule that requires the order refuses each step that would change it. A split keeps it:
  // the loop became two that follow each other inwards. To swap them is another order.
  Schedule s(p.program);
  s.require(Numbers::same_order);
  auto [outer, inner] = s.split(p.k, 2);
  expect_refusal([&, outer = outer, inner = inner] { s.reorder({inner, outer}, Location()); });
  //| error: reorder: the terms of S would come in another order, and the schedule requires same_order
  //|   for i in 0..M {
  //|     reduce k.0 in 0..(N + 1) / 2 {   <-- here
  //|       reduce k.1 in 0..2 {
  //|         if (k.0*2 + k.1 < N) {
  //| note: schedule the loops around the sums instead, or leave require out

  // The step is refused, and the schedule is as it was: it goes on.
  auto [b, t] = s.split(p.i, 128);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  s.cache_registers(p.S, t);
  show("under same_order", s);
  //| under same_order: 1
  //| S.reg += A, in f32
  //|   k.1: 2 terms in order
  //|   k.0: (N + 1) / 2 terms in order
}

void show_arrival(const RowSums& p) {
  // An order may even differ from run to run: atomic additions come as they come. A test may do
  // with any order, as long as it is always the same one: run_to_run requires that.
  print_orders(every_second_term(p, {Combine::atomic}));
  //| S += A, in f32
  //|   k.0: (N + 1) / 2 terms in order
  //|   k.1: 2 parts at once, added in the order in which they come
  Schedule s(p.program);
  s.require(Numbers::run_to_run);
  expect_refusal([&] { s.bind(p.k, thread.x, Combine::atomic, Location()); });
  //| error: bind: the parts of S over k would be added as they come, and the schedule requires run_to_run
  //|   for i in 0..M {
  //|     reduce k in 0..N {               <-- here
  //|       S[i] += A[i, k]
  //| note: combine by another method: Combine::last_block adds in order

  // `hone numbers LADDER/RUNG` prints the same of a rung, and compares its bits with the program's.
  // To tell another order from a mistake, `hone check LADDER --ring` computes with numbers that
  // never round.
}

// Exercises:
//   hone exercise 16.1    tiles, to the last bit
//   hone exercise 16.2    the same bits in each run
