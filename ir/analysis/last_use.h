// The time from which on elements of a tile are not used any more, and may be filled anew.
#pragma once

#include <optional>

#include "ir/core/stmt.h"

namespace hone {

/// Elements of a tensor: an index for each dimension, or all of them where it is undefined.
struct TilePart {
  TensorPtr tensor;
  llvm::SmallVector<Expr, 4> at;
};

/// A statement that does nothing but to set elements of a tile.
struct TileFill {
  TensorPtr tile;
  Stmt fill;

  TilePart part() const;
};

/// The tiles that `body` allocates and fills first, outermost first, as long as `takes` is true of
/// the fill and of what follows it; takes them off `body`.
llvm::SmallVector<TileFill, 2> take_fills(
    Stmt& body, llvm::function_ref<bool(const TileFill& fill, const Stmt& rest)> takes);

/// A loop around a time, and the iteration that the time lies in.
struct Turn {
  AxisPtr axis;
  int64_t iteration = 0;
  /// Any iteration: each uses the share at its own index in this dimension for the last time.
  std::optional<unsigned> dimension = {};
};

/// The time behind the last use of a part of a tile: in these turns of loops, the outermost first,
/// at the start or the end of the innermost one's body; without any, at the end of the statement.
struct LastUse {
  llvm::SmallVector<Turn, 4> turns;
  bool at_start = false;

  /// The start of the innermost turn; of the first one, if several have a share.
  LastUse start() const;
};

/// The time behind the last use of what the fill sets. Looks into loops of constant extent, which
/// one thread goes through. A copy is taken apart where each iteration uses a share of it.
LastUse last_use(const Stmt& stmt, const TileFill& fill);

/// The time behind the last use of what one of several fills sets: the first of these times.
LastUse first_last_use(const Stmt& stmt, llvm::ArrayRef<TileFill> fills);

/// The start of the turn of the outermost loop that the time lies in; without one, the end of the
/// last loop of the statement, whose iteration is its extent. That is one under no condition, with
/// 1 to 64 iterations of one thread. Nothing without such a loop.
std::optional<Turn> outermost_turn(const Stmt& stmt, const LastUse& use);

/// `stmt` with another statement at that time.
Stmt with_statement_at(const Stmt& stmt, const LastUse& use, const Stmt& added);

/// `stmt` with the fill, or its shares, at the time of their last use.
Stmt with_fill_at(const Stmt& stmt, const LastUse& use, const TileFill& fill);

}  // namespace hone
