// The instructions that read and write tensors.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

// Global and shared tensors. The detail is the access.

/// Reads an element per active lane into the destination.
Instruction::Execute load_operation(DType type);
/// Writes the first operand's active lanes; where lanes write one element, the last one stays.
Instruction::Execute store_operation(DType type);

/// The same for several neighbours per lane, of one access; the detail is the vector.
Instruction::Execute load_vector_operation(DType type);
Instruction::Execute store_vector_operation(DType type);

// Register tensors: an array of lanes per element.

/// Makes the destination an alias of the element that all lanes have in common; the detail is the
/// access.
Instruction::Execute find_register_operation(DType type);
/// Lets the next write to the first operand go to the second one instead, which is such an alias,
/// where all lanes are active. Ends with the store.
void redirect_to_register(Worker& worker, const Instruction& instruction);
/// Writes the second operand to the alias that is the first.
Instruction::Execute store_register_operation(DType type);

/// The same as load and store, where the element depends on the lane.
Instruction::Execute load_registers_operation(DType type);
Instruction::Execute store_registers_operation(DType type);

/// Fills a new allocation with values that nobody should read, NaN or -1; the detail is the memory.
Instruction::Execute poison_operation(const TensorNode& tensor);

}  // namespace hone
