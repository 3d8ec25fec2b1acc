// Lesson 9: occupancy and registers.
//
// A multiprocessor hides the time that a load takes by running other warps meanwhile. One of an
// H100 holds 64 warps, where there is room for them: 65536 registers and 228 KB of shared memory
// are dealt out to the blocks that are there, and a block comes as a whole or not at all. The share
// of the 64 warps that fit is the occupancy. It is plain arithmetic; the lesson does it for a
// product whose tiles grow.

#include "codegen/cost/static_facts.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"
#include "runtime/model/occupancy.h"

using namespace hone;

/// The product of lesson 7: blocks of 16 x 16 threads compute edge x edge elements of C, in steps
/// of `depth` products.
Schedule tiled_product(const Program& matmul, int64_t edge, int64_t depth) {
  Schedule s(matmul);
  auto [by, bx, rows, columns] = s.tile({s.axis("i"), s.axis("j")}, {edge, edge});
  auto [ty, tx, y, x] = s.tile({rows, columns}, {edge / 16, edge / 16});
  auto [ko, ki] = s.split(s.axis("k"), depth);
  s.reorder({by, bx, ty, tx, ko, ki, y, x});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(s.tensor("C"), tx);
  const Cache A_shared = s.cache_shared(s.tensor("A"), ko);
  const Cache B_shared = s.cache_shared(s.tensor("B"), ko);
  s.cache_registers(A_shared, ki);
  s.cache_registers(B_shared, ki);
  return s;
}

/// Beside its tiles, a thread keeps addresses and counters in registers. The assembler decides how
/// many: `hone counters` asks it. For products like these 24 is near.
constexpr int64_t other_registers = 24;

/// The room that a block takes, and the blocks and warps that fit.
double print_occupancy(const Schedule& s) {
  const KernelFunction kernel = lower(s).kernels[0];
  const StaticFacts facts = static_facts(kernel);
  const BlockResources room = {256, facts.tile_registers() + other_registers, facts.shared_bytes};
  const Occupancy fitting = occupancy("sm_90", room);
  fmt::print("  a thread: {} registers, {} of them tiles; a block: {} bytes of shared memory\n",
             room.registers_per_thread, facts.tile_registers(), room.shared_bytes);
  fmt::print("  a multiprocessor: {}\n", to_string(fitting, "sm_90"));
  return fitting.fraction;
}

/// Elements of A and B that a block fetches for each of its products.
void print_traffic(const Program& matmul, const Schedule& s, int64_t depth) {
  const Measured measured = measure(matmul, s, {{"M", 128}, {"N", 128}, {"K", depth}});
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
  const auto per_product = [&](AccessClass access_class) {
    double elements = 0, products = 0;
    for (const CountReport& kernel : measured.kernels) {
      elements += static_cast<double>(kernel.total(access_class).bytes) / 4;
      products += static_cast<double>(kernel.flops) / 2;
    }
    return elements / products;
  };
  fmt::print("  per product: {:.4f} global and {:.3f} shared loads\n",
             per_product(AccessClass::global_load), per_product(AccessClass::shared_load));
}

int main() {
  Param M("M"), N("N"), K("K");
  Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", K);
  Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));

  // Growing the tile of a thread costs registers: its square in sums, and twice its edge in
  // operands. It saves loads, of both kinds.
  for (const int64_t edge : {16, 32, 64, 128}) {
    fmt::print("blocks of {0} x {0}, steps of 16\n", edge);
    const Schedule s = tiled_product(matmul, edge, 16);
    print_occupancy(s);
    print_traffic(matmul, s, 16);
  }
  //| blocks of 16 x 16, steps of 16
  //|   a thread: 27 registers, 3 of them tiles; a block: 2048 bytes of shared memory
  //|   a multiprocessor: 8 blocks, 64 of 64 warps (100 %), limited by warps and registers
  //|   per product: 0.1250 global and 2.000 shared loads
  //| blocks of 32 x 32, steps of 16
  //|   a thread: 32 registers, 8 of them tiles; a block: 4096 bytes of shared memory
  //|   a multiprocessor: 8 blocks, 64 of 64 warps (100 %), limited by warps and registers
  //|   per product: 0.0625 global and 1.000 shared loads
  //| blocks of 64 x 64, steps of 16
  //|   a thread: 48 registers, 24 of them tiles; a block: 8192 bytes of shared memory
  //|   a multiprocessor: 5 blocks, 40 of 64 warps (62.5 %), limited by registers
  //|   per product: 0.0312 global and 0.500 shared loads
  //| blocks of 128 x 128, steps of 16
  //|   a thread: 104 registers, 80 of them tiles; a block: 16384 bytes of shared memory
  //|   a multiprocessor: 2 blocks, 16 of 64 warps (25 %), limited by registers
  //|   per product: 0.0156 global and 0.250 shared loads

  // At 128 x 128 a quarter of the warps is left. That need not be slower: each thread has 64
  // products to do that do not wait for each other, and the loads are an eighth of the first.
  // Occupancy is a means; the fastest rungs of the ladder matmul have little of it.

  // A deeper step saves no load: a block fetches each element once either way. It saves barriers,
  // and costs shared memory, which now leaves room for fewer blocks than the registers do.
  fmt::print("blocks of 64 x 64, steps of 128\n");
  const Schedule deep = tiled_product(matmul, 64, 128);
  const double fraction = print_occupancy(deep);
  print_traffic(matmul, deep, 128);
  //| blocks of 64 x 64, steps of 128
  //|   a thread: 48 registers, 24 of them tiles; a block: 65536 bytes of shared memory
  //|   a multiprocessor: 3 blocks, 24 of 64 warps (37.5 %), limited by shared memory
  //|   per product: 0.0312 global and 0.500 shared loads
  return fraction < 0.5 ? 0 : 1;
}

// Exercises:
//   hone exercise 9.1    room for warps
//   hone exercise 9.2    a tile within its registers
