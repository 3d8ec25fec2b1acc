// The meaning of loop IR, executable: runs a function on the host, plainly and in order.
#pragma once

#include <stdexcept>

#include "ir/interpret/buffer.h"

namespace hone {

/// A mistake that no correct program makes: an index out of bounds, a read of an element that
/// nothing wrote, a division by zero, a negative dividend of an index. Shows the access or the
/// operation, what is wrong with it, and the values of the axes around it:
///
///   C[i*4 + j, k]: index 0 is 12, outside 0..10 (i = 3, j = 0, k = 1)
class InterpretError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `function`, which is well-formed (ir/verify/verifier.h), on `buffers`, which hold one
/// buffer per argument with the shape that `sizes` gives it, and maybe others. The elements of an
/// argument at the start count as written. Throws InterpretError; std::invalid_argument where a
/// size or a buffer is missing or does not fit.
void interpret(const Function& function, const Sizes& sizes, Buffers& buffers);

/// The sizes that the shapes of the buffers give to the params of `function`: those that are an
/// extent of an argument as they stand, as M is in A: f32[M, 2*N] and N is not. Throws
/// std::invalid_argument where an argument has no buffer of its rank, or two extents disagree.
Sizes infer_sizes(const Function& function, const Buffers& buffers);

/// The value of an index or bool expression over params. Throws std::invalid_argument where it
/// refers to a param without a size, or to an axis; InterpretError where it has no value.
int64_t evaluate(const Expr& expr, const Sizes& sizes);

}  // namespace hone
