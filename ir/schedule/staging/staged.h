// The part of a loop that a cache step gives a tile.
#pragma once

#include "ir/schedule/staging/region.h"

namespace hone {

/// A tile that stands at the start of the body already, and the statement that fills it.
struct FilledTile {
  TensorPtr tile;
  Stmt fill;
};

/// The statements that are to use the tile, and the box of the tensor that they touch.
struct Staged {
  const StmtNode* culprit;  ///< the loop as the user knows it
  Site site;
  Stmt whole;  ///< the body of the loop, without its guards
  llvm::SmallVector<FilledTile, 2> before;
  Stmt body;
  Facts facts;
  Accesses accesses;
  Box box;
  Facts moving;  ///< these facts, and those where an element of the tile moves
};

/// The statements of the loop that are to use a tile of the tensor. One that it writes stands
/// inside of guards that hold for all threads of a block or for none, which `facts` learn: where
/// they do not hold, nothing is to be taken back.
Stmt body_with_tile(const Site& site, const TensorPtr& tensor, Facts& facts);

/// Takes the tiles that are allocated and filled at the start of `body` off it, so that tiles stand
/// in the order in which they were asked for: those that copies fill, and those that say where
/// `tensor` is touched. A fill that touches `tensor` stays.
llvm::SmallVector<FilledTile, 2> take_filled_tiles(Stmt& body, const TensorPtr& tensor);

/// True if nothing has given the tensor's elements values when an iteration of the loop begins:
/// they are allocated around it, and what runs before it, or beside it, does not write them.
bool is_undefined_before(const Site& site, const TensorPtr& tensor);

/// True if the tensor is touched in the loop alone, around which it is allocated.
bool is_unused_beyond(const Site& site, const TensorPtr& tensor);

/// True if a copy of the body may take what lies beyond the ends of the tensor, and reads as its
/// fill: a tile of it has these values, too.
bool copies_from_beyond(const Staged& staged, const TensorPtr& tensor);

/// Refuses vectors of elements that are no box of the tensor of that name.
[[noreturn]] void refuse_vectors_of_view(const Preconditions& check, const Staged& staged,
                                         const std::string& name, int64_t vector,
                                         const std::string& reason);

/// Refuses vectors that are longer than the rows of a tile of such elements, which has those alone
/// that exist.
void check_vector_of_view(const Preconditions& check, const Staged& staged, const std::string& name,
                          int64_t vector);

/// A promise of vectors is about a tile of several elements.
void check_vector(const Preconditions& check, const Staged& staged, const TensorPtr& tensor,
                  int64_t vector);

}  // namespace hone
