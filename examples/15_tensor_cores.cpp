// Lesson 15: tensor cores.
//
// A tensor core multiplies small matrices. No thread has such a matrix to itself: a warp has it, or
// a warpgroup of four warps. This lesson gives a product to CUDA cores first. Then warps multiply
// fragments that their lanes have in registers, and at last a warpgroup has its tensor cores read
// tiles in shared memory. Before each step we predict the counters, and then count.

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "examples/lessons/measure.h"
#include "tools/draw/draw.h"

using namespace hone;

const Sizes sizes = {{"M", 64}, {"N", 64}, {"K", 128}};

/// C = A B of bf16, with sums in single precision. Rows hold whole vectors of 16 bytes.
struct Product {
  Param M = Param("M"), N = Param("N"), K = Param("K");
  Tensor A = Tensor("A", bf16, {M, K}), B = Tensor("B", bf16, {K, N}), C = Tensor("C", f32, {M, N});
  Axis i = Axis("i", M), j = Axis("j", N);
  ReduceAxis k = ReduceAxis("k", K);
  Program program = Program("product", C(i, j) = sum(k, cast(f32, A(i, k)) * cast(f32, B(k, j))));

  Schedule schedule() const {
    Schedule s(program);
    s.assume(K % 8 == 0);
    s.assume(N % 8 == 0);
    return s;
  }
};

/// The requests of loads, and what tensor cores are given. Results have to be right.
void show(const char* what, const Product& p, const Schedule& s) {
  const Measured measured = measure(p.program, s, sizes);
  if (!measured.is_right()) std::exit(EXIT_FAILURE);
  const CountReport& report = measured.kernels[0];
  const MemoryCounts& shared = report.total(AccessClass::shared_load);
  fmt::print("{}\n  global loads {}, shared loads {} in {} wavefronts, tensor instructions {}\n",
             what, report.total(AccessClass::global_load).requests, shared.requests,
             shared.wavefronts, report.tensor_instructions);
}

Schedule for_threads(const Product& p);
void show_refusal(const Product& p);
void show_spread();
void show_mma(const Product& p);
void show_ldmatrix(const Product& p);
void show_wgmma(const Product& p);
void show_ring(const Product& p);
void show_missing_wait(const Product& p, const Schedule& s);

int main() {
  // A block has 64 x 64 elements of C, and each of its 256 threads 4 x 4. For 16 products a thread
  // loads 4 elements of A and 4 of B from shared memory. There are 128 steps along k and 8 warps:
  // that is 128 * 8 * 8 = 8192 requests. A warp has two rows of threads, whose elements of A lie in
  // the same bank, so half of its requests take two wavefronts.
  const Product p;
  show("CUDA cores", p, for_threads(p));
  //| CUDA cores
  //|   global loads 64, shared loads 8192 in 12288 wavefronts, tensor instructions 0
  show_refusal(p);
  show_spread();
  show_mma(p);
  show_ldmatrix(p);
  show_wgmma(p);
  show_ring(p);
}

Schedule for_threads(const Product& p) {
  Schedule s = p.schedule();
  auto [by, bx, y, x] = s.tile({p.i, p.j}, {64, 64}, {.tail = Tail::pad});
  auto [ty, tx, row, column] = s.tile({y, x}, {4, 4});
  auto [step, k] = s.split(p.k, 32, {.tail = Tail::pad});
  s.reorder({by, bx, ty, tx, step, k, row, column});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(p.C, tx);
  for (const Tensor& operand : {p.A, p.B})
    s.cache_registers(s.cache_shared(operand, step, {.vectorize = 8}), k);
  return s;
}

struct WarpTiles {
  Schedule s;
  Cache A_fragments, B_fragments;
};

/// Four warps, each of which has 32 x 32 elements of a tile of 64 x 64. `spread` gives each lane
/// the sums that the instruction adds to, where they are set to 0. Rows of the tiles in shared
/// memory are so many elements longer than they have to be.
WarpTiles for_warps(const Product& p, int64_t padding) {
  Schedule s = p.schedule();
  auto [by, bx, y, x] = s.tile({p.i, p.j}, {64, 64}, {.tail = Tail::pad});
  auto [wy, wx, warp_rows, warp_columns] = s.tile({y, x}, {32, 32});
  auto [row_tile, column_tile, row, column] = s.tile(
      {warp_rows, warp_columns}, {16, 8}, {.names = {"row_tile", "column_tile", "row", "column"}});
  auto [step, of_step] = s.split(p.k, 32, {.tail = Tail::pad});
  auto [k_tile, k] = s.split(of_step, 16);
  s.reorder({by, bx, wy, wx, step, k_tile, row_tile, column_tile, row, column, k});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind({wy, wx}, warp);
  s.spread({s.axis("row.init"), s.axis("column.init")}, "mma_m16n8k16_bf16");
  s.tensorize(row, "mma_m16n8k16_bf16");
  s.cache_registers(p.C, wx);
  const CacheOptions tile = {.vectorize = 8, .layout = Layout().pad(padding)};
  const Cache A_shared = s.cache_shared(p.A, step, tile);
  const Cache B_shared = s.cache_shared(p.B, step, tile);
  const Cache A_fragments = s.cache_registers(A_shared, k_tile);
  const Cache B_fragments = s.cache_registers(B_shared, k_tile);
  return {s, A_fragments, B_fragments};
}

// `tensorize` gives a loop nest to an instruction, whose meaning is a loop nest, too: that of
// mma_m16n8k16_bf16 has 16 rows, 8 columns and 16 products, in this order. A nest with another
// extent or in another order is refused, by its first difference.
void show_refusal(const Product& p) {
  try {
    Schedule s = p.schedule();
    auto [by, bx, row, column] = s.tile({p.i, p.j}, {16, 8}, {.tail = Tail::pad});
    auto [step, k] = s.split(p.k, 8, {.tail = Tail::pad});
    s.reorder({by, bx, step, row, column, k});
    s.tensorize(row, "mma_m16n8k16_bf16", Location());
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.what());
  }
  //| error: tensorize: k.1 has 8 iterations, where mma_m16n8k16_bf16 has 16
  //|   for i.0 in 0..(M + 15) / 16 {
  //|     for j.0 in 0..N / 8 {
  //|       reduce k.0 in 0..K / 8 {
  //|         for i.1 in 0..16 {           <-- here
  //|           for j.1 in 0..8 {
  //|             reduce k.1 in 0..8 {
  //| note: split(k.1, 16), and reorder
}

// Each lane has some elements of the three matrices in its registers. The instruction says which:
// that is its spread. A cell is a lane, and the number of the value that it has. Lane 5 has two
// neighbours in row 1, and the two below them in row 9. A and B are spread in their own ways;
// Hone deals the registers of cached tiles out as the instruction wants them.
void show_spread() {
  Figure sums = spread_figures(*find_opcode_with_lanes("mma_m16n8k16_bf16"))[0];
  sums.caption.clear();
  fmt::print("{}", to_text(sums));
  //| mma_m16n8k16_bf16: which lane of a warp has which element of C, 16 x 8
  //|
  //|       0    1    2    3    4    5    6    7
  //|  0  0.0  0.1  1.0  1.1  2.0  2.1  3.0  3.1
  //|  1  4.0  4.1  5.0  5.1  6.0  6.1  7.0  7.1
  //|  2  8.0  8.1  9.0  9.1 10.0 10.1 11.0 11.1
  //|  3 12.0 12.1 13.0 13.1 14.0 14.1 15.0 15.1
  //|  4 16.0 16.1 17.0 17.1 18.0 18.1 19.0 19.1
  //|  5 20.0 20.1 21.0 21.1 22.0 22.1 23.0 23.1
  //|  6 24.0 24.1 25.0 25.1 26.0 26.1 27.0 27.1
  //|  7 28.0 28.1 29.0 29.1 30.0 30.1 31.0 31.1
  //|  8  0.2  0.3  1.2  1.3  2.2  2.3  3.2  3.3
  //|  9  4.2  4.3  5.2  5.3  6.2  6.3  7.2  7.3
  //| 10  8.2  8.3  9.2  9.3 10.2 10.3 11.2 11.3
  //| 11 12.2 12.3 13.2 13.3 14.2 14.3 15.2 15.3
  //| 12 16.2 16.3 17.2 17.3 18.2 18.3 19.2 19.3
  //| 13 20.2 20.3 21.2 21.3 22.2 22.3 23.2 23.3
  //| 14 24.2 24.3 25.2 25.3 26.2 26.3 27.2 27.3
  //| 15 28.2 28.3 29.2 29.3 30.2 30.3 31.2 31.3
  //|
}

// Now four warps have 32 x 32 elements each. An instruction takes 16 * 8 * 16 = 2048 products of
// the 64 * 64 * 128: 256 instructions. For 16 steps of k a warp needs two tiles of A, of which a
// lane has 8 elements each, and four tiles of B, 4 elements each: that is 32 requests, and 128 of
// four warps, where CUDA cores made 1024. There are 8 times 16 steps.
void show_mma(const Product& p) {
  show("mma.sync", p, for_warps(p, 8).s);
  //| mma.sync
  //|   global loads 64, shared loads 1024 in 1024 wavefronts, tensor instructions 256
}

// ldmatrix loads four matrices of 8 x 8 at a time: a lane names a row of eight elements, 16 bytes,
// and gets what mma.sync wants of it. A request moves 512 bytes, which take four wavefronts at
// best.
//
// The rows of a matrix should lie in different banks. Those of A's tile have 32 elements, 64 bytes:
// the second next row begins in the same bank, and a matrix takes four wavefronts. Those of B's
// tile have 128 bytes: all eight rows begin in one bank. So of the 128 requests, half take 16
// wavefronts, and half 32. With 16 bytes of padding behind each row, all of them take 4.
void show_ldmatrix(const Product& p) {
  for (const int64_t padding : {0, 8}) {
    auto [s, A_fragments, B_fragments] = for_warps(p, padding);
    s.tensorize(A_fragments, "ldmatrix_x4_bf16");
    s.tensorize(B_fragments, "ldmatrix_x4_trans_bf16");
    show(padding == 0 ? "ldmatrix" : "ldmatrix, padded rows", p, s);
  }
  //| ldmatrix
  //|   global loads 64, shared loads 128 in 3072 wavefronts, tensor instructions 256
  //| ldmatrix, padded rows
  //|   global loads 64, shared loads 128 in 512 wavefronts, tensor instructions 256
}

struct GroupTiles {
  Schedule s;
  Axis step;
};

/// One warpgroup, which has a tile of 64 x 64. Rows of the tiles in shared memory have 128 bytes.
GroupTiles for_warpgroup(const Product& p, const Layout& layout) {
  Schedule s = p.schedule();
  auto [by, bx, row, column] = s.tile({p.i, p.j}, {64, 64}, {.tail = Tail::pad});
  auto [step, k] = s.split(p.k, 64, {.tail = Tail::pad, .names = {"step", "k"}});
  s.reorder({by, bx, step, row, column, k});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.spread({s.axis("i.1.init"), s.axis("j.1.init")}, "wgmma_m64n64k64_kn_bf16");
  s.tensorize(row, "wgmma_m64n64k64_kn_bf16");
  s.cache_registers(p.C, bx);
  for (const Tensor& operand : {p.A, p.B})
    s.align(s.cache_shared(operand, step, {.vectorize = 8, .layout = layout}), 1024);
  return {s, step};
}

const Layout rows_of_128_bytes = Layout().swizzle_bytes(128, bf16);

// wgmma loads no fragments at all: the tensor cores of a warpgroup read both tiles in shared memory
// by themselves. They, too, take rows of 16 bytes from eight rows of a tile at a time, and the tile
// has to lie so that these are in different banks. Padding would leave gaps. A swizzle has none: it
// exchanges the pieces of 16 bytes of a row, by the number of the row. A row of 128 bytes is as
// wide as all 32 banks, and has eight pieces for eight rows. With plain rows, the step is refused.
void show_wgmma(const Product& p) {
  try {
    lower(for_warpgroup(p, Layout()).s);
  } catch (const ScheduleError& error) {
    fmt::print("{}\n", error.what());
  }
  //| error: compile: wgmma_m64n64k64_kn_bf16 takes rows of 64 elements of A.shared in a swizzle of 128 bytes
  //|   for i.0 in 0..(M + 63) / 64 @block.y {
  //|     for j.0 in 0..(N + 63) / 64 @block.x {
  //|       reduce step in 0..(K + 63) / 64 {
  //|         for i.1 in 0..64 @wgmma_m64n64k64_kn_bf16 {  <-- here
  //|           for j.1 in 0..64 {
  //|             reduce k in 0..64 {
  //| note: Layout().swizzle_bytes lays a tile out so, and align places it

  // The sums are in registers, 32 a lane. An instruction takes 64 * 64 * 64 products, and is issued
  // by four warps: 8 instructions of warps. No thread loads from shared memory.
  show("wgmma", p, for_warpgroup(p, rows_of_128_bytes).s);
  //| wgmma
  //|   global loads 64, shared loads 0 in 0 wavefronts, tensor instructions 8
}

// The threads still fill the tiles, and wait. In a ring, a warp of producers
// asks the copy engine for the tiles; it writes them with the same swizzle, and no thread loads
// anything. The warpgroup issues a product and goes on: with `in_flight` 1 it waits for the product
// before, and then releases the slot of that one.
void show_ring(const Product& p) {
  auto [s, step] = for_warpgroup(p, rows_of_128_bytes);
  s.specialize(step, 3, {.producer_warps = 1, .in_flight = 1}, CopyEngine::boxes);
  show("a ring, filled by the copy engine", p, s);
  //| a ring, filled by the copy engine
  //|   global loads 0, shared loads 0 in 0 wavefronts, tensor instructions 8

  // Predict before you look: with three slots and two products going on at a time, how many copies
  // can be on their way? One slot alone is left for them. *3 says that tensor cores read the slot.
  Figure ring = pipeline_figures(Recording(s, {{"M", 64}, {"N", 64}, {"K", 320}})).at(0);
  ring.caption.clear();
  fmt::print("{}", to_text(ring));
  //| the rings A.shared, B.shared: 3 slots, up to 1 on its way
  //|
  //| who does what, step by step
  //|                              0   1   2   3   4   5   6   7
  //|         producers: barrier   x   .   .   .   .   .   .   .
  //| producers: wait step.empty 0/1 1/1 2/1 ... 0/0 1/0   .   .
  //|            producers: fill   0   1   2   .   3   4   .   .
  //|        copies on their way   1   1   1   .   1   1   .   .
  //|         consumers: barrier   x   .   .   .   .   .   .   .
  //|  consumers: wait step.full ... 0/0 1/0 2/0 ... 0/1 1/1   .
  //|      consumers: wait_wgmma   .   .   1   1   1   .   1   0
  //|    consumers: tensor cores   .   0 0-1 1-2   2 2-3 3-4   .
  //|
  //| the slots of A.shared, and of B.shared
  //|                              0   1   2   3   4   5   6   7
  //|                     slot 0  +0  *0  *0   .  +3  *3  *3   .
  //|                     slot 1   .  +1  *1  *1   .  +4  *4   .
  //|                     slot 2   .   .  +2  *2  *2  *2   .   .
  //|
  show_missing_wait(p, s);
}

// A wait that lets two products go on is a mistake here: slots are released while tensor cores read
// them. Results would be wrong on a GPU now and then. `check` finds it each time.
void show_missing_wait(const Product& p, const Schedule& s) {
  Module module = lower(s);
  std::string text = to_string(module.kernels[0]);
  const size_t at = text.find("wait_wgmma 1");
  module.kernels[0] = parse_kernel(text.replace(at, 12, "wait_wgmma 2"));
  const Measured measured = measure(p.program, module, {{"M", 64}, {"N", 64}, {"K", 320}});
  if (measured.findings.empty()) std::exit(EXIT_FAILURE);
  fmt::print("{}\n", to_string(measured.findings.front()));
  //| race on A.shared[0, 0, 0]: no barrier between two threads of a block
  //|   block (0, 0, 0), thread (0, 0, 0) reads A.shared[step % 3, 0, 0 .. +8]
  //|     in: wgmma_m64n64k64_kn_bf16 C.reg[0, 0, 0] <- A.shared[step % 3, 0, 0], B.shared[step % 3, 0, 0]
  //|   block (0, 0, 0), thread (128, 0, 0) writes A.shared[step.ahead % 3, 0, 0 .. +4096]
  //|     in: copy_bulk A.shared[step.ahead % 3, 0, 0] <- A[i.0*64, step.ahead*64] of 64 x 64 swizzle 128 full step.full[step.ahead % 3]
  //|   and 4095 more like it
}

// Exercises:
//   hone exercise 15.1    a product for tensor cores
//   hone exercise 15.2    a ring of tiles for tensor cores
