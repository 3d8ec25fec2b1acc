// C = A B of matrices that lie in memory in other ways: column-major, with gaps between the rows,
// transposed. The layout is part of a tensor's type, and the schedules are those of row-major
// matrices.

#include "examples/ladders/tiling.h"

namespace hone {
namespace {

/// C[i, j] lies at C[i + M*j]: x is i.
Matmul column_major(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Layout columns = Layout::column_major();
  const Tensor A("A", f32, {p.M, p.K}, columns), B("B", f32, {p.K, p.N}, columns),
      C("C", f32, {p.M, p.N}, columns);
  const Program program("matmul_column_major", C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.j, p.i, program, expected};
}

/// Rows of A lie lda elements apart, those of B and C ldb and ldc, as cudaMallocPitch gives them.
Matmul pitched(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const auto pitch = [&](const char* name) { return Layout().pitch(size_or_param(fixed, name)); };
  const Tensor A("A", f32, {p.M, p.K}, pitch("lda")), B("B", f32, {p.K, p.N}, pitch("ldb")),
      C("C", f32, {p.M, p.N}, pitch("ldc"));
  const Program program("matmul_pitched", C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.i, p.j, program, expected};
}

/// Columns of A lie lda elements apart, those of B and C ldb and ldc: x is i.
Matmul pitched_columns(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const auto pitch = [&](const char* name) {
    return Layout::column_major().pitch(size_or_param(fixed, name));
  };
  const Tensor A("A", f32, {p.M, p.K}, pitch("lda")), B("B", f32, {p.K, p.N}, pitch("ldb")),
      C("C", f32, {p.M, p.N}, pitch("ldc"));
  const Program program("matmul_pitched_columns",
                        C(p.i, p.j) = sum(p.k, A(p.i, p.k) * B(p.k, p.j)));
  return {p, A, B, C, p.j, p.i, program, expected};
}

/// A is stored as K rows of M elements, B as N rows of K.
Matmul transposed(const Sizes& fixed, const Sizes& expected) {
  const MatmulShape p(fixed);
  const Tensor A("A", f32, {p.K, p.M}), B("B", f32, {p.N, p.K}), C("C", f32, {p.M, p.N});
  const Program program("matmul_transposed", C(p.i, p.j) = sum(p.k, A(p.k, p.i) * B(p.j, p.k)));
  return {p, A, B, C, p.i, p.j, program, expected};
}

/// The order of the definition.
void rows_inside(Schedule&, const Matmul&) {}

/// Down the columns: what the innermost loop reads and writes lies side by side.
void columns_inside(Schedule& s, const Matmul& p) { s.reorder({p.j, p.k, p.i}); }

}  // namespace

Ladder matmul_column_major_ladder() {
  Ladder ladder = matmul_family("matmul-column-major", "C = A B in single precision, column-major",
                                column_major);
  const RungMaker rung(column_major);
  ladder.rungs = {
      rung(
          "host-ijk", "row by row on the CPU",
          "The loops run in the order i, j, k, in which the product is written down. The innermost "
          "one walks along a row of A, whose elements lie a column apart in memory: each step "
          "takes another cache line to use 4 of its 64 bytes, and another page where "
          "columns are long.",
          rows_inside, {.target = RungTarget::host}),
      rung("host-jki", "column by column on the CPU",
           {"In which order of loops do the elements of an inner loop lie side by side?",
            "The loops run in the order j, k, i: the innermost one adds a multiple of a column of "
            "A to a column of C, and both lie side by side in memory. All of a cache line is used, "
            "and the compiler takes several elements at a time."},
           columns_inside, {.builds_on = "host-ijk", .target = RungTarget::host}),
      rung("global", "one thread per element, neighbours in a column",
           {"Which elements should neighbouring threads take, if columns lie side by side in "
            "memory?",
            "Blocks of 32 x 32 threads cover C. Neighbouring threads take neighbouring rows, whose "
            "elements lie side by side in column-major matrices: a warp reads 128 bytes of A in "
            "one piece, and one element of B."},
           sums_in_registers, {.builds_on = "host-jki"}),
      shared_32_rung(rung),
      thread_2d_rung(rung),
  };
  return ladder;
}

Ladder matmul_pitched_ladder() {
  Ladder ladder = matmul_family(
      "matmul-pitched", "C = A B in single precision, rows lda, ldb, ldc elements apart", pitched);
  const RungMaker rung(pitched);
  ladder.rungs = {
      rung("global", "one thread per element",
           "The rows of the matrices begin at multiples of a pitch, as those that cudaMallocPitch "
           "allocates: each begins in a new sector, whatever its length. The pitches are "
           "params of the kernel, and nothing else changes.",
           sums_in_registers),
      shared_32_rung(rung),
      thread_2d_rung(rung),
  };
  return ladder;
}

Ladder matmul_pitched_columns_ladder() {
  Ladder ladder = matmul_family("matmul-pitched-columns",
                                "C = A B in single precision, columns lda, ldb, ldc elements apart",
                                pitched_columns);
  const RungMaker rung(pitched_columns);
  ladder.rungs = {
      rung("global", "one thread per element, neighbours in a column",
           "Column-major matrices whose columns begin at multiples of a pitch, each in a sector of "
           "its own: element (i, j) of C lies at C[i + ldc * j]. Neighbouring threads take "
           "neighbouring rows.",
           sums_in_registers),
      shared_32_rung(rung),
      thread_2d_rung(rung),
  };
  return ladder;
}

Ladder matmul_transposed_ladder() {
  Ladder ladder = matmul_family("matmul-transposed",
                                "C = A^T B^T in single precision, A[K, M], B[N, K]", transposed);
  const RungMaker rung(transposed);
  ladder.rungs = {
      rung("global", "one thread per element",
           "Neighbouring threads take neighbouring columns of C, which are rows of B: each of a "
           "warp's 32 loads from B is a separate sector. Tiles in shared memory mend it.",
           sums_in_registers),
      padded_shared_32_rung(rung),
      padded_thread_2d_rung(rung),
  };
  return ladder;
}

}  // namespace hone
