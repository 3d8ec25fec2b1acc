#include "tests/support/runtime/product.h"

namespace hone {

ProductProgram::Tiled ProductProgram::tiled_for_threads() const {
  Schedule s(program);
  auto [by, bx, y, x] = s.tile({s.axis(C, i), s.axis(C, j)}, {16, 16});
  auto [ty, row] = s.split(y, 2);
  auto [tx, column] = s.split(x, 2);
  auto [ko, ki] = s.split(k, 4);
  s.reorder({by, bx, ty, tx, ko, ki, row, column});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  s.cache_registers(C, tx);
  const Cache A_shared = s.cache_shared(A, ko), B_shared = s.cache_shared(B, ko);
  return {s, ko, ki, A_shared, B_shared};
}

ProductProgram::Tiled ProductProgram::tiled_for_warps() const {
  Schedule s(program);
  auto [by, bx, y, x] = s.tile({s.axis(C, i), s.axis(C, j)}, {16, 32});
  auto [warp_row, row] = s.split(y, 8);
  auto [ko, ki] = s.split(k, 4);
  s.reorder({by, bx, warp_row, x, ko, ki, row});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(warp_row, warp);
  s.bind(x, lane);
  s.cache_registers(C, x);
  const Cache A_shared = s.cache_shared(A, ko), B_shared = s.cache_shared(B, ko);
  return {s, ko, ki, A_shared, B_shared};
}

Schedule ProductProgram::pipelined_in_vectors(int64_t tile, int64_t stages,
                                              llvm::ArrayRef<Expr> promises) const {
  Schedule s(program);
  for (const Expr& promise : promises) s.assume(promise);
  auto [by, bx, y, x] = s.tile({s.axis(C, i), s.axis(C, j)}, {tile, tile});
  auto [ko, ki] = s.split(k, 8);
  s.reorder({by, bx, y, x, ko, ki});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(y, thread.y);
  s.bind(x, thread.x);
  s.cache_registers(C, x);
  for (const Tensor& tensor : {A, B}) s.copy_async(s.cache_shared(tensor, ko, {.vectorize = 4}));
  s.pipeline(ko, stages);
  return s;
}

}  // namespace hone
