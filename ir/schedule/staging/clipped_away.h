// Elements of tiles that nobody takes out where a guard does not hold.
#pragma once

#include "ir/analysis/tiles.h"

namespace hone {

/// True if whoever takes the element at `indices` out of its tile does so only where `guard` holds,
/// or takes it to an element of another tile of which this is true. False for what is no tile.
/// `tiles` are those of the whole function; `facts` hold where the element is written.
bool is_clipped_away(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices, const Expr& guard,
                     const Tiles& tiles, const Facts& facts);

}  // namespace hone
