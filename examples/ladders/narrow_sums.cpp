// Products of narrow types whose sums are the results: igemm-s8 of int8, as quantized networks have
// it, and gemm-tf32 of floats that tensor cores cut. Rows of both operands run along k: tensor
// cores take the elements of these types in no other order.

#include "examples/ladders/hgemm.h"

namespace hone {
namespace {

NarrowMatmul product(const char* name, DType type, DType sums, const Sizes& fixed,
                     const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", type, {p.M, p.K}), B("B", type, {p.N, p.K}), C("C", sums, {p.M, p.N});
  const Program program(name,
                        C(p.i, p.j) = sum(p.k, cast(sums, A(p.i, p.k)) * cast(sums, B(p.j, p.k))));
  return {{p, A, B, C, p.i, p.j, program, expected}, C, true};
}

NarrowMatmul igemm(const Sizes& fixed, const Sizes& expected) {
  return product("igemm_s8", i8, i32, fixed, expected);
}

NarrowMatmul gemm_tf32(const Sizes& fixed, const Sizes& expected) {
  return product("gemm_tf32", tf32, f32, fixed, expected);
}

/// A block computes 128 x 128 sums by 16 x 16 threads, 8 x 8 a thread, 64 products a step; a thread
/// has 16 bytes of each row and column at a time.
void dp4a(Schedule& s, const NarrowMatmul& p) {
  constexpr int64_t tile = 128, threads = 16, depth = 64, piece = 16, word = 4;
  const int64_t width = std::min(promise_vectors(s, p.A, p.K, p.expected.at("K")),
                                 promise_vectors(s, p.B, p.K, p.expected.at("K")));
  auto [by, bx, rows, columns] = s.tile(
      {p.y, p.x}, {tile, tile}, {Tail::pad, {"block_row", "block_column", nullptr, nullptr}});
  auto [row, ty] = s.split(rows, threads, {.names = {"row", "thread_row"}});
  auto [column, tx] = s.split(columns, threads, {.names = {"column", "thread_column"}});
  auto [step, of_step] = s.split(p.k, depth, {.tail = Tail::pad, .names = {"step", nullptr}});
  auto [k_piece, of_piece] = s.split(of_step, piece, {.names = {"k_piece", nullptr}});
  auto [k_word, k] = s.split(of_piece, word, {.names = {"k_word", "k"}});
  s.reorder({by, bx, ty, tx, step, k_piece, k_word, row, column, k});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.tensorize(k, "dp4a_s8");
  s.cache_registers(p.result, tx);
  for (const Tensor& operand : {p.A, p.B}) {
    const Cache shared =
        s.cache_shared(operand, step, {.vectorize = width, .layout = Layout().pad(piece)});
    s.cache_registers(shared, k_piece, {.vectorize = piece});
    if (width >= word) s.copy_async(shared);
  }
  if (width >= word) s.pipeline(step, 2);
}

/// The notes on rungs, as far as they are about a ladder's type.
struct Notes {
  const char *global, *wgmma;
};

std::vector<Rung> rungs_of(const RungMaker<NarrowMatmul>& rung, const Notes& notes) {
  return {
      rung("global", "one thread per element, sums in a register", notes.global, sums_in_registers),
      rung("wgmma", "warpgroups multiply tiles in shared memory", {wgmma_question, notes.wgmma},
           hgemm_wgmma, {.builds_on = "global"}),
      rung(
          "persistent", "blocks stay, and tiles are filled from one to the next",
          {"While a block stores its sums, no tile is fetched for the next one. Who could do that?",
           "A block for each multiprocessor takes one tile after the other. Lanes store pairs of "
           "their sums, while producers fetch the next tile."},
          hgemm_persistent, {.builds_on = "wgmma"}),
      rung.tunable(rung("tuned", "tiles by size, and launches that overlap",
                        {tuned_question,
                         "Tiles are as large as they can be while each multiprocessor still gets "
                         "one. A single warpgroup starts the next product while one is under way. "
                         "Sums leave by way of shared memory, from where the copy engine stores "
                         "whole rows of 128 bytes. "
                         "Blocks of the next launch start where those of this one leave room."},
                        hgemm_tuned, {.builds_on = "persistent"}),
                   hgemm_by_choice),
  };
}

}  // namespace

Ladder igemm_ladder() {
  Ladder ladder = matmul_family("igemm-s8", "C = A B^T of int8, sums of int32", as_matmul<igemm>);
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return m * k + k * n + 4.0 * m * n;
  };
  ladder.rungs = rungs_of(
      RungMaker(igemm),
      {"Blocks of 32 x 32 threads cover C. Each product is one of int32, on CUDA cores.",
       "The copy engine fills tiles up to four steps ahead: rows of 128 bytes, which are 128 "
       "products deep. Two warpgroups multiply 64 rows by 256 columns each, twice as many "
       "products at a time as of bf16. Both operands have rows along k: the tensor cores take "
       "bytes in no other order."});
  ladder.rungs.insert(
      ladder.rungs.begin() + 1,
      RungMaker(igemm)(
          "dp4a", "four products an instruction, on CUDA cores",
          {"A product of bytes occupies a CUDA core as long as one of int32. Can an instruction do "
           "more of them?",
           "The instruction dp4a adds four products of bytes to a sum. Threads have 8 x 8 sums, "
           "and 16 bytes of their rows and columns in registers, from tiles in shared memory. Rows "
           "of tiles have 16 unused bytes at their ends, so that eight of them lie in different "
           "banks. The next tile is copied meanwhile."},
          dp4a, {.builds_on = "global"}));
  return ladder;
}

Ladder gemm_tf32_ladder() {
  Ladder ladder =
      matmul_family("gemm-tf32", "C = A B^T of floats, multiplied as tf32", as_matmul<gemm_tf32>);
  ladder.rungs = rungs_of(
      RungMaker(gemm_tf32),
      {"Blocks of 32 x 32 threads cover C. Each product is one of floats without their lower 13 "
       "bits, on CUDA cores.",
       "The copy engine fills tiles up to four steps ahead: rows of 128 bytes, which are 32 "
       "products deep. Two warpgroups multiply 64 rows by 256 columns each, half as many "
       "products at a time as of bf16, and read the upper 19 bits of each float. Both operands "
       "have rows along k: the tensor cores take floats in no other order."});
  return ladder;
}

}  // namespace hone
