// The moves between a tensor and a tile that holds a box of it.
#pragma once

#include "ir/schedule/staging/direction.h"
#include "ir/schedule/staging/region.h"

namespace hone {

/// A new tensor for the box: its dimensions of one element are left out.
TensorPtr make_tile(const Function& function, const TensorPtr& tensor, const Box& box, Scope scope);

/// The box within the tensor, and the whole of the tile.
struct Transfer {
  Region outside, inside;

  Transfer(const TensorPtr& tensor, const TensorPtr& tile, const Box& box);
};

/// The copy that fills the tile, or writes it back; null where there is none. One between a tile
/// and a tile of it is the other one's.
const StmtNode* find_copy(const Function& function, const TensorPtr& tile, Direction direction);

/// A tile moves by a copy, which clips; one element by a store. `vector` is a promise of the copy.
Stmt move(const Region& to, const Region& from, int64_t vector);

/// `stmt` under the conditions that the first element of a region exists.
Stmt where_inside(const Region& region, Stmt stmt);

/// The conditions that all updates of `tensor` among the accesses have in common and that say which
/// elements there are, for the element at `place` in a tile of the box.
llvm::SmallVector<Expr, 2> element_guards(const Accesses& accesses, const TensorPtr& tensor,
                                          const Box& box, llvm::ArrayRef<Expr> place,
                                          const Facts& facts);

/// `stmt`, which touches nothing of `tensor` but the box, on the tile instead. `facts` hold around
/// it.
Stmt redirect_to_tile(const Stmt& stmt, const TensorPtr& tensor, const TensorPtr& tile,
                      const Box& box, const Facts& facts);

}  // namespace hone
