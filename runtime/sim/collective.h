// Exchanges of values among the threads of a block, and the blocks of a grid: shuffles within
// warps, atomic updates of memory, blocks that count themselves in.
#pragma once

#include "runtime/sim/operation.h"

namespace hone {

/// The lane of the block whose value `lane` asks for in a shuffle that the first `participants`
/// lanes of a warp take part in; -1 where there is none.
int partner_of(const Worker& worker, ShuffleMode mode, int lane, int64_t offset,
               int64_t participants);

/// The first operand of another lane. The second operand is the offset, the third the number of
/// lanes at the start of each warp that take part. A lane whose partner does not take part gets
/// a value that nobody should read.
Operation shuffle_operation(ShuffleMode mode, DType type);

/// Combines the first operand's active lanes with the elements of the access that is the detail, as
/// its statement says, one lane after the other; other blocks see each update whole.
Instruction::Execute atomic_operation(DType type);

/// Combines an element in memory with a value, both as they lie there, as the statement says.
void update_element(const Store& update, std::byte* element, const std::byte* value);

/// Adds 1 to the counter, the access that is the detail, or sets it to 0 where it was one less than
/// the first operand, an index; the destination is whether it was. Of the first active lane.
Instruction::Execute arrive_operation();

}  // namespace hone
