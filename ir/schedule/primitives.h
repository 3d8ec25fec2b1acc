// The primitives: the table of contents. Each takes a function and returns a new one; each either
// keeps the meaning or throws ScheduleError with the function unchanged. Before and after stand in
// the .cpp of the family, and so does the descriptor by which a step calls it.
#pragma once

#include "ir/core/stmt.h"
#include "ir/schedule/staging/direction.h"

/// The primitives that steps can call: X(split) for each.
#define HONE_PRIMITIVES(X) \
  X(split)                 \
  X(split_into)            \
  X(tile)                  \
  X(fuse)                  \
  X(reorder)               \
  X(fission)               \
  X(merge)                 \
  X(unroll)                \
  X(serpentine)            \
  X(defer)                 \
  X(keep_order)            \
  X(tensorize)             \
  X(spread)                \
  X(write_out)             \
  X(rename)                \
  X(bind)                  \
  X(launch_bounds)         \
  X(launch_early)          \
  X(require)               \
  X(may_alias)             \
  X(rfactor)               \
  X(reduce_at)             \
  X(cache_registers)       \
  X(cache_shared)          \
  X(cache_global)          \
  X(copy_loops)            \
  X(write_back_at)         \
  X(copy_async)            \
  X(layout)                \
  X(swizzle)               \
  X(pipeline)              \
  X(specialize)            \
  X(prefetch)              \
  X(copy_bulk)             \
  X(multicast)             \
  X(align)                 \
  X(vectorize)             \
  X(assume)                \
  X(assume_aligned)        \
  X(compute_at)            \
  X(inline_tensor)         \
  X(fuse_epilogue)

namespace hone {

struct Primitive;

#define HONE_PRIMITIVE(name) extern const Primitive name##_primitive;
HONE_PRIMITIVES(HONE_PRIMITIVE)
#undef HONE_PRIMITIVE

/// The treatment of the iterations that a split leaves over when the factor does not divide.
enum class Tail : uint8_t {
  guard,  ///< an `if` in the inner loop; none where the factor is proved to divide
  exact,  ///< a promise: refused unless the factor is proved to divide
  pad,    ///< no `if` around the inner loop: stores are guarded, and what lies outside is read as
          ///< a value that changes nothing; refused where there is none
  peel,   ///< a loop of its own after the main one
};

/// A rewritten function, with the axes and the tensor that the step made.
struct Rewrite {
  Function function;
  llvm::SmallVector<AxisPtr, 4> axes;
  TensorPtr tensor;
};

// loops: split.cpp, fuse.cpp, reorder.cpp, fission.cpp, merge.cpp, unroll.cpp, serpentine.cpp,
// tensorize.cpp, spread.cpp, write_out.cpp, rename.cpp, defer.cpp

/// Returns {outer, inner}, and the tail's axis after them where there is a tail loop. `factor` is
/// an index expression over params and constants.
Rewrite split(const Function& function, const AxisPtr& axis, const Expr& factor, Tail tail);
/// As split, with the number of outer iterations given.
Rewrite split_into(const Function& function, const AxisPtr& axis, const Expr& parts, Tail tail);
/// Splits each axis and orders the outer ones before the inner ones: returns the outer axes, then
/// the inner ones.
Rewrite tile(const Function& function, llvm::ArrayRef<AxisPtr> axes, llvm::ArrayRef<Expr> factors,
             Tail tail);
Rewrite fuse(const Function& function, const AxisPtr& outer, const AxisPtr& inner);
/// Puts the axes in the given order, in the places that they hold now.
Rewrite reorder(const Function& function, llvm::ArrayRef<AxisPtr> axes);
/// One loop per statement of the body; returns their axes.
Rewrite fission(const Function& function, const AxisPtr& axis);
/// Two loops that follow each other become one, that of `first`.
Rewrite merge(const Function& function, const AxisPtr& first, const AxisPtr& second);
/// `count` copies of the body per trip; 0 unrolls in full.
Rewrite unroll(const Function& function, const AxisPtr& axis, int64_t count);
/// The `inner` loops, which stand inside of the outer one, run backwards in every second iteration
/// of it.
Rewrite serpentine(const Function& function, const AxisPtr& outer, llvm::ArrayRef<AxisPtr> inner);

/// The loops of `axes`, in one another, behind the loop of `into` in the body of another loop, run
/// in the next iteration of that one: one of their iterations in each of `into`.
Rewrite defer(const Function& function, const AxisPtr& into, llvm::ArrayRef<AxisPtr> axes);

/// Products and loads of a loop that is unrolled in full reach the machine code in their order.
Rewrite keep_order(const Function& function, const AxisPtr& axis);
/// One instruction of a warp, by its name, computes the loop and those in it.
Rewrite tensorize(const Function& function, const AxisPtr& axis, llvm::StringRef instruction);
/// An instruction moves the tiles of the copy that fills a tensor.
Rewrite tensorize(const Function& function, const TensorPtr& tile, llvm::StringRef instruction);
/// Nested loops go over lanes, and over their values, as an instruction has spread the elements of
/// its result. Returns the axes, from the outermost on.
Rewrite spread(const Function& function, llvm::ArrayRef<AxisPtr> axes, llvm::StringRef instruction);
/// The iterations of a loop as statements of their own, one after the other.
Rewrite write_out(const Function& function, const AxisPtr& axis);
Rewrite rename(const Function& function, const AxisPtr& axis, llvm::StringRef name);

// mapping: bind.cpp, launch_bounds.cpp, require.cpp

Rewrite bind(const Function& function, const AxisPtr& axis, const Binding& binding);
/// Several axes become digits of one number, the slowest first.
Rewrite bind(const Function& function, llvm::ArrayRef<AxisPtr> axes, const Binding& binding);
/// A multiprocessor holds at least so many blocks of the kernel whose blocks `axis` is bound to.
Rewrite launch_bounds(const Function& function, const AxisPtr& axis, int64_t blocks);
/// Each kernel but the first may start before the one before it has ended.
Rewrite launch_early(const Function& function);
/// Further steps that break what `numbers` demands of sums are refused.
Rewrite require(const Function& function, Numbers numbers);
/// Arguments may overlap in memory: generated pointers carry no `__restrict__`.
Rewrite may_alias(const Function& function);

// reductions: rfactor.cpp, reduce_at.cpp

/// The iterations of `axis`, over which `tensor` is reduced, have partial results of their own.
/// Returns the tensor of those, and two axes: the spatial one that they are computed over, and that
/// of their reduction.
Rewrite rfactor(const Function& function, const TensorPtr& tensor, const AxisPtr& axis);
/// Each iteration of `axis`, over which `tensor` is reduced, reduces its values to a partial
/// result, which it combines with the result at its end. Returns the tensor of partial results.
Rewrite reduce_at(const Function& function, const TensorPtr& tensor, const AxisPtr& axis);

// memory: cache.cpp, cache_global.cpp, copy_loops.cpp, write_back_at.cpp, layout.cpp, swizzle.cpp,
// vectorize.cpp; and in engines: copy_async.cpp, pipeline.cpp, specialize.cpp, prefetch.cpp,
// copy_bulk.cpp, multicast.cpp

struct CacheOptions {
  /// Elements of the tensor that move in one access, as promised: refused where it is not proved
  /// that they are aligned and side by side. 0: as many as lowering can prove.
  int64_t vectorize = 0;
  /// Of the tile; without an order of its own, that in which the part lies in the tensor.
  Layout layout = {};
  /// Indices of an element, A(i, k): the tile holds the elements read under the axes that these
  /// descend from, and no other accesses to the tensor. Empty: it holds all elements that are
  /// touched.
  llvm::SmallVector<Expr, 4> element = {};
};

/// The part of `tensor` that one iteration of `axis` touches lives in registers while that
/// iteration runs. Returns the register tensor.
Rewrite cache_registers(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                        const CacheOptions& options = {});
/// The program reads a copy of `tensor`, an argument, in another layout. Returns the copy and the
/// axes of the nest that makes it, one per dimension.
Rewrite cache_global(const Function& function, const TensorPtr& tensor, const Layout& layout = {});
/// The part of `tensor` that one iteration of `axis` touches, over all threads of the block, lives
/// in shared memory while that iteration runs. Returns the shared tensor.
Rewrite cache_shared(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                     const CacheOptions& options = {});

/// The copy that fills a tile, or writes it back, becomes loops; returns their axes, one per
/// dimension of the tile.
Rewrite copy_loops(const Function& function, const TensorPtr& tile, Direction direction);

/// Each iteration of the axis writes back the part of the shared tile that it sets, where one copy
/// behind the loop has written all of it.
Rewrite write_back_at(const Function& function, const TensorPtr& tile, const AxisPtr& axis);

/// The copies that fill a tile in shared memory go on while threads do something else: cp.async.
Rewrite copy_async(const Function& function, const TensorPtr& tile);

/// The tiles that copies fill at the start of a loop become rings of `stages`, filled that many
/// iterations ahead, less one. One stage: registers are filled behind their last use.
Rewrite pipeline(const Function& function, const AxisPtr& axis, int64_t stages);
/// Warps of their own, the producers, fill the tiles at the start of a loop, up to `stages`
/// iterations ahead of the others: those that are asynchronous, and with `boxes` also all others,
/// by the copy engine.
Rewrite specialize(const Function& function, const AxisPtr& axis, int64_t stages,
                   const WarpRoles& roles, CopyEngine engine = CopyEngine::async);
/// Consumers of a loop with producers fill their registers for the next iteration during this one.
Rewrite prefetch(const Function& function, const AxisPtr& axis, int64_t tests_ahead = 0);
/// The copy engine makes the producers' copy of a ring: one lane asks for the whole tile. Returns
/// the ring, at the alignment that the engine wants.
Rewrite copy_bulk(const Function& function, const TensorPtr& ring);
/// So many blocks with consecutive block.x, a cluster, fill the ring for each other: each has the
/// copy engine bring its share of the box to all of them.
Rewrite multicast(const Function& function, const TensorPtr& ring, int64_t blocks);

/// Sets the layout of an allocated tensor. Returns the tensor that takes its place.
Rewrite set_layout(const Function& function, const TensorPtr& tensor, const Layout& layout);
/// The swizzle of a shared tensor under which the accesses to it have the fewest bank conflicts.
/// Returns the tensor that takes its place.
Rewrite swizzle(const Function& function, const TensorPtr& tensor);
/// `tensor`, in shared memory, starts at a multiple of so many bytes.
Rewrite align(const Function& function, const TensorPtr& tensor, int64_t bytes);

/// The iterations of a loop become one access of several elements: 2, 4, 8 or 16 bytes.
Rewrite vectorize(const Function& function, const AxisPtr& axis);

/// Callers promise a condition on the params; launches check it.
Rewrite assume(const Function& function, const Expr& condition);
/// Callers promise that rows of `tensor` start at multiples of `bytes`; launches check it.
Rewrite assume_aligned(const Function& function, const TensorPtr& tensor, int64_t bytes);

// placement: compute_at.cpp, inline_tensor.cpp, fuse_epilogue.cpp

struct ComputeAtOptions {
  /// Registers or shared memory. By default registers, where one thread computes the part or where
  /// it is a single element; else shared memory.
  std::optional<Scope> scope = {};
};

/// The part of a temporary that one iteration of `axis` reads is computed at the start of that
/// iteration. Returns the tile that holds it, which has the name of the temporary.
Rewrite compute_at(const Function& function, const TensorPtr& tensor, const AxisPtr& axis,
                   const ComputeAtOptions& options = {});
/// The definition of an element of a temporary takes the place of its reads.
Rewrite inline_tensor(const Function& function, const TensorPtr& tensor);
/// The temporary reduction that `tensor`, an elementwise function of it, reads is computed in the
/// nest of `tensor`. Returns the axes of the nest.
Rewrite fuse_epilogue(const Function& function, const TensorPtr& tensor);

}  // namespace hone
