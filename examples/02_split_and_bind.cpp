// Lesson 2: split, bind, and guards.
//
// A matrix product, one thread per element. The lesson splits both loops into tiles, brings the
// tiles outside, and maps them to the grid; then it keeps the sum in a register. Each step rewrites
// the program at once, and a step that would change its meaning is refused.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

void show_refusals(Schedule& s, const Axis& i, const ReduceAxis& k);
void show_register(const Program& matmul, Schedule& s, const Tensor& C, const Axis& tx);
void show_tails();

int main() {
  Tensor A("A", f32, {64, 100}), B("B", f32, {100, 50}), C("C", f32, {64, 50});
  Axis i("i", 64), j("j", 50);
  ReduceAxis k("k", 100);
  Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(matmul);

  // 16 divides 64, so i needs no guard; it does not divide 50, so j gets one.
  auto [iy, ty] = s.split(i, 16);
  auto [jx, tx] = s.split(j, 16);
  fmt::print("{}\n", s);
  //| func matmul(A: f32[64, 100], B: f32[100, 50], C: f32[64, 50]) {
  //|   for i.0 in 0..4 {
  //|     for i.1 in 0..16 {
  //|       for j.0 in 0..4 {
  //|         for j.1 in 0..16 {
  //|           if (j.0*16 + j.1 < 50) {
  //|             C[i.0*16 + i.1, j.0*16 + j.1] = 0.0
  //|             reduce k in 0..100 {
  //|               C[i.0*16 + i.1, j.0*16 + j.1] += A[i.0*16 + i.1, k] * B[k, j.0*16 + j.1]
  //|             }
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }

  show_refusals(s, i, k);

  // The loops of a grid enclose those of a block.
  s.reorder({iy, jx, ty, tx});
  s.bind(iy, block.y);
  s.bind(jx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);

  show_register(matmul, s, C, tx);
  show_tails();
}

void show_refusals(Schedule& s, const Axis& i, const ReduceAxis& k) {
  // Axes are values. One that a step has used up says so, and says what became of it.
  try {
    s.bind(i, block.y, Location());
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.what());
  }
  //| error: bind: axis i no longer exists; split at examples/02_split_and_bind.cpp:24 made it i.0 and i.1

  // Threads of a reduction would all update one element.
  try {
    s.bind(k, thread.x, Location());
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.message());
  }
  //| k is a reduction axis: all its iterations update C[i.0*16 + i.1, j.0*16 + j.1]
}

void show_register(const Program& matmul, Schedule& s, const Tensor& C, const Axis& tx) {
  // As it stands, each of the 100 products of an element reads C and writes it again.
  try_out(matmul, s, {});
  //| right results, no findings
  //|   global store  C           12928 requests, 4.625 sectors each
  //|   global load   A           12800 requests, 2 sectors each
  //|   global load   B           12800 requests, 2.312 sectors each
  //|   global load   C           12800 requests, 4.625 sectors each

  // One iteration of tx touches one element of C: it can live in a register. The loads of C are
  // gone, and one store of a hundred is left.
  s.cache_registers(C, tx);
  fmt::print("{}\n", s);
  //| func matmul(A: f32[64, 100], B: f32[100, 50], C: f32[64, 50]) {
  //|   for i.0 in 0..4 @block.y {
  //|     for j.0 in 0..4 @block.x {
  //|       for i.1 in 0..16 @thread.y {
  //|         for j.1 in 0..16 @thread.x {
  //|           if (j.0*16 + j.1 < 50) {
  //|             alloc C.reg: f32[] @registers
  //|             C.reg[] = 0.0
  //|             reduce k in 0..100 {
  //|               C.reg[] += A[i.0*16 + i.1, k] * B[k, j.0*16 + j.1]
  //|             }
  //|             C[i.0*16 + i.1, j.0*16 + j.1] = C.reg[]
  //|           }
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
  try_out(matmul, s, {});
  //| right results, no findings
  //|   global load   A           12800 requests, 2 sectors each
  //|   global load   B           12800 requests, 2.312 sectors each
  //|   global store  C             128 requests, 4.625 sectors each

  // The trace is the C++ that makes the schedule.
  fmt::print("{}", s.trace_text());
  //| auto [i_0, i_1] = s.split(i, 16);
  //| auto [j_0, j_1] = s.split(j, 16);
  //| s.reorder({i_0, j_0, i_1, j_1});
  //| s.bind(i_0, block.y);
  //| s.bind(j_0, block.x);
  //| s.bind(i_1, thread.y);
  //| s.bind(j_1, thread.x);
  //| s.cache_registers(C, j_1);
}

void show_tails() {
  // A guard is one way to treat what a split leaves over. `exact` asks for a proof that there is
  // nothing, and is refused without one.
  Param n("n");
  Tensor X("X", f32, {n}), Y("Y", f32, {n});
  Axis i("i", n);
  Program twice("twice", Y(i) = X(i) * 2.0f);
  Schedule s(twice);
  try {
    s.split(i, 64, {.tail = Tail::exact}, Location());
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.message());
  }
  //| 64 is not proved to divide the extent n of i and the tail is 'exact'

  // A promise of the callers is such a proof. Launches check it, and no guard is left.
  s.assume(n % 64 == 0);
  auto [b, t] = s.split(i, 64, {.tail = Tail::exact});
  s.bind(b, block.x);
  s.bind(t, thread.x);
  fmt::print("{}\n", s);
  //| func twice[n](X: f32[n], Y: f32[n]) where n % 64 == 0 {
  //|   for i.0 in 0..n / 64 @block.x {
  //|     for i.1 in 0..64 @thread.x {
  //|       Y[i.0*64 + i.1] = X[i.0*64 + i.1] * 2.0
  //|     }
  //|   }
  //| }
  try_out(twice, s, {{"n", 128}});
  //| n=128: right results, no findings
  //|   global load   X               4 requests, 4 sectors each
  //|   global store  Y               4 requests, 4 sectors each
}

// Exercises:
//   hone exercise 2.1    a matrix product, a thread per element
//   hone exercise 2.2    a kernel without guards
