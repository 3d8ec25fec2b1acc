// The common part of the ladders of matrix products.
#pragma once

#include "examples/ladders/ladders.h"

namespace hone {

struct MatmulShape {
  Expr M, N, K;
  Axis i, j;
  ReduceAxis k;

  explicit MatmulShape(const Sizes& fixed);
};

/// A product of matrices and the handles that schedules need: however the matrices lie in memory,
/// the schedules are the same.
struct Matmul : MatmulShape {
  Tensor A, B;
  Tensor result;
  /// i and j: neighbours along x lie side by side in the result.
  Axis y, x;
  Program program;
  Sizes expected;
};

/// Names for what s.tile({p.y, p.x}, ...) makes, outer loops first: of rows and of columns of the
/// result, which are y and x, or x and y.
TileOptions named_loops(const Matmul& p, std::array<const char*, 4> rows_and_columns);

/// A ladder of products M x K x N, as yet without rungs.
Ladder matmul_family(const char* name, const char* title, RungMaker<Matmul>::MakeProblem make);

/// One thread per element of the result, in square blocks; neighbouring threads take elements that
/// lie side by side. Returns the axis of the innermost threads.
Axis square_blocks(Schedule& s, const Matmul& p, int64_t tile);

/// The rungs of matmul that run on the CPU.
std::vector<Rung> host_rungs(const RungMaker<Matmul>& rung);
/// Those that stage tiles in shared memory: square ones, and then one per thread.
std::vector<Rung> shared_rungs(const RungMaker<Matmul>& rung);
std::vector<Rung> thread_tile_rungs(const RungMaker<Matmul>& rung);
/// Those that give warps tiles of their own, and fill tiles ahead of their use.
std::vector<Rung> pipelined_rungs(const RungMaker<Matmul>& rung);

/// Two of them, for matrices that lie in memory in other ways.
Rung shared_32_rung(const RungMaker<Matmul>& rung);
Rung thread_2d_rung(const RungMaker<Matmul>& rung);
/// The same for B transposed, whose tiles need a padding that keeps columns out of one bank.
Rung padded_shared_32_rung(const RungMaker<Matmul>& rung);
Rung padded_thread_2d_rung(const RungMaker<Matmul>& rung);

/// Blocks of 32 x 32 threads, each with its sum in a register.
void sums_in_registers(Schedule& s, const Matmul& p);

}  // namespace hone
