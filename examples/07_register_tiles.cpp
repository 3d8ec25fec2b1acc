// Lesson 7: register tiles.
//
// The tiled product of lesson 5 reads two floats of shared memory for each multiplication. A thread
// that computes several elements of C can use what it has read several times: 4 x 4 elements need 4
// floats of A and 4 of B for 16 products. The reads per product fall from 2 to 1/2. Registers hold
// the sums and the operands.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"

using namespace hone;

// 72 is no multiple of the tiles of 64 and of 16.
const Sizes sizes = {{"M", 72}, {"N", 64}, {"K", 40}};

/// Floats that the lanes read from shared memory for each product.
void print_reads(const Measured& measured) {
  double bytes = 0;
  for (const CountReport& kernel : measured.kernels)
    bytes += static_cast<double>(kernel.total(AccessClass::shared_load).bytes);
  double products = 0;
  for (const CountReport& kernel : measured.kernels)
    products += static_cast<double>(kernel.flops) / 2;
  fmt::print("{:.2f} floats of shared memory per product\n", bytes / 4 / products);
}

struct Matmul {
  Param M{"M"}, N{"N"}, K{"K"};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Program program{"matmul", C(i, j) = sum(k, A(i, k) * B(k, j))};
};

Schedule with_register_tiles(const Matmul& p);
void show_tiles(const Schedule& s);
void show_reads(const Matmul& p, const Schedule& s);

int main() {
  const Matmul p;

  // The kernel of lesson 5, to compare with: one element of C a thread.
  Schedule one(p.program);
  auto [by, bx, ty, tx] = one.tile({p.i, p.j}, {16, 16});
  one.bind(by, block.y);
  one.bind(bx, block.x);
  one.bind(ty, thread.y);
  one.bind(tx, thread.x);
  one.cache_registers(p.C, tx);
  auto [ko, ki] = one.split(p.k, 16);
  one.cache_shared(p.A, ko);
  one.cache_shared(p.B, ko);
  print_reads(try_out(p.program, one, sizes));
  //| K=40 M=72 N=64: right results, no findings
  //|   global load   A             432 requests, 3.333 sectors each
  //|   shared store  A.shared      480 requests, 1 wavefront each
  //|   global load   B             400 requests, 4 sectors each
  //|   shared store  B.shared      480 requests, 1 wavefront each
  //|   shared load   A.shared     7680 requests, 1 wavefront each
  //|   shared load   B.shared     7680 requests, 1 wavefront each
  //|   global store  C             144 requests, 4 sectors each
  //| 2.00 floats of shared memory per product

  const Schedule s = with_register_tiles(p);
  show_tiles(s);
  show_reads(p, s);
}

Schedule with_register_tiles(const Matmul& p) {
  // Now a block computes 64 x 64 elements, and its 16 x 16 threads 4 x 4 each. The loop over ki
  // goes outside of the elements of a thread: what is read for one k serves all of them.
  Schedule s(p.program);
  auto [by, bx, rows, columns] = s.tile({p.i, p.j}, {64, 64});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {4, 4});
  auto [ko, ki] = s.split(p.k, 16);
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);

  // The part of C that an iteration of tx touches are 4 x 4 elements of one thread.
  s.cache_registers(p.C, tx);
  const Cache A_shared = s.cache_shared(p.A, ko);
  const Cache B_shared = s.cache_shared(p.B, ko);

  // The loops y and x of a thread would still read both operands for each product. A tile in
  // registers says that they are there: one iteration of ki needs four of each.
  s.cache_registers(A_shared, ki);
  s.cache_registers(B_shared, ki);
  return s;
}

void show_tiles(const Schedule& s) {
  fmt::print("{}\n", s);
  //| func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  //|   for i.0 in 0..(M + 63) / 64 @block.y {
  //|     for j.0 in 0..(N + 63) / 64 @block.x {
  //|       for i.1.0 in 0..16 @thread.y {
  //|         for j.1.0 in 0..16 @thread.x {
  //|           alloc C.reg: f32[4, 4] @registers
  //|           for i.1.1.init in 0..4 @unroll {
  //|             for j.1.1.init in 0..4 @unroll {
  //|               C.reg[i.1.1.init, j.1.1.init] = 0.0
  //|             }
  //|           }
  //|           reduce k.0 in 0..(K + 15) / 16 {
  //|             alloc A.shared: f32[64, 16] @shared
  //|             copy A.shared[0 .. +64, 0 .. +16] <- A[i.0*64 .. +64, k.0*16 .. +16]
  //|             alloc B.shared: f32[16, 64] @shared
  //|             copy B.shared[0 .. +16, 0 .. +64] <- B[k.0*16 .. +16, j.0*64 .. +64]
  //|             reduce k.1 in 0..16 {
  //|               alloc A.reg: f32[4] @registers
  //|               copy A.reg[0 .. +4] <- A.shared[i.1.0*4 .. +4, k.1]
  //|               alloc B.reg: f32[4] @registers
  //|               copy B.reg[0 .. +4] <- B.shared[k.1, j.1.0*4 .. +4]
  //|               for i.1.1 in 0..4 @unroll {
  //|                 for j.1.1 in 0..4 @unroll {
  //|                   C.reg[i.1.1, j.1.1] += A.reg[i.1.1] * B.reg[j.1.1]
  //|                 }
  //|               }
  //|             }
  //|           }
  //|           copy C[i.0*64 + i.1.0*4 .. +4, j.0*64 + j.1.0*4 .. +4] <- C.reg[0 .. +4, 0 .. +4]
  //|         }
  //|       }
  //|     }
  //|   }
  //| }
}

void show_reads(const Matmul& p, const Schedule& s) {
  print_reads(try_out(p.program, s, sizes));
  //| K=40 M=72 N=64: right results, no findings
  //|   global load   A             108 requests, 3.333 sectors each
  //|   shared store  A.shared      192 requests, 1 wavefront each
  //|   global load   B             160 requests, 4 sectors each
  //|   shared store  B.shared      192 requests, 1 wavefront each
  //|   shared load   A.shared     3072 requests, 2 wavefronts each, 1 wavefront without bank conflicts
  //|   shared load   B.shared     3072 requests, 2 wavefronts each, 1 wavefront without bank conflicts
  //|   global store  C             144 requests, 16 sectors each
  //| 0.50 floats of shared memory per product

  // The wavefronts say what is left to do. The 16 lanes of a row of threads read floats of B.shared
  // that lie 4 apart, which are in 8 banks: two of them in each. The stores of C take every fourth
  // float, and 16 sectors. Lesson 8 moves the four floats at once, which mends both.
}

// Exercises:
//   hone exercise 7.1    a register tile
//   hone exercise 7.2    rows that share an operand
