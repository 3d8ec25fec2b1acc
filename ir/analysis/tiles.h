// The uses of allocated tensors: their writers, their readers, and the values in the part of a
// tile that sticks out of the tensor it holds a part of.
#pragma once

#include "ir/algebra/facts.h"
#include "ir/analysis/accesses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hone {

/// A statement that touches a tile, with the guards and loops between the alloc and itself.
struct TileUse {
  Stmt stmt;
  llvm::SmallVector<Expr, 2> guards;
  llvm::SmallVector<AxisRange, 2> loops;  ///< between the alloc and the statement, outermost first
};

struct Tile {
  llvm::SmallVector<TileUse, 2> writers, readers;

  /// The copy that is the only writer, always runs, and fills the whole tile; null where there is
  /// none.
  const Copy* filling_copy(const TensorNode& tile) const;
};

/// All allocated tensors of a function.
class Tiles {
 public:
  explicit Tiles(const Stmt& body);

  /// Null for an argument.
  const Tile* find(const TensorNode* tensor) const;

  /// True if a statement of the function writes the tensor, an argument or not.
  bool is_written(const TensorNode* tensor) const;

  /// `value` with every load that is proved to lie in the padding of a tile replaced by the value
  /// that the tile was filled with there.
  Expr in_padding(const Expr& value, const Facts& facts) const;

 private:
  class Collector;
  Expr loaded(const Expr& load, const Facts& facts) const;

  llvm::MapVector<const TensorNode*, Tile> tiles_;
  llvm::SmallPtrSet<const TensorNode*, 4> written_;
};

/// The elements of `region` that lie at `position`, one index per range that is not a point.
llvm::SmallVector<Expr, 4> indices_at(const Region& region, llvm::ArrayRef<Expr> position);

}  // namespace hone
